#include "hyobscure/release/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/text.h"
#include "hyobscure/data/read.h"
#include "hyobscure/data/source.h"
#include "hyobscure/release/manifest.h"

namespace hyobscure::release {
namespace {

namespace fs = std::filesystem;
using data::Engine;
using data::quoted_name;
using data::quoted_text;
using obscure::Cover;
using obscure::Group;

// --- small pieces of SQL

std::string as_text(const std::string& cell) { return fmt::format("CAST({} AS VARCHAR)", cell); }

/// Empty text and no text are one in a CSV file.
std::string comparable(const std::string& cell) { return fmt::format("nullif({}, '')", as_text(cell)); }

/// Cells as one text that no other cells give: every cell stands behind its length.
std::string packed(const std::vector<std::string>& cells) {
  if (cells.empty()) return "''";
  std::vector<std::string> parts;
  for (const std::string& cell : cells)
    parts.push_back(fmt::format("coalesce(strlen({0}) || ':' || {0}, '-')", comparable(cell)));
  return fmt::format("{}", fmt::join(parts, " || "));
}

std::int64_t count(Engine& engine, const std::string& from_where) {
  return engine.integers("SELECT count(*) FROM " + from_where)[0];
}

/// Rows of each group of a table, by label; a missing label is "".
std::map<std::string, std::int64_t> count_by_label(Engine& engine, const std::string& what,
                                                   const std::string& from) {
  std::map<std::string, std::int64_t> counts;
  engine.query(fmt::format("SELECT coalesce(label, ''), CAST({} AS BIGINT) FROM {} GROUP BY 1", what, from),
               [&](const data::Chunk& chunk) {
                 for (std::size_t row = 0; row < chunk.rows(); ++row)
                   counts[std::string(chunk.text(0, row))] += chunk.integers(1)[row];
               });
  return counts;
}

std::string limits_text(double least, double most) { return fmt::format("{} to {}", least, most); }

// --- collecting what was found

class Findings {
 public:
  void add(std::string name, bool passed, std::string detail) {
    checks_.push_back({std::move(name), passed, std::move(detail), false});
  }
  void add_warning(std::string name, bool passed, std::string detail) {
    checks_.push_back({std::move(name), passed, std::move(detail), true});
  }
  /// Passes when nothing was found wrong; otherwise the detail lists it.
  void add(std::string name, const std::vector<std::string>& wrong, const std::string& detail) {
    add(std::move(name), wrong.empty(), wrong.empty() ? detail : fmt::format("{}", fmt::join(wrong, "; ")));
  }
  /// Passes when `wrong` is 0.
  void add_count(std::string name, std::int64_t wrong, const std::string& of_what,
                 const std::string& detail) {
    add(std::move(name), wrong == 0, wrong == 0 ? detail : fmt::format("{} {}", wrong, of_what));
  }
  Verification finish() { return {std::move(checks_)}; }

 private:
  std::vector<Check> checks_;
};

// --- the folder

void check_seal(const Manifest& manifest, Findings& findings) {
  findings.add("the manifest is as it was written", manifest.seal_intact,
               manifest.seal_intact
                   ? "its seal fits"
                   : fmt::format("{} was edited: its seal does not fit", Manifest::kFileName));
}

void check_not_a_trial(const Manifest& manifest, Findings& findings) {
  findings.add_warning(
      "the draws come from a secret key", !manifest.seeded,
      manifest.seeded ? "trial release, drawn from a seed: must not be published" : "not from a seed");
}

void check_no_other_files(const fs::path& folder, const Manifest& manifest, Findings& findings) {
  std::set<std::string> expected = {Manifest::kFileName};
  for (const ManifestFile& file : manifest.files) expected.insert(file.name);
  std::vector<std::string> unexpected;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!expected.contains(entry.path().filename().string()))
      unexpected.push_back(entry.path().filename().string() + " does not belong to the release");
  std::ranges::sort(unexpected);
  findings.add("there are no other files", unexpected, fmt::format("{} files", expected.size()));
}

/// Whether all files are there; changed ones can still be looked into.
bool check_files(const fs::path& folder, const Manifest& manifest, Findings& findings) {
  std::vector<std::string> missing, changed;
  for (const ManifestFile& file : manifest.files)
    if (!fs::is_regular_file(folder / file.name))
      missing.push_back(file.name + " is missing");
    else if (sha256_of_file(folder / file.name) != file.sha256)
      changed.push_back(file.name + " was edited: its SHA-256 is not that of the manifest");
  findings.add("all files are there", missing, fmt::format("{} beside the manifest", manifest.files.size()));
  findings.add("the files are as they were written", changed, "SHA-256 of each");
  return missing.empty();
}

// --- loading the release: tables rel_people (id, label, k0, k1, ..., c0, c1, ..., kept) and rel_events
// (person, c0, c1, ...); `kept` is k0, k1, ... as one text

/// A file of the release, and what its columns are called in ours.
struct ReleasedTable {
  std::string file;
  std::string table;
  std::vector<std::string> names;          ///< as declared
  std::vector<std::string> roles;          ///< id, label, person, k0, k1, ..., c0, c1, ...
  std::vector<data::Column> columns = {};  ///< as found

  std::string type_of(const std::string& role) const {
    return columns[static_cast<std::size_t>(std::ranges::find(roles, role) - roles.begin())].type;
  }
  bool has(const std::string& role) const { return std::ranges::find(roles, role) != roles.end(); }
  /// Roles of the cells that come from the donor.
  std::vector<std::string> cells() const { return roles_of('c'); }
  /// Roles of the cells that are the person's own.
  std::vector<std::string> kept_cells() const { return roles_of('k'); }
  void add(const std::string& name, const std::string& role) {
    if (name.empty()) return;
    names.push_back(name);
    roles.push_back(role);
  }

 private:
  std::vector<std::string> roles_of(char kind) const {
    std::vector<std::string> result;
    std::ranges::copy_if(roles, std::back_inserter(result),
                         [&](const auto& role) { return role[0] == kind; });
    return result;
  }
};

ReleasedTable people_table(const Manifest& manifest) {
  ReleasedTable table{.file = manifest.people_file(), .table = "rel_people", .names = {}, .roles = {}};
  table.add(manifest.columns.id, "id");
  table.add(manifest.columns.secret, "label");
  for (const std::string& column : manifest.columns.keep)
    table.add(column, fmt::format("k{}", table.kept_cells().size()));
  for (const std::string& feature : manifest.columns.features)
    table.add(feature, fmt::format("c{}", table.cells().size()));
  return table;
}

ReleasedTable events_table(const Manifest& manifest) {
  ReleasedTable table{.file = manifest.events_file(), .table = "rel_events", .names = {}, .roles = {}};
  table.add(manifest.columns.person, "person");
  for (const std::string& name : {manifest.columns.item, manifest.columns.value, manifest.columns.time})
    table.add(name, fmt::format("c{}", table.cells().size()));
  return table;
}

std::string reader(const Manifest& manifest, const fs::path& file, const std::string& options) {
  const std::string path = quoted_text(fs::absolute(file).string());
  if (manifest.format == "parquet") return fmt::format("read_parquet({})", path);
  return fmt::format("read_csv({}, header = true, delim = ',', quote = '\"', escape = '\"', {})", path,
                     options);
}

std::string typed_as_text(const std::vector<std::string>& names) {
  std::vector<std::string> columns;
  for (const std::string& name : names) columns.push_back(quoted_text(name) + ": 'VARCHAR'");
  return fmt::format("auto_detect = false, columns = {{{}}}", fmt::join(columns, ", "));
}

void load_table(Engine& engine, const Manifest& manifest, const fs::path& file, const ReleasedTable& table) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const bool key = table.roles[i] == "id" || table.roles[i] == "label" || table.roles[i] == "person";
    const std::string name = quoted_name(table.names[i]);
    columns.push_back(fmt::format("{} AS {}", key ? as_text(name) : name, table.roles[i]));
  }
  engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS SELECT *, {} AS kept FROM (SELECT {} FROM {})",
                         table.table, packed(table.kept_cells()), fmt::join(columns, ", "),
                         reader(manifest, file, typed_as_text(table.names))));
}

/// Whether the table is loaded. A table with wrong columns is not: nothing below would mean anything.
bool check_columns_and_load(Engine& engine, const Manifest& manifest, const fs::path& folder,
                            ReleasedTable& table, Findings& findings) {
  const std::string name = fmt::format("the columns of {} are the declared ones", table.file);
  const auto fail = [&](const std::string& why) {
    findings.add(name, false, why);
    return false;
  };
  try {
    table.columns = engine.describe(reader(manifest, folder / table.file, "all_varchar = true"));
    std::vector<std::string> found;
    for (const data::Column& column : table.columns) found.push_back(column.name);
    if (found != table.names)
      return fail(fmt::format("{} has {} columns, and not just {}", table.file, found.size(),
                              fmt::join(table.names, ", ")));
    load_table(engine, manifest, folder / table.file, table);
  } catch (const data::EngineError& error) {
    return fail(fmt::format("{}: {}", table.file, explain(error, table.file).problem()));
  }
  findings.add(name, true, fmt::format("{}", fmt::join(table.names, ", ")));
  return true;
}

void check_row_counts(Engine& engine, const ManifestFile& file, const ReleasedTable& table,
                      Findings& findings) {
  const std::int64_t rows = count(engine, table.table);
  findings.add(fmt::format("{} has the declared number of rows", table.file), rows == file.rows,
               rows == file.rows ? fmt::format("{} rows", rows)
                                 : fmt::format("{} rows, {} declared", rows, file.rows));
}

// --- groups and labels

/// Where the range of `next` does not lie wholly above that of `cover`.
bool overlaps(const Cover& cover, const Cover& next) {
  if (!cover.high || !next.low) return true;
  return cover.high_included ? *next.low <= *cover.high : *next.low < *cover.high;
}

void check_group_ranges(const Manifest& manifest, Findings& findings) {
  std::vector<std::string> wrong;
  std::set<std::string> labels;
  for (std::size_t g = 0; g < manifest.groups.size(); ++g) {
    const Group& group = manifest.groups[g];
    const Cover& cover = group.covers[0];
    if (!labels.insert(group.label).second || group.label.empty())
      wrong.push_back("a label is empty or occurs twice");
    if (cover.low && cover.high && *cover.low > *cover.high)
      wrong.push_back(group.label + " ends before it begins");
    if (g > 0 && overlaps(manifest.groups[g - 1].covers[0], cover))
      wrong.push_back(
          fmt::format("{} and {} overlap or are not in order", manifest.groups[g - 1].label, group.label));
  }
  findings.add("groups are in order and do not overlap", wrong,
               fmt::format("{} groups", manifest.groups.size()));
}

/// How many whole numbers the range holds; absent where it is open.
std::optional<double> whole_numbers_in(const Cover& cover) {
  if (!cover.low || !cover.high) return std::nullopt;
  const double last = cover.high_included ? std::floor(*cover.high) : std::ceil(*cover.high) - 1;
  return last - std::ceil(*cover.low) + 1;
}

void check_declared_values(const Manifest& manifest, Findings& findings) {
  std::vector<std::string> wrong, too_many;
  for (const Group& group : manifest.groups) {
    const auto values = static_cast<double>(group.values);
    if (values < manifest.least_values || values > manifest.most_values)
      wrong.push_back(fmt::format("{} has {} values", group.label, group.values));
    const auto room = whole_numbers_in(group.covers[0]);
    if (manifest.whole_numbers && room && values > *room)
      too_many.push_back(
          fmt::format("{} declares {} values, its range holds {}", group.label, group.values, *room));
  }
  const std::string limits = limits_text(manifest.least_values, manifest.most_values);
  findings.add("declared values per group are within (l, beta)", wrong, limits);
  findings.add("the range of a group holds its declared values", too_many, "as whole numbers");
}

/// l = 1 is the steward's choice, but it publishes the secret of whole groups.
void check_single_values(const Manifest& manifest, Findings& findings) {
  std::vector<std::string> exact;
  for (const Group& group : manifest.groups)
    if (group.values == 1)
      exact.push_back(fmt::format("{} holds one value: it publishes the exact secret", group.label));
  findings.add_warning(
      "no group is a single value", exact.empty(),
      exact.empty() ? "every group has at least two" : fmt::format("{}", fmt::join(exact, "; ")));
}

void check_labels(Engine& engine, const Manifest& manifest, const std::map<std::string, std::int64_t>& people,
                  Findings& findings) {
  std::set<std::string> declared;
  for (const Group& group : manifest.groups) declared.insert(group.label);
  std::int64_t undeclared = 0;
  for (const auto& [label, number] : people) undeclared += declared.contains(label) ? 0 : number;
  findings.add_count("every label is a declared group", undeclared, "people have a label that is none",
                     "all people");

  std::vector<std::string> empty;
  for (const std::string& label : declared)
    if (!people.contains(label)) empty.push_back("nobody is in " + label);
  findings.add("every declared group occurs", empty, fmt::format("{} groups", declared.size()));

  // A number is a label only where its whole group is that one value; check_single_values tells that.
  const std::int64_t numbers = count(
      engine,
      "rel_people WHERE TRY_CAST(label AS DOUBLE) IS NOT NULL AND label NOT IN (SELECT label FROM rel_groups "
      "WHERE declared_values = 1)");
  findings.add_count("the secret column holds no plain numbers", numbers, "people have a number there",
                     "labels only");
}

void check_people_per_group(const Manifest& manifest, const std::map<std::string, std::int64_t>& people,
                            Findings& findings) {
  std::vector<std::string> outside, different;
  for (const Group& group : manifest.groups) {
    const auto found = people.find(group.label);
    const std::int64_t number = found == people.end() ? 0 : found->second;
    const auto size = static_cast<double>(number);
    if (size < manifest.least_people || size > manifest.most_people)
      outside.push_back(fmt::format("{} has {} people", group.label, number));
    if (number != group.people)
      different.push_back(fmt::format("{} has {} people, {} declared", group.label, number, group.people));
  }
  findings.add("people per group are within (k, alpha)", outside,
               limits_text(manifest.least_people, manifest.most_people));
  findings.add("people per group are as declared", different,
               fmt::format("{} groups", manifest.groups.size()));
}

void load_groups(Engine& engine, const Manifest& manifest) {
  engine.run(
      "CREATE OR REPLACE TEMP TABLE rel_groups (label VARCHAR, low DOUBLE, high DOUBLE, high_included "
      "BOOLEAN, "
      "declared_values BIGINT)");
  const auto bound = [](const std::optional<double>& x) { return x ? fmt::format("{:.17g}", *x) : "NULL"; };
  for (const Group& group : manifest.groups)
    engine.run(fmt::format("INSERT INTO rel_groups VALUES ({}, {}, {}, {}, {})", quoted_text(group.label),
                           bound(group.covers[0].low), bound(group.covers[0].high),
                           group.covers[0].high_included, group.values));
}

/// Whoever shares a group and the kept cells with nobody can have no donor but themselves.
void check_nobody_is_alone(Engine& engine, const Manifest& manifest, Findings& findings) {
  if (manifest.columns.keep.empty()) return;
  const std::int64_t alone =
      count(engine, "(SELECT 1 FROM rel_people GROUP BY label, kept HAVING count(*) = 1)");
  findings.add_warning("nobody is alone in their group with their kept values", alone == 0,
                       alone == 0
                           ? fmt::format("kept: {}", fmt::join(manifest.columns.keep, ", "))
                           : fmt::format("{} people are, and are published with their own features", alone));
}

// --- ids and events

void check_ids(Engine& engine, const Manifest& manifest, Findings& findings) {
  if (manifest.ids == "drop") return;
  const std::int64_t repeated = engine.integers("SELECT count(*) - count(DISTINCT id) FROM rel_people")[0];
  findings.add_count("ids are unique", repeated, "rows have no id, or one that occurs before",
                     "one row a person");
}

void check_events(Engine& engine, const Manifest& manifest, Findings& findings) {
  findings.add_count(
      "every event belongs to a published person",
      count(engine,
            "rel_events WHERE person IS NULL OR person NOT IN (SELECT id FROM rel_people WHERE id IS "
            "NOT NULL)"),
      "events do not", "all events");
  findings.add_count(
      "every person has events",
      count(engine, "rel_people WHERE id NOT IN (SELECT person FROM rel_events WHERE person IS NOT NULL)"),
      "people have none", "all people");
  const std::string no_number =
      manifest.columns.value.empty()
          ? ""
          : " OR TRY_CAST(c1 AS DOUBLE) IS NULL OR NOT isfinite(TRY_CAST(c1 AS DOUBLE))";
  findings.add_count("every event is complete", count(engine, "rel_events WHERE c0 IS NULL" + no_number),
                     "events lack their item, or a number as value", "all events");
}

/// Files alone. Whether the tables could be loaded, so that they can be compared with the original.
struct LoadedRelease {
  ReleasedTable people;
  ReleasedTable events;
  bool complete = false;
};

LoadedRelease verify_alone(Engine& engine, const fs::path& folder, const Manifest& manifest,
                           Findings& findings) {
  check_seal(manifest, findings);
  check_not_a_trial(manifest, findings);
  check_no_other_files(folder, manifest, findings);
  check_group_ranges(manifest, findings);
  check_declared_values(manifest, findings);
  check_single_values(manifest, findings);

  LoadedRelease release{people_table(manifest), events_table(manifest)};
  if (!check_files(folder, manifest, findings)) return release;
  if (!check_columns_and_load(engine, manifest, folder, release.people, findings)) return release;
  load_groups(engine, manifest);
  const auto people = count_by_label(engine, "count(*)", "rel_people");
  check_row_counts(engine, manifest.files[0], release.people, findings);
  check_labels(engine, manifest, people, findings);
  check_people_per_group(manifest, people, findings);
  check_nobody_is_alone(engine, manifest, findings);
  check_ids(engine, manifest, findings);
  if (manifest.is_long()) {
    if (!check_columns_and_load(engine, manifest, folder, release.events, findings)) return release;
    check_row_counts(engine, manifest.files[1], release.events, findings);
    check_events(engine, manifest, findings);
  }
  release.complete = true;
  return release;
}

// --- against the original: table org_people (id, secret, label, kept), label by the ranges of the manifest,
// kept as in rel_people

void refuse_other_shape(const Manifest& manifest, const data::Spec& spec) {
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

/// Kept cells come from the source itself, not from what reading made of them: publish takes that.
void load_original(Engine& engine, const data::Spec& spec, const ReleasedTable& released) {
  std::vector<std::string> kept;
  std::string source;
  if (!spec.people.keep.empty()) {
    const data::Relation people = open_source(engine, spec, spec.people.source, "people");
    for (const std::string& name : spec.people.keep)
      kept.push_back(as_kept("s." + people.column(name), released.type_of(fmt::format("k{}", kept.size()))));
    source =
        fmt::format(" JOIN {} AS s ON {} = p.id", people.sql, as_text("s." + people.column(spec.people.id)));
  }
  engine.run(fmt::format(
      "CREATE OR REPLACE TEMP TABLE org_people AS SELECT p.id, p.secret, g.label, {} AS kept FROM hyo_kept "
      "AS "
      "p{} LEFT JOIN rel_groups AS g ON (g.low IS NULL OR p.secret >= g.low) AND (g.high IS NULL OR p.secret "
      "< g.high OR (g.high_included AND p.secret = g.high))",
      packed(kept), source));
}

void check_same_people(Engine& engine, const Manifest& manifest, Findings& findings) {
  const std::int64_t original = count(engine, "hyo_kept"), published = count(engine, "rel_people");
  findings.add("as many people as in the original", original == published,
               original == published ? fmt::format("{} people", original)
                                     : fmt::format("{} published, {} in the original", published, original));
  const std::int64_t known =
      manifest.ids == "drop" ? 0 : count(engine, "rel_people WHERE id IN (SELECT id FROM org_people)");
  if (manifest.ids == "keep")
    findings.add_count("the published people are those of the original", published - known, "people are not",
                       "by their ids");
  if (manifest.ids == "replace")
    findings.add_count("no original id is published", known, "ids of the original are", "all ids are new");
}

void check_true_groups(Engine& engine, const Manifest& manifest, Findings& findings) {
  findings.add_count("every true secret is in one declared group",
                     count(engine, "(SELECT id FROM org_people GROUP BY id HAVING count(label) <> 1)"),
                     "people are in none or two", "all people");
  if (manifest.ids == "keep") {
    findings.add_count(
        "every label covers the true secret",
        count(engine,
              "rel_people AS p WHERE NOT EXISTS (SELECT 1 FROM org_people AS o WHERE o.id = p.id AND "
              "o.label = p.label)"),
        "people have another label", "all people");
    return;
  }
  const auto published = count_by_label(engine, "count(*)", "rel_people");
  const auto original = count_by_label(engine, "count(*)", "org_people");
  findings.add("groups are as large as in the original", published == original,
               published == original ? fmt::format("{} groups", original.size()) : "some are not");
}

void check_kept(Engine& engine, const Manifest& manifest, Findings& findings) {
  if (manifest.columns.keep.empty()) return;
  const std::string columns = fmt::format("{}", fmt::join(manifest.columns.keep, ", "));
  if (manifest.ids == "keep") {
    findings.add_count(
        "kept columns hold the person's own values",
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
  findings.add_count("every group has the kept values of the original",
                     more_in("rel_people", "org_people") + more_in("org_people", "rel_people"),
                     "counts of people with the same values differ", columns);
}

void recount_constraints(Engine& engine, const Manifest& manifest, Findings& findings) {
  auto people = count_by_label(engine, "count(*)", "org_people");
  auto values = count_by_label(engine, "count(DISTINCT secret)", "org_people");
  std::vector<std::string> few_or_many, values_outside, different;
  for (const Group& group : manifest.groups) {
    const auto size = static_cast<double>(people[group.label]),
               distinct = static_cast<double>(values[group.label]);
    if (size < manifest.least_people || size > manifest.most_people)
      few_or_many.push_back(fmt::format("{} has {} people", group.label, size));
    if (distinct < manifest.least_values || distinct > manifest.most_values)
      values_outside.push_back(fmt::format("{} has {} values", group.label, distinct));
    if (people[group.label] != group.people || values[group.label] != group.values)
      different.push_back(fmt::format("{} holds {} people and {} values", group.label, size, distinct));
  }
  findings.add("(k, alpha) holds for the true secrets", few_or_many,
               limits_text(manifest.least_people, manifest.most_people));
  findings.add("(l, beta) holds for the true secrets", values_outside,
               limits_text(manifest.least_values, manifest.most_values));
  findings.add("the manifest counts people and values truly", different,
               fmt::format("{} groups", manifest.groups.size()));
}

/// The release by its labels must not be an exact value of the original.
void check_nothing_exact(Engine& engine, Findings& findings) {
  const std::int64_t exact = count(engine,
                                   "rel_people WHERE TRY_CAST(label AS DOUBLE) IN (SELECT secret FROM "
                                   "org_people) AND label NOT IN (SELECT label "
                                   "FROM rel_groups WHERE declared_values = 1)");
  findings.add_count("no exact secret is published", exact, "labels are exact values",
                     "labels are no values of the original");
}

/// A query may give the secret a second name; as a feature or kept column it would be published as it is.
void check_no_column_is_the_secret(Engine& engine, const data::Spec& spec, const std::string& kind,
                                   const std::vector<std::string>& columns, Findings& findings) {
  if (columns.empty()) return;
  const data::Relation people = open_source(engine, spec, spec.people.source, "people");
  std::vector<std::string> wrong;
  for (const std::string& name : columns) {
    const std::int64_t different =
        count(engine, fmt::format("{} AS s JOIN org_people AS o ON {} = o.id WHERE TRY_CAST({} AS DOUBLE) IS "
                                  "DISTINCT FROM o.secret",
                                  people.sql, as_text("s." + people.column(spec.people.id)),
                                  as_text("s." + people.column(name))));
    if (different == 0) wrong.push_back(fmt::format("column {} holds the secret of everybody", name));
  }
  findings.add(fmt::format("no {} column is the secret", kind), wrong,
               fmt::format("{} columns", columns.size()));
}

// --- donors: tables rel_rows and org_rows (label, kept, row), `row` being a hash of all feature cells of a
// person

/// A cell of the original, as it reads after it went through the type of the published column.
std::string as_published(const std::string& cell, const std::string& type) {
  if (type == "VARCHAR") return cell;
  const bool number = type == "BIGINT" || type == "DOUBLE";
  return number ? fmt::format("TRY_CAST(TRY_CAST({} AS DOUBLE) AS {})", cell, type)
                : fmt::format("TRY_CAST({} AS {})", cell, type);
}

std::string hash_of_events(const std::vector<std::string>& cells) {
  const std::string event = packed(cells);
  return fmt::format("sha256(string_agg({0}, ';' ORDER BY {0}))", event);
}

void make_rows(Engine& engine, const std::string& table, const std::string& select) {
  engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS {}", table, select));
}

void make_wide_rows(Engine& engine, const data::Spec& spec, const ReleasedTable& released) {
  make_rows(engine, "rel_rows",
            fmt::format("SELECT {} AS id, label, kept, sha256({}) AS row FROM rel_people",
                        released.has("id") ? "id" : "NULL", packed(released.cells())));
  const data::Relation people = open_source(engine, spec, spec.people.source, "people");
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

void make_long_rows(Engine& engine, const data::Spec& spec, const ReleasedTable& released) {
  make_rows(engine, "rel_rows",
            fmt::format("SELECT p.id, any_value(p.label) AS label, any_value(p.kept) AS kept, {} AS row FROM "
                        "rel_events AS e JOIN rel_people "
                        "AS p ON e.person = "
                        "p.id GROUP BY p.id",
                        hash_of_events(released.cells())));
  const data::Relation events = open_source(engine, spec, spec.events.source, "events");
  std::vector<std::string> cells;
  std::string complete = "true";
  for (const std::string& name : {spec.events.item, spec.events.value, spec.events.time}) {
    if (name.empty()) continue;
    const std::string cell = "s." + events.column(name);
    if (name != spec.events.time) complete += fmt::format(" AND {} IS NOT NULL", cell);
    cells.push_back(as_published(cell, released.type_of(fmt::format("c{}", cells.size()))));
  }
  make_rows(
      engine, "org_rows",
      fmt::format("SELECT o.id, any_value(o.label) AS label, any_value(o.kept) AS kept, {} AS row FROM {} AS "
                  "s JOIN org_people AS o ON "
                  "{} = o.id WHERE {} "
                  "GROUP BY o.id",
                  hash_of_events(cells), events.sql, as_text("s." + events.column(spec.events.person)),
                  complete));
}

bool same_names(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

void refuse_other_columns(const Manifest& manifest, const data::Spec& spec) {
  const ManifestColumns& columns = manifest.columns;
  const bool same = manifest.is_long() ? columns.value.empty() == spec.events.value.empty() &&
                                             columns.time.empty() == spec.events.time.empty()
                                       : columns.features.size() == spec.people.features.size();
  if (!same || !same_names(columns.keep, spec.people.keep))
    throw InputError({.source = spec.name}, "names other columns than the release has",
                     "Give the spec that the release was made from.");
}

void check_donors(Engine& engine, const Manifest& manifest, const data::Spec& spec,
                  const LoadedRelease& release, Findings& findings) {
  if (manifest.is_long())
    make_long_rows(engine, spec, release.events);
  else
    make_wide_rows(engine, spec, release.people);
  const std::int64_t foreign =
      count(engine, "rel_rows AS r WHERE NOT EXISTS (SELECT 1 FROM org_rows AS o WHERE o.row = r.row)");
  const std::int64_t other_group = count(engine,
                                         "rel_rows AS r WHERE NOT EXISTS (SELECT 1 FROM org_rows AS o WHERE "
                                         "o.row = r.row AND o.label = r.label)");
  findings.add_count("published features are somebody's true features", foreign,
                     "people have features of nobody", "complete rows compared");
  findings.add_count("every donor is of the same group", other_group,
                     "people have features of nobody in their group", "complete rows compared");
  if (manifest.columns.keep.empty()) return;
  const std::int64_t other_kept = count(engine,
                                        "rel_rows AS r WHERE NOT EXISTS (SELECT 1 FROM org_rows AS o WHERE "
                                        "o.row = r.row AND o.label = r.label AND o.kept = r.kept)");
  findings.add_count("every donor is of the same group and has the same kept values", other_kept,
                     "people have features of nobody in their group with their kept values",
                     fmt::format("complete rows compared; kept: {}", fmt::join(manifest.columns.keep, ", ")));
}

void verify_against(Engine& engine, const Manifest& manifest, const data::Spec& spec,
                    const LoadedRelease& release, Findings& findings) {
  refuse_other_shape(manifest, spec);
  refuse_other_columns(manifest, spec);
  (void)data::read_people(engine, spec);
  load_original(engine, spec, release.people);
  engine.set_stage("comparing with the original");
  check_same_people(engine, manifest, findings);
  check_true_groups(engine, manifest, findings);
  check_kept(engine, manifest, findings);
  recount_constraints(engine, manifest, findings);
  check_nothing_exact(engine, findings);
  check_no_column_is_the_secret(engine, spec, "feature", spec.people.features, findings);
  check_no_column_is_the_secret(engine, spec, "kept", spec.people.keep, findings);
  check_donors(engine, manifest, spec, release, findings);
}

}  // namespace

bool Verification::passed() const {
  return std::ranges::all_of(checks, [](const Check& check) { return check.passed || check.warning; });
}

namespace {

/// Looks at everything; leaves the tables of both sides in the engine.
Verification verify_in(Engine& engine, const fs::path& folder, const Manifest& manifest,
                       const data::Spec* original) {
  Findings findings;
  engine.set_stage("checking the release");
  const LoadedRelease release = verify_alone(engine, folder, manifest, findings);
  if (original != nullptr && release.complete) try {
      verify_against(engine, manifest, *original, release, findings);
    } catch (const data::EngineError& error) {
      throw explain(error, original->name);
    }
  return findings.finish();
}

Manifest manifest_in(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError({.source = folder.string()}, "there is no such folder",
                     "Give the folder that `hyobscure publish` wrote.");
  if (!fs::exists(folder / Manifest::kFileName))
    throw InputError({.source = folder.string()}, "this is not a release: it has no manifest.json",
                     "Give the folder that `hyobscure publish` wrote.");
  return read_manifest(folder / Manifest::kFileName);
}

}  // namespace

Verification verify(const fs::path& folder, const data::Spec* original, const Progress& progress,
                    data::EngineSettings settings) {
  const Manifest manifest = manifest_in(folder);
  settings.folder = original == nullptr ? folder : original->folder;
  if (settings.threads == 0) settings.threads = thread_count();
  Engine engine(settings, progress);
  return verify_in(engine, folder, manifest, original);
}

std::vector<PublishedRow> published_rows(const fs::path& folder, const data::Spec& original,
                                         const Progress& progress, data::EngineSettings settings) {
  const Manifest manifest = manifest_in(folder);
  if (manifest.ids != "keep")
    throw InputError({.source = folder.string()},
                     "its ids are not kept, so its rows cannot be told apart by person",
                     "Give the mechanism as well (-m): it knows who has whose features.");
  settings.folder = original.folder;
  if (settings.threads == 0) settings.threads = thread_count();
  Engine engine(settings, progress);
  if (!verify_in(engine, folder, manifest, &original).passed())
    throw InputError({.source = folder.string()}, "is not a release of this data, or was changed",
                     fmt::format("Run `hyobscure verify {} --against {}`, which says what is wrong.",
                                 folder.string(), original.name));
  std::vector<PublishedRow> rows;
  engine.query(
      "SELECT r.id, min(o.id) FROM rel_rows AS r JOIN org_rows AS o ON o.row = r.row AND o.label = r.label "
      "AND o.kept "
      "= r.kept GROUP BY r.id ORDER BY r.id",
      [&](const data::Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row)
          rows.push_back({std::string(chunk.text(0, row)), std::string(chunk.text(1, row))});
      });
  return rows;
}

}  // namespace hyobscure::release
