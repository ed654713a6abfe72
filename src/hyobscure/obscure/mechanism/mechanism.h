#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/mechanism/donor_channel.h"
#include "hyobscure/published/group.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// What the mechanism promises. Leakages are in bits and exact for the counted people, not estimates.
struct Promise {
  double leakage = kUnset;           ///< I(Y; V, G), V the donor: all that the release tells about the secret
  double leakage_groups = kUnset;    ///< H(G): what the groups tell
  double leakage_features = kUnset;  ///< I(Y; V|G): what the features add
  /// I(Y; C'|G), C' the cluster of the published row: the same where donors are uniform in their cell, else
  /// less than what the rows tell.
  double leakage_clusters = kUnset;
  /// I(Y'; V|G), Y' as a model trained on other people sees it: what the features tell the learned attacker.
  /// NaN: not computed.
  double leakage_learned = kUnset;
  double leakage_null = kUnset;  ///< what leakage_features would be for values shuffled within their groups
  double leakage_null_deviation = kUnset;
  /// The same groups with true features: I(Y; C|G) where rows tell no more than their cluster, else H(Y|G),
  /// all that is left to learn for an informed attacker.
  double leakage_unprotected = kUnset;
  /// What random donors would leak, I(Y; V|G), at the same expected distance; and drawing any other person.
  double leakage_random = kUnset;
  double leakage_any_donor = kUnset;
  double own_rows = kUnset;          ///< expected share of people who publish their own row
  double informed_weight = 1;        ///< in what was minimised; the rest is the learned attacker's
  double secret_entropy = kUnset;    ///< H(Y)
  double fano_error_bound = kUnset;  ///< a guess from the release is wrong for at least this share of people
  double distance = kUnset;          ///< expected, between published and true features
  double budget = kUnset;
  /// What was minimised is proven this close to its optimum for these groups: the features' leakage, or its
  /// sum weighed by informed_weight where there is a learned attacker too.
  double gap = kUnset;
  double joint_gap =
      kUnset;  ///< the objective is proven this close to the optimum over all groupings; NaN: not proven
  double epsilon =
      kUnset;  ///< differential privacy of the choice of donors, in nats; NaN: none is guaranteed
};

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

struct Limits {  ///< k, alpha, l, beta
  double least_people = 1, most_people = 1, least_values = 1, most_values = 1;
  /// Kept columns: k and l hold for people who share group and kept cells, and not only for groups.
  bool for_pools = false;
};

/// What `fit` finds and `publish` applies: groups, channels, cluster model and the key of the draws. Private:
/// whoever holds it can undo the release.
struct Mechanism {
  static constexpr int kFormat = 4;

  std::string source = "mechanism";  ///< the file it was read from, for messages
  std::string method;
  std::string objective;
  std::string distance;
  Limits limits;
  std::vector<published::Group> groups;
  bool within_groups = true;      ///< false: donors come from all groups, for comparisons only
  std::vector<Channel> channels;  ///< one a group, or one in all where donors come from all groups
  std::optional<Parameter> parameter = {};
  std::string threat = {};   ///< of the person-level channel; else empty
  bool balanced = false;     ///< every row is published once in expectation
  double most_own_rows = 1;  ///< share of own rows that the publisher calls acceptable
  std::string note = {};     ///< what the user should know of this answer
  census::ClusterModel clusters;
  Promise promise;
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
/// for text that is no mechanism, is damaged, or has another format version.
[[nodiscard]] std::string mechanism_content(const Mechanism& mechanism);
[[nodiscard]] Mechanism parse_mechanism(const std::string& content, const std::string& source);

/// JSON, readable by its owner only. Throws InputError when it cannot be written.
void write_mechanism(const Mechanism& mechanism, const std::filesystem::path& file);

/// Throws InputError when the file is not a mechanism, is damaged, or has another format version.
[[nodiscard]] Mechanism read_mechanism(const std::filesystem::path& file);

}  // namespace hyobscure::obscure
