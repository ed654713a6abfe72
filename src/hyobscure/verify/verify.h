#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_rules.h"

namespace hyobscure::verify {

/// One thing that was looked at. Texts name files, columns, groups and numbers, never a cell.
struct Check {
  std::string name;  ///< a sentence that is true when the check passes
  bool passed = true;
  std::string detail;         ///< what was counted, or what is wrong
  bool warning = false;       ///< the steward should know, but the release is what it says it is
  std::string_view key = {};  ///< its row in the table of checks
};

struct Verification {
  std::vector<Check> checks;
  Mode mode = Mode::Files;                 ///< what was at hand
  std::vector<std::string> not_seen = {};  ///< what this mode cannot see

  /// No check failed, warnings aside.
  bool passed() const;
};

/// The data that a release was made from, as it was read.
struct Original {
  data::Engine& engine;  ///< of the reading; the tables of the release are loaded into it
  const data::Spec& spec;
  const data::Reading& reading;
};

/// Checks a written release from its files, and against the original data where the spec of those is given.
/// Shares no code with drawing and publishing.
///
/// The release alone: the manifest is sealed, files are all there, unchanged and alone, columns are the
/// declared ones, kept ones among them, labels are declared groups that do not overlap and are in order where
/// the secret is a number, (k, alpha) and (l, beta) hold, ids and events fit together. Areas are connected
/// and drawn as declared; of several secrets each column holds what the group covers of it.
///
/// With the original: the same people, each under the group of the true secret (sizes of groups where ids are
/// not kept), (k, alpha) and (l, beta) recounted, every published row of features is that of somebody of the
/// same group, and nothing exact about the secret appears. Where columns are kept: they hold the person's own
/// cells (by group as many of each combination, where ids are not kept), and the row of features is that of
/// somebody of the same group with the same kept cells.
///
/// A release that is wrong gives failed checks. Throws InputError where there is no release to check: no such
/// folder, no manifest, one of another format, or a spec of another shape; and as read_people does where the
/// original is still to be read, by its spec.
[[nodiscard]] Verification verify(const std::filesystem::path& folder, const Original& original,
                                  const Progress& progress = {});
[[nodiscard]] Verification verify(const std::filesystem::path& folder, const data::Spec* original,
                                  const Progress& progress = {}, data::EngineSettings engine = {});

/// The manifest of the release in a folder. Throws InputError where there is none.
[[nodiscard]] published::Manifest manifest_of_release(const std::filesystem::path& folder);

/// What a mode cannot see of this release, in sentences.
[[nodiscard]] std::vector<std::string> not_seen(Mode mode, const published::Manifest& manifest);

/// Who has whose features in a release, by their ids.
struct PublishedRow {
  std::string person;
  std::string donor;  ///< of people with the same features, group and kept cells the first
};

/// Recovered from the files by the features themselves, as only the owner of the original can. In the order
/// of the people's ids. Throws InputError for a release that does not verify against the original, or whose
/// ids are not kept.
[[nodiscard]] std::vector<PublishedRow> published_rows(const std::filesystem::path& folder,
                                                       const Original& original);

}  // namespace hyobscure::verify
