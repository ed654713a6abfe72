#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/files.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/secret/secret_space.h"
#include "hyobscure/data/spec/words.h"
#include "hyobscure/published/group.h"
#include "hyobscure/published/limits.h"

namespace hyobscure::published {

struct ManifestFile {
  std::string name;
  std::int64_t rows = 0;  ///< without the header
  std::string sha256;     ///< sha256_of_table
};

/// The files that hold a table: the file itself, or all that are in it where it is a folder of part files, in
/// the order of their names.
[[nodiscard]] std::vector<std::filesystem::path> parts_of_table(const std::filesystem::path& table);

/// Of a file, its SHA-256. Of a table that several machines wrote, a folder of part files: that of the hashes
/// of its parts, as text, in the order of their names.
[[nodiscard]] std::string sha256_of_table(const std::filesystem::path& table, const Progress& progress = {});

/// Names of the published columns by what they hold. Empty: there is no such column.
struct ManifestColumns {
  std::string id;
  std::string secret;                   ///< holds labels of groups
  std::vector<std::string> parts = {};  ///< several secrets: each holds what the group covers of one of them
  std::vector<std::string> keep = {};   ///< hold the person's own cells
  std::vector<std::string> features;    ///< wide data
  std::string person;                   ///< long data, of the events file, like the three below
  std::string item;
  std::string value;
  std::string time;
};

/// What the mechanism promises, as far as a release may say it (coarse.h). Bits; NaN: not computed.
struct ManifestLeakage {
  double leakage = kUnset;         ///< the sum of the next two: an upper bound of I(Y; V, G)
  double leakage_groups = kUnset;  ///< H(G), from the people of the groups
  double leakage_added = kUnset;   ///< what features and kept columns add; rounded up
  double distance = kUnset;        ///< expected; rounded up
};

/// How the rows were composed, where they were.
struct ManifestComposed {
  int kin = 0;     ///< people in whose rows the entries of one row were found, at most
  int owners = 0;  ///< fewer people of a pool than this: their entry, or their row, is not published
  double largest_share = 0;  ///< of the units of a row of two or more that one person gave; rounded up
  std::vector<std::vector<std::string>> together = {};  ///< columns whose cells come from one person
};

/// What this release tells together with earlier ones of the same people.
struct ManifestComposition {
  int earlier_draws = 0;
  double leakage = kUnset;  ///< bits; of all of them together, at most; rounded up
};

/// What a release says about itself. Everything here is published: no key or seed, nothing finer than the
/// groups, no figure from which a secret can be computed, no hash of the original data, no path and no time.
struct Manifest {
  static constexpr int kFormat = 6;
  static constexpr const char* kFileName = "manifest.json";
  static constexpr const char* kAreasFile = "areas.geojson";
  static constexpr const char* kGroupsFile = "groups.csv";  ///< these two: dictionary.h
  static constexpr const char* kReadmeFile = "README.txt";
  static constexpr const char* kGroupColumn = "group";  ///< holds the labels of several secrets

  std::string program = "hyobscure";
  std::string version;
  std::string method;
  std::string objective;
  std::string distance;  ///< its name
  std::string shape;     ///< long, wide
  data::PublishedIds ids = data::PublishedIds::Replace;
  /// Rows by id, events of a person by their content; or both by keyed hashes.
  data::RowOrder order = data::RowOrder::Sorted;
  data::PublishedRows rows = data::PublishedRows::Donor;
  ManifestComposed composed = {};  ///< of composed rows
  std::string format;              ///< csv, parquet
  std::string draw;                ///< names the key of the draws without telling it: name_of_draws
  ManifestColumns columns;
  std::vector<ManifestFile> files;
  Limits limits;
  std::vector<data::AxisKind> kinds = {data::AxisKind::Ordered};  ///< of the secret, or of each
  std::optional<data::Grid> grid = {};                            ///< of places
  bool whole_numbers = false;  ///< there is one secret, and every value is a whole number
  std::vector<Group> groups;   ///< ascending; without their members and numbers of values
  ManifestLeakage leakage;
  ManifestComposition composition = {};
  bool seeded = false;  ///< drawn from a seed, for a trial
  bool accepted_leakage =
      false;  ///< the publisher accepted a mechanism with shortfalls (obscure/leakage/shortfalls.h)

  /// False after reading a manifest that was edited since it was written. The seal is a plain hash: it shows
  /// accidents and carelessness, not somebody who writes a new seal.
  bool seal_intact = true;
  /// False after reading a manifest that says more than publish writes.
  bool says_nothing_else = true;
  /// False after reading a file that is not, byte for byte, what to_json gives: spacing, the order of keys
  /// and a key that stands there twice may say something, too.
  bool is_canonical = true;

  bool is_long() const { return shape == "long"; }
  bool has_several_secrets() const { return kinds.size() > 1; }
  /// The secret is one number, or name, or place.
  bool has_one(data::AxisKind kind) const { return kinds.size() == 1 && kinds[0] == kind; }
  /// Which of the secrets is a place.
  std::optional<std::size_t> spatial_axis() const;
  /// Holds rows of people or events, and may be a folder of part files.
  bool is_table(const std::string& file) const { return file == people_file() || file == events_file(); }
  std::string people_file() const { return "people." + format; }
  std::string events_file() const { return "events." + format; }
};

/// How a folder with a release is known, before it is replaced.
[[nodiscard]] OurFolder release_folder();

/// Tells which mechanism made a release, and nothing of its key.
[[nodiscard]] std::string name_of_draws(const Key& key);

/// Ends with "seal", the SHA-256 of the JSON without it. The same manifest gives the same bytes.
[[nodiscard]] std::string to_json(const Manifest& manifest);

/// From its text; `file` is what errors name. Throws InputError as read_manifest does.
[[nodiscard]] Manifest manifest_from(const std::string& text, const std::filesystem::path& file);

/// Throws InputError when the file is missing, is not a manifest, or has a format that is not known.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& file);

}  // namespace hyobscure::published
