#include "hyobscure/verify/verify_original.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "hyobscure/base/error.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/secret_checks.h"
#include "hyobscure/verify/group_index.h"
#include "hyobscure/verify/verify_composed.h"
#include "hyobscure/verify/verify_groups.h"
#include "hyobscure/verify/verify_plausible.h"

namespace hyobscure::verify {
namespace {

using data::Engine;
using published::Group;

// --- against the original: table org_people (id, secret, label, kept), label by the groups of the manifest,
// kept as in rel_people

void refuse_other_shape(const published::Manifest& manifest, const data::Spec& spec) {
  if (spec.is_long() != manifest.is_long())
    throw InputError({.source = spec.name},
                     fmt::format("describes {} data, and the release is {}", spec.is_long() ? "long" : "wide",
                                 manifest.shape),
                     "Give the spec that the release was made from.");
}

/// A kept cell of the original, as it reads after it went through the type of the published column.
std::string as_kept(const std::string& cell, const std::string& type) {
  return type == "VARCHAR" ? cell : fmt::format("TRY_CAST({} AS {})", cell, type);
}

/// Table org_labels (secret, label): a row for every group that covers a secret. A reading knows a secret
/// that is no number by its place among the points of the space.
void load_labels(Engine& engine, const published::Manifest& manifest, const data::Reading& reading,
                 const Progress& progress) {
  engine.run("CREATE OR REPLACE TEMP TABLE org_labels (secret DOUBLE, label VARCHAR)");
  const GroupIndex index(manifest);
  Engine::Appender rows(engine, "org_labels");
  const auto add = [&](double key, const std::vector<data::Coordinate>& secret) {
    for (const std::uint32_t g : index.near(secret))
      if (covers(manifest.groups[g], secret, manifest.kinds))
        rows.row({key, std::string_view(manifest.groups[g].label)});
  };
  if (const auto& space = reading.people.space) {
    for (std::size_t point = 0; point < space->points.size(); ++point) {
      if (point % 4096 == 0) progress.throw_if_stopped();
      add(static_cast<double>(point), space->secret(point));
    }
  } else {
    std::vector<double> secrets;
    engine.query(fmt::format("SELECT DISTINCT CAST(secret AS DOUBLE) FROM {}", reading.tables.people()),
                 [&](const data::Chunk& chunk) {
                   for (const double secret : chunk.doubles(0)) secrets.push_back(secret);
                 });
    for (const double secret : secrets) add(secret, {{.number = secret}});
  }
  rows.close();
}

/// Kept cells come from the source itself, not from what reading made of them: publish takes that.
void load_original(const published::Manifest& manifest, const Original& original,
                   const ReleasedTable& released, const Progress& progress) {
  const auto& [engine, spec, reading] = original;
  std::vector<std::string> kept;
  std::string source;
  if (!spec.people.keep.empty()) {
    const data::Relation& people = reading.people_source;
    for (const std::string& name : spec.people.keep)
      kept.push_back(as_kept("s." + people.column(name), released.type_of(fmt::format("k{}", kept.size()))));
    source =
        fmt::format(" JOIN {} AS s ON {} = p.id", people.sql, as_text("s." + people.column(spec.people.id)));
  }
  load_labels(engine, manifest, reading, progress);
  engine.run(fmt::format(
      "CREATE OR REPLACE TEMP TABLE org_people AS SELECT p.id, p.secret, g.label, {} AS kept FROM "
      "{} AS p{} LEFT JOIN org_labels AS g ON g.secret = p.secret",
      packed(kept), reading.tables.people(), source));
}

void check_same_people(Engine& engine, const published::Manifest& manifest, const data::Reading& reading,
                       Findings& findings) {
  const std::int64_t original = count(engine, reading.tables.people()),
                     published = count(engine, "rel_people");
  findings.add(rule("people-count"), original == published,
               original == published ? fmt::format("{} people", original)
                                     : fmt::format("{} published, {} in the original", published, original));
  const std::int64_t known = manifest.ids == data::PublishedIds::Drop
                                 ? 0
                                 : count(engine, "rel_people WHERE id IN (SELECT id FROM org_people)");
  if (manifest.ids == data::PublishedIds::Keep)
    findings.add_count(rule("same-people"), published - known, "people are not", "by their ids");
  if (manifest.ids == data::PublishedIds::Replace)
    findings.add_count(rule("no-original-id"), known, "ids of the original are", "all ids are new");
}

void check_true_groups(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  findings.add_count(rule("true-groups"),
                     count(engine, "(SELECT id FROM org_people GROUP BY id HAVING count(label) <> 1)"),
                     "people are in none or two", "all people");
  if (manifest.ids == data::PublishedIds::Keep) {
    findings.add_count(
        rule("true-labels"),
        count(engine,
              "rel_people AS p WHERE NOT EXISTS (SELECT 1 FROM org_people AS o WHERE o.id = p.id AND "
              "o.label = p.label)"),
        "people have another label", "all people");
    return;
  }
  const auto published = count_by_label(engine, "count(*)", "rel_people");
  const auto original = count_by_label(engine, "count(*)", "org_people");
  findings.add(rule("true-sizes"), published == original,
               published == original
                   ? fmt::format("{} groups; ids are not kept, so people cannot be compared one by one",
                                 original.size())
                   : "some are not");
}

void check_kept(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (manifest.columns.keep.empty()) return;
  const std::string columns = fmt::format("{}", fmt::join(manifest.columns.keep, ", "));
  if (manifest.ids == data::PublishedIds::Keep) {
    findings.add_count(
        rule("own-kept"),
        count(engine,
              "rel_people AS p WHERE NOT EXISTS (SELECT 1 FROM org_people AS o WHERE o.id = p.id AND "
              "o.kept = p.kept)"),
        "people have other values there than in the original", columns);
    return;
  }
  const auto counts = [](const std::string& table) {
    return fmt::format("SELECT label, kept, count(*) FROM {} GROUP BY label, kept", table);
  };
  const auto more_in = [&](const std::string& table, const std::string& other) {
    return count(engine, fmt::format("({} EXCEPT {})", counts(table), counts(other)));
  };
  findings.add_count(rule("kept-of-groups"),
                     more_in("rel_people", "org_people") + more_in("org_people", "rel_people"),
                     "counts of people with the same values differ", columns);
}

void recount_constraints(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  auto people = count_by_label(engine, "count(*)", "org_people");
  auto values = count_by_label(engine, "count(DISTINCT secret)", "org_people");
  std::vector<std::string> few_or_many, values_outside, different;
  for (const Group& group : manifest.groups) {
    const auto size = static_cast<double>(people[group.label]),
               distinct = static_cast<double>(values[group.label]);
    if (size < manifest.limits.least_people || size > manifest.limits.most_people)
      few_or_many.push_back(fmt::format("{} has {} people", group.label, size));
    if (distinct < manifest.limits.least_values || distinct > manifest.limits.most_values)
      values_outside.push_back(fmt::format("{} has {} values", group.label, distinct));
    const auto listed = listed_values(manifest, group);
    if (people[group.label] != group.people || (listed && *listed != values[group.label]))
      different.push_back(fmt::format("{} holds {} people and {} values", group.label, size, distinct));
  }
  findings.add(rule("true-k"), few_or_many,
               limits_text(manifest.limits.least_people, manifest.limits.most_people));
  findings.add(rule("true-l"), values_outside,
               limits_text(manifest.limits.least_values, manifest.limits.most_values));
  findings.add(rule("true-counts"), different, fmt::format("{} groups", manifest.groups.size()));
}

/// The same for people who share group and kept cells, where the limits are declared for them.
void recount_pools(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (!manifest.limits.for_pools || manifest.columns.keep.empty()) return;
  const auto pools_with = [&](const std::string& condition) {
    return count(engine, fmt::format("(SELECT 1 FROM org_people GROUP BY label, kept HAVING {})", condition));
  };
  findings.add_count(rule("true-pools-k"),
                     pools_with(fmt::format("count(*) < {}", manifest.limits.least_people)),
                     "pools have fewer people", fmt::format("k = {}", manifest.limits.least_people));
  findings.add_count(rule("true-pools-l"),
                     pools_with(fmt::format("count(DISTINCT secret) < {}", manifest.limits.least_values)),
                     "pools have fewer values", fmt::format("l = {}", manifest.limits.least_values));
}

/// The release by its labels must not be an exact value of the original.
void check_nothing_exact(Engine& engine, const published::Manifest& manifest, Findings& findings) {
  if (!manifest.has_one(data::AxisKind::Ordered)) return;  // others have labels that the manifest declares
  const std::int64_t exact = count(engine,
                                   "rel_people WHERE TRY_CAST(label AS DOUBLE) IN (SELECT secret FROM "
                                   "org_people) AND label NOT IN (SELECT label "
                                   "FROM rel_groups WHERE is_exact)");
  findings.add_count(rule("no-exact-secret"), exact, "labels are exact values",
                     "labels are no values of the original");
}

/// Columns of people that tell an exact secret.
std::vector<std::string> exact_columns(const data::Spec& spec, const published::Manifest& manifest) {
  std::vector<std::string> columns;
  for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis) {
    if (manifest.kinds[axis] != data::AxisKind::Spatial || spec.secret.grid_columns)
      columns.push_back(spec.people.secret.all[axis]);
    else if (!data::home_is_found(spec))
      columns.insert(columns.end(), {spec.secret.latitude, spec.secret.longitude});
  }
  return columns;
}

/// A query may give the secret a second name; as a feature or kept column it would be published as it is.
void check_no_column_is_the_secret(Engine& engine, const published::Manifest& manifest,
                                   const data::Spec& spec, const data::Relation& people,
                                   const std::string& kind, const std::vector<std::string>& columns,
                                   Findings& findings) {
  if (columns.empty()) return;
  std::vector<std::string> names, different;
  for (const std::string& name : columns)
    for (const std::string& secret : exact_columns(spec, manifest)) {
      names.push_back(name);
      different.push_back(
          fmt::format("count(*) FILTER (WHERE NOT coalesce({0} = {1} OR TRY_CAST({0} AS DOUBLE) = "
                      "TRY_CAST({1} AS DOUBLE), false))",
                      as_text("s." + people.column(name)), as_text("s." + people.column(secret))));
    }
  // Columns together: each query reads the source again, and a text file of many columns long.
  constexpr std::size_t kTogether = 200;
  std::vector<std::string> wrong;
  for (std::size_t begin = 0; begin < different.size(); begin += kTogether) {
    const std::span<const std::string> some =
        std::span(different).subspan(begin, std::min(kTogether, different.size() - begin));
    engine.query(
        fmt::format("SELECT {} FROM {} AS s JOIN org_people AS o ON {} = o.id", fmt::join(some, ", "),
                    people.sql, as_text("s." + people.column(spec.people.id))),
        [&](const data::Chunk& chunk) {
          for (std::size_t n = 0; chunk.rows() > 0 && n < some.size(); ++n)
            if (chunk.integers(n)[0] == 0)
              wrong.push_back(fmt::format("column {} holds the secret of all people", names[begin + n]));
        });
  }
  findings.add({rule("no-secret-column"), kind}, wrong, fmt::format("{} columns", columns.size()));
}

// --- donors: tables rel_rows and org_rows (label, kept, row), `row` being a hash of all feature cells of a
// person

/// SQL, of an event `s` of the original: it may be published. Where home is found from events, none that
/// lacks the place that would tell, and none that lies at home or is of the category that tells it. Stated
/// here again, from the spec, for what publish leaves out must not be what publish believes.
std::string may_be_published(const published::Manifest& manifest, const Original& original) {
  const auto& [engine, spec, reading] = original;
  if (!data::home_is_found(spec)) return "true";
  const data::Relation& events = reading.events_source;
  const auto cell = [&](const std::string& name) { return "s." + events.column(name); };
  const auto degrees = [&](const std::string& name) {
    return fmt::format("TRY_CAST({} AS DOUBLE)", as_text(cell(name)));
  };
  const std::string latitude = degrees(spec.secret.latitude), longitude = degrees(spec.secret.longitude);
  const bool by_category = spec.secret.home == data::HomeRule::Category;
  const std::string may_tell =
      by_category ? fmt::format("coalesce({} = {}, false)", as_text(cell(spec.secret.home_column)),
                                data::quoted_text(spec.secret.home_category))
                  : "true";
  const std::string has_place =
      fmt::format("(NOT {} OR ({} IS NOT NULL AND {} IS NOT NULL))", may_tell, latitude, longitude);
  if (spec.secret.home_events != data::HomeEvents::LeaveOut) return has_place;
  if (by_category) return fmt::format("{} AND NOT {}", has_place, may_tell);
  // The home of everybody is the spatial part of the secret.
  const data::SecretSpace& space = *reading.people.space;
  const std::size_t axis = manifest.spatial_axis().value();
  engine.run("CREATE OR REPLACE TEMP TABLE org_homes (secret DOUBLE, home_row BIGINT, home_column BIGINT)");
  Engine::Appender rows(engine, "org_homes");
  for (std::size_t point = 0; point < space.points.size(); ++point) {
    const data::GridCell home = space.coordinate(point, axis).cell;
    rows.row({static_cast<double>(point), std::int64_t{home.row}, std::int64_t{home.column}});
  }
  rows.close();
  const data::Grid& grid = space.grid.value();
  const auto steps = [](const std::string& value, double begin, double size) {
    return fmt::format("floor(({} - ({:.17g}::DOUBLE)) / ({:.17g}::DOUBLE))", value, begin, size);
  };
  return fmt::format(
      "{} AND NOT EXISTS (SELECT 1 FROM org_homes AS h WHERE h.secret = o.secret AND h.home_row = {} AND "
      "h.home_column = {})",
      has_place, steps(latitude, grid.south, grid.height), steps(longitude, grid.west, grid.width));
}

std::string hash_of_events(const std::vector<std::string>& cells) {
  const std::string event = packed(cells);
  return fmt::format("sha256(string_agg({0}, ';' ORDER BY {0}))", event);
}

void make_rows(Engine& engine, const std::string& table, const std::string& select) {
  engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS {}", table, select));
}

void make_wide_rows(const Original& original, const ReleasedTable& released) {
  const auto& [engine, spec, reading] = original;
  make_rows(engine, "rel_rows",
            fmt::format("SELECT {} AS id, label, kept, sha256({}) AS row FROM rel_people",
                        released.has("id") ? "id" : "NULL", packed(released.cells())));
  const data::Relation& people = reading.people_source;
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < spec.people.features.size(); ++i)
    cells.push_back(
        as_published("s." + people.column(spec.people.features[i]), released.type_of(fmt::format("c{}", i))));
  make_rows(
      engine, "org_rows",
      fmt::format(
          "SELECT o.id, o.label, o.kept, sha256({}) AS row FROM org_people AS o JOIN {} AS s ON {} = o.id",
          packed(cells), people.sql, as_text("s." + people.column(spec.people.id))));
}

void make_long_rows(const published::Manifest& manifest, const Original& original,
                    const ReleasedTable& released) {
  const auto& [engine, spec, reading] = original;
  make_rows(engine, "rel_rows",
            fmt::format("SELECT p.id, any_value(p.label) AS label, any_value(p.kept) AS kept, {} AS row FROM "
                        "rel_events AS e JOIN rel_people "
                        "AS p ON e.person = "
                        "p.id GROUP BY p.id",
                        hash_of_events(released.cells())));
  const data::Relation& events = reading.events_source;
  std::vector<std::string> cells;
  std::string used = may_be_published(manifest, original);
  for (const std::string& name : {spec.events.item, spec.events.value, spec.events.time}) {
    if (name.empty()) continue;
    const std::string cell = "s." + events.column(name);
    if (name != spec.events.time) used += fmt::format(" AND {} IS NOT NULL", cell);
    cells.push_back(as_published(cell, released.type_of(fmt::format("c{}", cells.size()))));
  }
  make_rows(engine, "org_rows",
            fmt::format(
                "SELECT o.id, any_value(o.label) AS label, any_value(o.kept) AS kept, {} AS row FROM {} AS "
                "s JOIN org_people AS o ON "
                "{} = o.id WHERE {} "
                "GROUP BY o.id",
                hash_of_events(cells), events.sql, as_text("s." + events.column(spec.events.person)), used));
}

bool same_names(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

[[noreturn]] void throw_other_columns(const data::Spec& spec) {
  throw InputError({.source = spec.name}, "names other columns than the release has",
                   "Give the spec that the release was made from.");
}

void refuse_other_columns(const published::Manifest& manifest, const data::Spec& spec) {
  const published::ManifestColumns& columns = manifest.columns;
  const bool same = manifest.is_long() ? columns.value.empty() == spec.events.value.empty() &&
                                             columns.time.empty() == spec.events.time.empty()
                                       : columns.features.size() == spec.people.features.size();
  if (!same || !same_names(columns.keep, spec.people.keep)) throw_other_columns(spec);
}

void refuse_other_secrets(const published::Manifest& manifest, const data::Spec& spec) {
  bool same = spec.people.secret.all.size() == manifest.kinds.size();
  for (std::size_t axis = 0; same && axis < manifest.kinds.size(); ++axis)
    same = data::kind_of_secret(spec, axis) == manifest.kinds[axis];
  if (!same) throw_other_columns(spec);
}

bool same_grid(const data::Grid& a, const data::Grid& b) {
  return a.on_earth == b.on_earth && a.cell_km == b.cell_km &&
         (!a.on_earth ||
          (a.south == b.south && a.west == b.west && a.height == b.height && a.width == b.width));
}

/// The same cells elsewhere are other places.
void check_grid(const published::Manifest& manifest, const data::People& people, Findings& findings) {
  if (!manifest.grid) return;
  const bool same = same_grid(*manifest.grid, people.space->grid.value());
  findings.add(rule("same-grid"), same,
               same ? fmt::format("cells of {} km", manifest.grid->cell_km) : "its cells lie elsewhere");
}

void check_donors(const published::Manifest& manifest, const Original& original, const LoadedRelease& release,
                  Findings& findings) {
  if (manifest.is_long())
    make_long_rows(manifest, original, release.events);
  else
    make_wide_rows(original, release.people);
  Engine& engine = original.engine;
  const std::int64_t foreign =
      count(engine, "rel_rows AS r WHERE NOT EXISTS (SELECT 1 FROM org_rows AS o WHERE o.row = r.row)");
  const std::int64_t other_group = count(engine,
                                         "rel_rows AS r WHERE NOT EXISTS (SELECT 1 FROM org_rows AS o WHERE "
                                         "o.row = r.row AND o.label = r.label)");
  findings.add_count(rule("donor-rows"), foreign, "people have features that no person has",
                     "complete rows compared");
  findings.add_count(rule("donor-groups"), other_group,
                     "people have features that no person in their group has", "complete rows compared");
  if (manifest.columns.keep.empty()) return;
  const std::int64_t other_kept = count(engine,
                                        "rel_rows AS r WHERE NOT EXISTS (SELECT 1 FROM org_rows AS o WHERE "
                                        "o.row = r.row AND o.label = r.label AND o.kept = r.kept)");
  findings.add_count(rule("donor-kept"), other_kept,
                     "people have features that no person in their group with their kept values has",
                     fmt::format("complete rows compared; kept: {}", fmt::join(manifest.columns.keep, ", ")));
}

}  // namespace

void refuse_other_release(const published::Manifest& manifest, const data::Spec& spec) {
  refuse_other_shape(manifest, spec);
  refuse_other_columns(manifest, spec);
  refuse_other_secrets(manifest, spec);
}

std::string as_published(const std::string& cell, const std::string& type) {
  if (type == "VARCHAR") return cell;
  const bool number = type == "BIGINT" || type == "DOUBLE";
  return number ? fmt::format("TRY_CAST(TRY_CAST({} AS DOUBLE) AS {})", cell, type)
                : fmt::format("TRY_CAST({} AS {})", cell, type);
}

void verify_against(const published::Manifest& manifest, const Original& original,
                    const LoadedRelease& release, const Progress& progress, Findings& findings) {
  const auto& [engine, spec, reading] = original;
  load_original(manifest, original, release.people, progress);
  engine.set_stage("comparing with the original");
  check_same_people(engine, manifest, reading, findings);
  check_spec(manifest, spec, findings);
  check_leakage_bounds(manifest, reading.people, findings);
  check_grid(manifest, reading.people, findings);
  check_true_groups(engine, manifest, findings);
  check_kept(engine, manifest, findings);
  recount_constraints(engine, manifest, findings);
  recount_pools(engine, manifest, findings);
  check_nothing_exact(engine, manifest, findings);
  check_no_column_is_the_secret(engine, manifest, spec, reading.people_source, "feature",
                                spec.people.features, findings);
  check_no_column_is_the_secret(engine, manifest, spec, reading.people_source, "kept", spec.people.keep,
                                findings);
  if (manifest.rows == data::PublishedRows::Composed) {
    check_composed(manifest, original, release,
                   manifest.is_long() ? may_be_published(manifest, original) : "true", progress, findings);
    return;  // whose draw is whose cannot be seen
  }
  check_donors(manifest, original, release, findings);
  check_draws(manifest, original, progress, findings);
}

}  // namespace hyobscure::verify
