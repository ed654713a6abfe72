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
#include "hyobscure/verify/verify_areas.h"
#include "hyobscure/verify/verify_canonical.h"
#include "hyobscure/verify/verify_dictionary.h"
#include "hyobscure/verify/verify_figures.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_folder.h"
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

// --- labels

void check_labels(const published::Manifest& manifest, const std::map<std::string, std::int64_t>& people,
                  Findings& findings) {
  std::set<std::string> declared;
  for (const Group& group : manifest.groups) declared.insert(group.label);
  std::int64_t undeclared = 0;
  for (const auto& [label, number] : people) undeclared += declared.contains(label) ? 0 : number;
  findings.add_count(rule("labels-declared"), undeclared, "people have a label that is none", "all people");

  std::vector<std::string> empty;
  for (const std::string& label : declared)
    if (!people.contains(label)) empty.push_back("no person is in " + label);
  findings.add(rule("groups-occur"), empty, fmt::format("{} groups", declared.size()));
}

/// A number is a label only where l = 1 allows it and its group covers just that value, of which check_groups
/// warns.
void check_no_numbers(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (!manifest.has_one(data::AxisKind::Ordered)) return;
  const std::int64_t numbers = count(
      engine,
      "rel_people WHERE TRY_CAST(label AS DOUBLE) IS NOT NULL AND label NOT IN (SELECT label FROM rel_groups "
      "WHERE is_exact)");
  findings.add_count(rule("no-plain-numbers"), numbers, "people have a number there", "labels only");
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
  findings.add(rule("people-within"), outside,
               limits_text(manifest.limits.least_people, manifest.limits.most_people));
  findings.add(rule("people-declared"), different, fmt::format("{} groups", manifest.groups.size()));
}

/// Table rel_groups: of several secrets, s0, s1, ... is what a group covers of each. There may be as many
/// groups as people: rows are appended.
void load_groups(Engine& engine, const published::Manifest& manifest) {
  std::vector<data::Column> columns = {{"label", "VARCHAR"},
                                       {"low", "DOUBLE"},
                                       {"high", "DOUBLE"},
                                       {"closed", "BIGINT"},
                                       {"is_exact", "BIGINT"}};
  for (std::size_t axis = 0; axis < manifest.columns.parts.size(); ++axis)
    columns.push_back({fmt::format("s{}", axis), "VARCHAR"});
  const double open = std::numeric_limits<double>::quiet_NaN();
  const std::string rows =
      engine.made_rows(columns, [&, next = std::size_t{0}](data::ChunkMaker& chunk) mutable {
        const std::size_t count = std::min(chunk.most_rows(), manifest.groups.size() - next);
        for (std::size_t row = 0; row < count; ++row, ++next) {
          const Group& group = manifest.groups[next];
          chunk.set_text(0, row, group.label);
          chunk.doubles(1)[row] = group.covers[0].low.value_or(open);
          chunk.doubles(2)[row] = group.covers[0].high.value_or(open);
          chunk.integers(3)[row] = group.covers[0].high_included ? 1 : 0;
          chunk.integers(4)[row] = manifest.limits.least_values <= 1 && is_exact(group.covers[0]) ? 1 : 0;
          for (std::size_t axis = 0; axis < manifest.columns.parts.size(); ++axis)
            chunk.set_text(5 + axis, row, group.covers[axis].label);
        }
        return count;
      });
  engine.run(
      "CREATE OR REPLACE TEMP TABLE rel_groups AS SELECT * EXCLUDE (low, high, closed, is_exact), CASE WHEN "
      "NOT isnan(low) "
      "THEN low END AS low, CASE WHEN NOT isnan(high) THEN high END AS high, closed = 1 AS high_included, "
      "is_exact = 1 AS is_exact FROM " +
      rows);
}

void check_parts(Engine& engine, const published::Manifest& manifest, const ReleasedTable& people,
                 Findings& findings) {
  if (!manifest.has_several_secrets()) return;
  std::vector<std::string> same = {"g.label = p.label"};
  for (const std::string& part : people.parts()) same.push_back(fmt::format("g.{0} = p.{0}", part));
  findings.add_count(
      rule("secret-parts"),
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
  findings.add_count(rule("nobody-alone"), smaller_than(2),
                     "people are, and can be published with their own features only", columns);
  if (manifest.limits.for_pools) {
    findings.add_count(rule("pools-of-k"), smaller_than(manifest.limits.least_people), "pools have fewer",
                       fmt::format("k = {}; {}", manifest.limits.least_people, columns));
    return;
  }
  const std::int64_t smallest = engine.integers(
      "SELECT min(people) FROM (SELECT count(*) AS people FROM rel_people GROUP BY label, kept)")[0];
  findings.add(rule("no-small-pool"), static_cast<double>(smallest) >= manifest.limits.least_people,
               fmt::format("the limits are declared for groups; the smallest pool has {} people", smallest));
}

// --- ids and events

void check_ids(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (manifest.ids == data::PublishedIds::Drop) return;
  const std::int64_t repeated = engine.integers("SELECT count(*) - count(DISTINCT id) FROM rel_people")[0];
  findings.add_count(rule("ids-unique"), repeated, "rows have no id, or one that occurs before",
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
  findings.add_count(rule("events-of-people"), found.of_nobody, "events do not", "all events");
  findings.add_count(rule("people-have-events"), found.people_without, "people have none", "all people");
  findings.add_count(rule("events-complete"), found.incomplete,
                     "events lack their item, or a number as value", "all events");
}

LoadedRelease verify_alone(Engine& engine, const fs::path& folder, const published::Manifest& manifest,
                           const Progress& progress, Findings& findings) {
  check_manifest(manifest, findings);
  check_no_other_files(folder, manifest, findings);
  check_groups(manifest, progress, findings);
  check_group_figures(manifest, findings);
  check_figures(manifest, findings);

  LoadedRelease release{people_table(manifest), events_table(manifest)};
  if (!check_files(folder, manifest, progress, findings)) return release;
  check_areas(folder, manifest, findings);
  check_dictionary(folder, manifest, progress, findings);
  if (!check_columns_and_load(engine, manifest, folder, release.people, findings, [] {})) return release;
  check_table_form(engine, folder, manifest, release.people, progress, findings);
  load_groups(engine, manifest);
  const auto people = count_by_label(engine, "count(*)", "rel_people");
  check_row_counts(count(engine, "rel_people"), manifest.files[0], release.people, findings);
  check_labels(manifest, people, findings);
  check_no_numbers(engine, manifest, findings);
  check_parts(engine, manifest, release.people, findings);
  check_people_per_group(manifest, people, findings);
  check_pools(engine, manifest, findings);
  check_ids(engine, manifest, findings);
  check_new_ids(engine, manifest, findings);
  check_order_tells_nothing(engine, manifest, findings);
  if (manifest.is_long()) {
    EventCounts events;
    const auto look = [&] { events = look_at_events(engine, manifest); };
    if (!check_columns_and_load(engine, manifest, folder, release.events, findings, look)) return release;
    check_table_form(engine, folder, manifest, release.events, progress, findings);
    check_row_counts(events.rows, manifest.files[1], release.events, findings);
    check_events(events, findings);
  }
  release.complete = true;
  return release;
}

void compare(const published::Manifest& manifest, const Original& original, const LoadedRelease& release,
             const Progress& progress, Findings& findings) {
  try {
    verify_against(manifest, original, release, progress, findings);
  } catch (const data::EngineError& error) {
    throw explain(error, original.spec.name);
  }
}

/// Looks at everything; leaves the tables of both sides in the engine.
template <class Against>
Verification verify_in(Engine& engine, const fs::path& folder, const published::Manifest& manifest, Mode mode,
                       const Progress& progress, const Against& against) {
  Findings findings;
  engine.set_stage("checking the release");
  const LoadedRelease release = verify_alone(engine, folder, manifest, progress, findings);
  if (release.complete) against(release, findings);
  return {.checks = findings.take(), .mode = mode, .not_seen = not_seen(mode, manifest)};
}

Verification verify_in(const fs::path& folder, const published::Manifest& manifest, const Original& original,
                       const Progress& progress) {
  return verify_in(original.engine, folder, manifest, Mode::Original, progress,
                   [&](const LoadedRelease& release, Findings& findings) {
                     refuse_other_release(manifest, original.spec);
                     compare(manifest, original, release, progress, findings);
                   });
}

bool concerns(const BlindSpot& spot, const published::Manifest& manifest) {
  switch (spot.concerns) {
    case Concerns::AllReleases:
      return true;
    case Concerns::ThoseWithoutIds:
      return manifest.ids != data::PublishedIds::Keep;
    case Concerns::ParquetOnly:
      return manifest.format == "parquet";
    case Concerns::ComposedRows:
      return manifest.rows == data::PublishedRows::Composed;
  }
  return true;
}

}  // namespace

bool Verification::passed() const {
  return std::ranges::all_of(checks, [](const Check& check) { return check.passed || check.warning; });
}

published::Manifest manifest_of_release(const fs::path& folder) {
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

std::vector<std::string> not_seen(Mode mode, const published::Manifest& manifest) {
  std::vector<std::string> sentences;
  for (const BlindSpot& spot : kBlindSpots)
    if (is_blind(spot, mode) && concerns(spot, manifest)) sentences.emplace_back(spot.what);
  return sentences;
}

Verification verify(const fs::path& folder, const Original& original, const Progress& progress) {
  return verify_in(folder, manifest_of_release(folder), original, progress);
}

Verification verify(const fs::path& folder, const data::Spec* original, const Progress& progress,
                    data::EngineSettings settings) {
  const published::Manifest manifest = manifest_of_release(folder);
  settings.folder = original == nullptr ? folder : original->folder;
  if (settings.threads == 0) settings.threads = thread_count();
  Engine engine(settings, progress);
  return verify_in(engine, folder, manifest, original == nullptr ? Mode::Files : Mode::Original, progress,
                   [&](const LoadedRelease& release, Findings& findings) {
                     if (original == nullptr) return;
                     refuse_other_release(manifest, *original);
                     compare(manifest, {engine, *original, data::read_people(engine, *original)}, release,
                             progress, findings);
                   });
}

std::vector<PublishedRow> published_rows(const fs::path& folder, const Original& original) {
  const published::Manifest manifest = manifest_of_release(folder);
  if (manifest.ids != data::PublishedIds::Keep)
    throw InputError({.source = folder.string()},
                     "its ids are not kept, so its rows cannot be told apart by person",
                     "Give the mechanism as well (-m): it knows who has whose features.");
  if (manifest.rows == data::PublishedRows::Composed)
    throw InputError({.source = folder.string()}, "its rows are composed, so that no row is a person's own",
                     "Give the mechanism as well (-m): it knows how each was composed.");
  if (!verify_in(folder, manifest, original, {}).passed())
    throw InputError({.source = folder.string()}, "is not a release of this data, or was changed",
                     fmt::format("Run `hyobscure verify {} --against {}`, which says what is wrong.",
                                 folder.string(), original.spec.name));
  std::vector<PublishedRow> rows;
  original.engine.query(
      "SELECT r.id, o.first FROM rel_rows AS r JOIN (SELECT label, kept, row, min(id) AS first FROM org_rows "
      "GROUP BY "
      "label, kept, row) AS o ON o.row = r.row AND o.label = r.label AND o.kept = r.kept ORDER BY r.id",
      [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row)
          rows.push_back({std::string(chunk.text(0, row)), std::string(chunk.text(1, row))});
      });
  return rows;
}

}  // namespace hyobscure::verify
