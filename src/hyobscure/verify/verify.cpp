#include "hyobscure/verify/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/data/read/id_numbers.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/published/signature.h"
#include "hyobscure/verify/verify_areas.h"
#include "hyobscure/verify/verify_figures.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_groups.h"
#include "hyobscure/verify/verify_original.h"
#include "hyobscure/verify/verify_tables.h"

namespace hyobscure::verify {
namespace {

namespace fs = std::filesystem;
using data::Engine;
using data::quoted_text;
using published::Cover;
using published::Group;

// --- the folder

void check_seal(const published::Manifest& manifest, Findings& findings) {
  findings.add("the manifest is as it was written", manifest.seal_intact,
               manifest.seal_intact
                   ? "its seal fits"
                   : fmt::format("{} was edited: its seal does not fit", published::Manifest::kFileName));
}

void check_not_a_trial(const published::Manifest& manifest, Findings& findings) {
  findings.add_warning(
      "the draws come from a secret key", !manifest.seeded,
      manifest.seeded ? "trial release, drawn from a seed: must not be published" : "not from a seed");
}

void check_no_accepted_leakage(const published::Manifest& manifest, Findings& findings) {
  findings.add_warning(
      "fit did not call the mechanism weak", !manifest.accepted_leakage,
      manifest.accepted_leakage ? "it did, and the publisher accepted the leakage" : "as the manifest says");
}

/// In the folder of a table that several machines wrote.
std::int64_t files_that_are_no_parts(const fs::path& table, const std::string& format) {
  if (!fs::is_directory(fs::symlink_status(table))) return 0;
  return std::ranges::count_if(published::parts_of_table(table), [&](const fs::path& part) {
    const std::string name = part.filename().string();
    return !name.starts_with("part-") || !name.ends_with("." + format);
  });
}

/// What may be opened: a pipe or a device may never end, and a link leads to what is no part of the release.
bool is_regular(const fs::path& file) { return fs::is_regular_file(fs::symlink_status(file)); }

bool is_table(const fs::path& table) {
  return fs::is_directory(fs::symlink_status(table))
             ? std::ranges::all_of(published::parts_of_table(table), is_regular)
             : is_regular(table);
}

void check_no_other_files(const fs::path& folder, const published::Manifest& manifest, Findings& findings) {
  std::set<std::string> expected = {published::Manifest::kFileName};
  for (const published::ManifestFile& file : manifest.files) expected.insert(file.name);
  if (fs::exists(fs::symlink_status(folder / published::Signature::kFileName)))
    expected.insert(published::Signature::kFileName);  // verify_signature.h looks at it
  std::vector<std::string> unexpected;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!expected.contains(entry.path().filename().string()))
      unexpected.push_back(entry.path().filename().string() + " does not belong to the release");
  std::ranges::sort(unexpected);
  for (const published::ManifestFile& file : manifest.files)
    if (const auto others = files_that_are_no_parts(folder / file.name, manifest.format); others > 0)
      unexpected.push_back(fmt::format("{} other file{} in {}", others, others == 1 ? "" : "s", file.name));
  findings.add("there are no other files", unexpected, fmt::format("{} files", expected.size()));
}

/// Whether all files are there and may be opened; changed ones can still be looked into.
bool check_files(const fs::path& folder, const published::Manifest& manifest, Findings& findings) {
  std::vector<std::string> missing, changed;
  for (const published::ManifestFile& file : manifest.files)
    if (!fs::exists(fs::symlink_status(folder / file.name)))
      missing.push_back(file.name + " is missing");
    else if (!is_table(folder / file.name))
      missing.push_back(file.name + " is no regular file, or has parts that are none");
    else if (published::sha256_of_table(folder / file.name) != file.sha256)
      changed.push_back(file.name + " was edited: its SHA-256 is not that of the manifest");
  findings.add("all files are there", missing, fmt::format("{} beside the manifest", manifest.files.size()));
  findings.add("the files are as they were written", changed, "SHA-256 of each");
  return missing.empty();
}

// --- labels

void check_labels(const published::Manifest& manifest, const std::map<std::string, std::int64_t>& people,
                  Findings& findings) {
  std::set<std::string> declared;
  for (const Group& group : manifest.groups) declared.insert(group.label);
  std::int64_t undeclared = 0;
  for (const auto& [label, number] : people) undeclared += declared.contains(label) ? 0 : number;
  findings.add_count("every label is a declared group", undeclared, "people have a label that is none",
                     "all people");

  std::vector<std::string> empty;
  for (const std::string& label : declared)
    if (!people.contains(label)) empty.push_back("no person is in " + label);
  findings.add("every declared group occurs", empty, fmt::format("{} groups", declared.size()));
}

/// A number is a label only where l = 1 allows it and its group covers just that value, of which check_groups
/// warns.
void check_no_numbers(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (!manifest.has_one(data::AxisKind::Ordered)) return;
  const std::int64_t numbers = count(
      engine,
      "rel_people WHERE TRY_CAST(label AS DOUBLE) IS NOT NULL AND label NOT IN (SELECT label FROM rel_groups "
      "WHERE is_exact)");
  findings.add_count("the secret column holds no plain numbers", numbers, "people have a number there",
                     "labels only");
}

void check_people_per_group(const published::Manifest& manifest,
                            const std::map<std::string, std::int64_t>& people, Findings& findings) {
  std::vector<std::string> outside, different;
  for (const Group& group : manifest.groups) {
    const auto found = people.find(group.label);
    const std::int64_t number = found == people.end() ? 0 : found->second;
    const auto size = static_cast<double>(number);
    if (size < manifest.limits.least_people || size > manifest.limits.most_people)
      outside.push_back(fmt::format("{} has {} people", group.label, number));
    if (number != group.people)
      different.push_back(fmt::format("{} has {} people, {} declared", group.label, number, group.people));
  }
  findings.add("people per group are within (k, alpha)", outside,
               limits_text(manifest.limits.least_people, manifest.limits.most_people));
  findings.add("people per group are as declared", different,
               fmt::format("{} groups", manifest.groups.size()));
}

/// Table rel_groups: of several secrets, s0, s1, ... is what a group covers of each.
void load_groups(Engine& engine, const published::Manifest& manifest) {
  std::string parts;
  for (std::size_t axis = 0; axis < manifest.columns.parts.size(); ++axis)
    parts += fmt::format(", s{} VARCHAR", axis);
  engine.run(
      fmt::format("CREATE OR REPLACE TEMP TABLE rel_groups (label VARCHAR, low DOUBLE, high DOUBLE, "
                  "high_included BOOLEAN, is_exact BOOLEAN{})",
                  parts));
  const auto bound = [](const std::optional<double>& x) { return x ? fmt::format("{:.17g}", *x) : "NULL"; };
  for (const Group& group : manifest.groups) {
    std::string row = fmt::format("{}, {}, {}, {}, {}", quoted_text(group.label), bound(group.covers[0].low),
                                  bound(group.covers[0].high), group.covers[0].high_included,
                                  manifest.limits.least_values <= 1 && is_exact(group.covers[0]));
    if (manifest.has_several_secrets())
      for (const Cover& cover : group.covers) row += ", " + quoted_text(cover.label);
    engine.run(fmt::format("INSERT INTO rel_groups VALUES ({})", row));
  }
}

void check_parts(Engine& engine, const published::Manifest& manifest, const ReleasedTable& people,
                 Findings& findings) {
  if (!manifest.has_several_secrets()) return;
  std::vector<std::string> same = {"g.label = p.label"};
  for (const std::string& part : people.parts()) same.push_back(fmt::format("g.{0} = p.{0}", part));
  findings.add_count(
      "every secret column holds what the group covers of it",
      count(engine, fmt::format("rel_people AS p WHERE NOT EXISTS (SELECT 1 FROM rel_groups AS "
                                "g WHERE {})",
                                fmt::join(same, " AND "))),
      "people have something else there", fmt::format("{}", fmt::join(manifest.columns.parts, ", ")));
}

/// People with the same group and the same kept cells: that is what an attacker sees.
void check_pools(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (manifest.columns.keep.empty()) return;
  const std::string columns = fmt::format("kept: {}", fmt::join(manifest.columns.keep, ", "));
  const auto smaller_than = [&](double people) {
    return count(engine,
                 fmt::format("(SELECT 1 FROM rel_people GROUP BY label, kept HAVING count(*) < {})", people));
  };
  findings.add_count("no person is alone in their group with their kept values", smaller_than(2),
                     "people are, and can be published with their own features only", columns);
  if (manifest.limits.for_pools) {
    findings.add_count("people per pool (same group and kept values) are at least k",
                       smaller_than(manifest.limits.least_people), "pools have fewer",
                       fmt::format("k = {}; {}", manifest.limits.least_people, columns));
    return;
  }
  const std::int64_t smallest = engine.integers(
      "SELECT min(people) FROM (SELECT count(*) AS people FROM rel_people GROUP BY label, kept)")[0];
  findings.add_warning(
      "no pool (same group and kept values) is smaller than k",
      static_cast<double>(smallest) >= manifest.limits.least_people,
      fmt::format("the limits are declared for groups; the smallest pool has {} people", smallest));
}

// --- ids and events

void check_ids(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (manifest.ids == data::PublishedIds::Drop) return;
  const std::int64_t repeated = engine.integers("SELECT count(*) - count(DISTINCT id) FROM rel_people")[0];
  findings.add_count("ids are unique", repeated, "rows have no id, or one that occurs before",
                     "one row per person");
}

/// Of one pass over the events, on all threads: they are not kept.
struct EventCounts {
  std::int64_t rows = 0, of_nobody = 0, incomplete = 0;
  std::int64_t people_without = 0;
};

EventCounts look_at_events(Engine& engine, const published::Manifest& manifest) {
  const std::string no_number =
      manifest.columns.value.empty()
          ? ""
          : " OR TRY_CAST(c1 AS DOUBLE) IS NULL OR NOT isfinite(TRY_CAST(c1 AS DOUBLE))";
  const std::vector<std::string> ids = engine.texts("SELECT id FROM rel_people WHERE id IS NOT NULL");
  const data::IdNumbers people(ids);
  std::vector<std::atomic<bool>> has_events(ids.size());
  std::atomic<std::int64_t> rows = 0, of_nobody = 0, incomplete = 0;
  engine.query_on_all_threads(
      "SELECT person, CAST(c0 IS NULL" + no_number + " AS BIGINT) FROM rel_events",
      [&](const data::Chunk& chunk) {
        std::optional<std::uint32_t> person;  // most events follow one of the same person
        std::int64_t nobody = 0, not_whole = 0;
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
          not_whole += chunk.integers(1)[row];
          const bool given = !chunk.is_null(0, row);
          if (given && !(person && ids[*person] == chunk.text(0, row))) {
            person = people.find(chunk.text(0, row));
            if (person) has_events[*person].store(true, std::memory_order_relaxed);
          }
          nobody += given && person ? 0 : 1;
        }
        rows += static_cast<std::int64_t>(chunk.rows());
        of_nobody += nobody;
        incomplete += not_whole;
      });
  EventCounts found{.rows = rows, .of_nobody = of_nobody, .incomplete = incomplete};
  for (const std::string& id : ids) found.people_without += has_events[people.find(id).value()] ? 0 : 1;
  return found;
}

void check_events(const EventCounts& found, Findings& findings) {
  findings.add_count("every event belongs to a published person", found.of_nobody, "events do not",
                     "all events");
  findings.add_count("every person has events", found.people_without, "people have none", "all people");
  findings.add_count("every event is complete", found.incomplete,
                     "events lack their item, or a number as value", "all events");
}

LoadedRelease verify_alone(Engine& engine, const fs::path& folder, const published::Manifest& manifest,
                           Findings& findings) {
  check_seal(manifest, findings);
  check_not_a_trial(manifest, findings);
  check_no_accepted_leakage(manifest, findings);
  check_no_other_files(folder, manifest, findings);
  check_groups(manifest, findings);
  check_figures(manifest, findings);

  LoadedRelease release{people_table(manifest), events_table(manifest)};
  if (!check_files(folder, manifest, findings)) return release;
  check_areas(folder, manifest, findings);
  if (!check_columns_and_load(engine, manifest, folder, release.people, findings, [] {})) return release;
  load_groups(engine, manifest);
  const auto people = count_by_label(engine, "count(*)", "rel_people");
  check_row_counts(count(engine, "rel_people"), manifest.files[0], release.people, findings);
  check_labels(manifest, people, findings);
  check_no_numbers(engine, manifest, findings);
  check_parts(engine, manifest, release.people, findings);
  check_people_per_group(manifest, people, findings);
  check_pools(engine, manifest, findings);
  check_ids(engine, manifest, findings);
  if (manifest.is_long()) {
    EventCounts events;
    const auto look = [&] { events = look_at_events(engine, manifest); };
    if (!check_columns_and_load(engine, manifest, folder, release.events, findings, look)) return release;
    check_row_counts(events.rows, manifest.files[1], release.events, findings);
    check_events(events, findings);
  }
  release.complete = true;
  return release;
}

}  // namespace

bool Verification::passed() const {
  return std::ranges::all_of(checks, [](const Check& check) { return check.passed || check.warning; });
}

namespace {

void compare(const published::Manifest& manifest, const Original& original, const LoadedRelease& release,
             Findings& findings) {
  try {
    verify_against(manifest, original, release, findings);
  } catch (const data::EngineError& error) {
    throw explain(error, original.spec.name);
  }
}

/// Looks at everything; leaves the tables of both sides in the engine.
template <class Against>
Verification verify_in(Engine& engine, const fs::path& folder, const published::Manifest& manifest,
                       const Against& against) {
  Findings findings;
  engine.set_stage("checking the release");
  const LoadedRelease release = verify_alone(engine, folder, manifest, findings);
  if (release.complete) against(release, findings);
  return findings.finish();
}

Verification verify_in(const fs::path& folder, const published::Manifest& manifest,
                       const Original& original) {
  return verify_in(original.engine, folder, manifest, [&](const LoadedRelease& release, Findings& findings) {
    refuse_other_release(manifest, original.spec);
    compare(manifest, original, release, findings);
  });
}

published::Manifest manifest_in(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError({.source = folder.string()}, "there is no such folder",
                     "Give the folder that `hyobscure publish` wrote.");
  if (!fs::exists(fs::symlink_status(folder / published::Manifest::kFileName)))
    throw InputError({.source = folder.string()}, "this is not a release: it has no manifest.json",
                     "Give the folder that `hyobscure publish` wrote.");
  if (!is_regular(folder / published::Manifest::kFileName))
    throw InputError({.source = (folder / published::Manifest::kFileName).string()},
                     "this is not a regular file", "Ask for a release whose files are all in its folder.");
  return published::read_manifest(folder / published::Manifest::kFileName);
}

}  // namespace

Verification verify(const fs::path& folder, const Original& original) {
  return verify_in(folder, manifest_in(folder), original);
}

Verification verify(const fs::path& folder, const data::Spec* original, const Progress& progress,
                    data::EngineSettings settings) {
  const published::Manifest manifest = manifest_in(folder);
  settings.folder = original == nullptr ? folder : original->folder;
  if (settings.threads == 0) settings.threads = thread_count();
  Engine engine(settings, progress);
  return verify_in(engine, folder, manifest, [&](const LoadedRelease& release, Findings& findings) {
    if (original == nullptr) return;
    refuse_other_release(manifest, *original);
    compare(manifest, {engine, *original, data::read_people(engine, *original)}, release, findings);
  });
}

std::vector<PublishedRow> published_rows(const fs::path& folder, const Original& original) {
  const published::Manifest manifest = manifest_in(folder);
  if (manifest.ids != data::PublishedIds::Keep)
    throw InputError({.source = folder.string()},
                     "its ids are not kept, so its rows cannot be told apart by person",
                     "Give the mechanism as well (-m): it knows who has whose features.");
  if (!verify_in(folder, manifest, original).passed())
    throw InputError({.source = folder.string()}, "is not a release of this data, or was changed",
                     fmt::format("Run `hyobscure verify {} --against {}`, which says what is wrong.",
                                 folder.string(), original.spec.name));
  std::vector<PublishedRow> rows;
  original.engine.query(
      "SELECT r.id, min(o.id) FROM rel_rows AS r JOIN org_rows AS o ON o.row = r.row AND o.label = r.label "
      "AND o.kept "
      "= r.kept GROUP BY r.id ORDER BY r.id",
      [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row)
          rows.push_back({std::string(chunk.text(0, row)), std::string(chunk.text(1, row))});
      });
  return rows;
}

}  // namespace hyobscure::verify
