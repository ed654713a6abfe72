#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/files.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/mechanism/composing.h"
#include "hyobscure/obscure/mechanism/donor_channel.h"
#include "hyobscure/obscure/mechanism/figures.h"
#include "hyobscure/published/group.h"
#include "hyobscure/published/limits.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// The knob of a baseline.
struct Parameter {
  std::string name;
  double value = kUnset;
};

/// A step of the optimisation: after first groups or moved boundaries, and the optimal channel for them.
struct Round {
  double objective = kUnset;  ///< bits: what was minimised
  double leakage = kUnset;    ///< bits: I(Y; C', G)
  double distance = kUnset;
  int moves = 0;  ///< boundary moves that led here
};

/// What `fit` finds and `publish` applies: groups, channels, cluster model and the key of the draws. Private:
/// anyone who holds it can undo the release.
struct Mechanism {
  static constexpr int kFormat = 8;

  std::string source = "mechanism";  ///< the file it was read from, for messages
  std::string method;
  std::string objective;
  std::string distance;
  published::Limits limits;
  std::vector<published::Group> groups;
  bool within_groups = true;                ///< false: donors come from all groups, for comparisons only
  std::vector<Channel> channels;            ///< one a group, or one in all where donors come from all groups
  std::optional<Composing> composing = {};  ///< absent: donors' rows are published
  std::optional<Parameter> parameter = {};
  std::string threat = {};   ///< of the person-level channel; else empty
  bool balanced = false;     ///< every row is published once in expectation
  double most_own_rows = 1;  ///< share of own rows that the publisher calls acceptable
  std::string note = {};     ///< what the user should know of this answer
  census::ClusterModel clusters;
  Figures figures;
  std::vector<Round> history;
  bool converged = true;  ///< false: stopped early, the best so far
  Key key;                ///< of the draws, made once: publishing again gives the same release
  bool seeded = false;    ///< the key comes from a seed: for trials, not for a release
  std::string data_fingerprint;
  std::int64_t people = 0;
  std::int64_t smallest_pool = 0;  ///< people who share group and kept cells, at least; 0: nothing is kept

  /// The group of the value with this index.
  std::size_t group_of_value(std::uint32_t value) const;
  /// The groups as sets of values.
  solve::Partition partition() const;
};

/// The content of a mechanism's file, JSON; and back. Reading throws InputError, with `source` as its place,
/// for text that is no mechanism, is damaged or edited, or has another format version.
///
/// The file ends with a seal, a plain hash: it shows accidents and edits, not somebody who writes a new seal.
/// What such a file says of itself is computed again before it is applied (leakage/recomputed.h).
[[nodiscard]] std::string mechanism_content(const Mechanism& mechanism);
[[nodiscard]] Mechanism parse_mechanism(const std::string& content, const std::string& source);

/// The content piece by piece: that of a million people takes less memory than the mechanism itself.
void write_mechanism(const Mechanism& mechanism, const TakePiece& take);

/// The entries of a mechanism's file with a seal that fits them; for tests of what a new seal cannot hide.
[[nodiscard]] std::string sealed(std::string entries);

/// JSON, readable by its owner only. Throws InputError when it cannot be written.
void write_mechanism(const Mechanism& mechanism, const std::filesystem::path& file);

/// Throws InputError when the file is not a mechanism, is damaged, or has another format version.
[[nodiscard]] Mechanism read_mechanism(const std::filesystem::path& file);

}  // namespace hyobscure::obscure
