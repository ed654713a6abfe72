#include "hyobscure/verify/verify_composed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/verify/verify_original.h"

namespace hyobscure::verify {
namespace {

using data::Engine;
using data::FeatureKind;
using published::Manifest;

constexpr const char* kPool = "label, kept";

/// What is wrong with the entries of a release, summed up over its columns.
struct WrongEntries {
  std::int64_t of_nobody = 0;   ///< nobody of the pool has it
  std::int64_t of_too_few = 0;  ///< fewer than `owners` of the pool have its item
};

/// Of two tables (id, label, kept, item, entry): the published entries, and the true ones. `points`: items
/// point at those who have them.
WrongEntries wrong_entries(Engine& engine, const std::string& published, const std::string& original,
                           int owners, bool points) {
  WrongEntries wrong;
  wrong.of_nobody =
      count(engine,
            fmt::format("(SELECT DISTINCT {0}, entry FROM {1}) AS r WHERE NOT EXISTS (SELECT 1 FROM {2} AS o "
                        "WHERE o.entry = r.entry AND o.label = r.label AND o.kept = r.kept)",
                        kPool, published, original));
  if (points)
    wrong.of_too_few =
        count(engine,
              fmt::format(
                  "(SELECT DISTINCT {0}, item FROM {1}) AS r LEFT JOIN (SELECT {0}, item, count(DISTINCT id) "
                  "AS people FROM {2} GROUP BY {0}, item) AS o ON o.item = r.item AND o.label = r.label AND "
                  "o.kept = r.kept WHERE coalesce(o.people, 0) < {3}",
                  kPool, published, original, owners));
  return wrong;
}

void make_table(Engine& engine, const std::string& name, const std::string& query) {
  engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE {} AS {}", name, query));
}

// --- long data: entries are events

/// Who has an event, of a query (id, label, kept, item, entry), as a row of theirs.
std::string rows_of_entries(const std::string& table) {
  return fmt::format(
      "SELECT id, any_value(label) AS label, any_value(kept) AS kept, sha256(string_agg(entry, ';' ORDER BY "
      "entry)) AS row FROM {} GROUP BY id",
      table);
}

WrongEntries look_at_events(const Manifest& manifest, const Original& original, const LoadedRelease& release,
                            const std::string& used) {
  const auto& [engine, spec, reading] = original;
  const data::Relation& events = reading.events_source;
  std::vector<std::string> theirs, cells;
  for (const std::string& cell : release.events.cells()) cells.push_back("e." + cell);
  std::string condition = used;
  for (const std::string& name : {spec.events.item, spec.events.value, spec.events.time}) {
    if (name.empty()) continue;
    const std::string cell = "s." + events.column(name);
    if (name != spec.events.time) condition += fmt::format(" AND {} IS NOT NULL", cell);
    theirs.push_back(as_published(cell, release.events.type_of(fmt::format("c{}", theirs.size()))));
  }
  make_table(engine, "rel_entries",
             fmt::format("SELECT p.id, p.label, p.kept, {} AS item, {} AS entry FROM rel_events AS e JOIN "
                         "rel_people AS p ON e.person = p.id",
                         as_text(cells[0]), packed(cells)));
  make_table(engine, "org_entries",
             fmt::format("SELECT o.id, o.label, o.kept, {} AS item, {} AS entry FROM {} AS s JOIN org_people "
                         "AS o ON {} = o.id WHERE {}",
                         as_text(theirs[0]), packed(theirs), events.sql,
                         as_text("s." + events.column(spec.events.person)), condition));
  make_table(engine, "rel_rows", rows_of_entries("rel_entries"));
  make_table(engine, "org_rows", rows_of_entries("org_entries"));
  return wrong_entries(engine, "rel_entries", "org_entries", manifest.composed.owners, true);
}

// --- wide data: entries are cells, or elements of sets

/// SQL: the elements of a set as a list, each once, in their order.
std::string elements(const std::string& cell, const data::Spec& spec, bool list) {
  const std::string parts = list ? fmt::format("TRY_CAST({} AS VARCHAR[])", cell)
                                 : fmt::format("string_split(CAST({} AS VARCHAR), {})", cell,
                                               data::quoted_text(spec.people.set_separator));
  return fmt::format("list_sort(list_distinct(list_filter({}, x -> x <> '')))", parts);
}

/// A column in both tables, in one form.
struct Column {
  FeatureKind kind;
  std::string published, original;  ///< SQL, of rel_people and of the source
};

std::vector<Column> columns_of(const Original& original, const ReleasedTable& released) {
  const auto& [engine, spec, reading] = original;
  const data::Relation& people = reading.people_source;
  std::vector<Column> columns;
  for (std::size_t i = 0; i < spec.people.features.size(); ++i) {
    const std::string& name = spec.people.features[i];
    const std::string role = fmt::format("c{}", i), cell = "s." + people.column(name);
    const FeatureKind kind = data::feature_kind(spec, people, name);
    if (kind == FeatureKind::Set) {
      const bool list = people.type(name).ends_with("[]");
      columns.push_back({kind, elements("p." + role, spec, list), elements(cell, spec, list)});
    } else {
      columns.push_back({kind, "p." + role, as_published(cell, released.type_of(role))});
    }
  }
  return columns;
}

/// Entries (id, label, kept, item, entry) of one column of a table.
std::string entries_of(const std::string& table, std::size_t column, FeatureKind kind) {
  const std::string cell =
      kind == FeatureKind::Set ? fmt::format("unnest(x{})", column) : as_text(fmt::format("x{}", column));
  return fmt::format(
      "(SELECT id, label, kept, entry AS item, entry FROM (SELECT id, label, kept, {} AS entry FROM {}) "
      "WHERE "
      "entry IS NOT NULL AND entry <> '')",
      cell, table);
}

WrongEntries look_at_cells(const Manifest& manifest, const Original& original, const LoadedRelease& release,
                           const Progress& progress) {
  const auto& [engine, spec, reading] = original;
  const std::vector<Column> columns = columns_of(original, release.people);
  std::vector<std::string> published, theirs, texts;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    published.push_back(fmt::format("{} AS x{}", columns[c].published, c));
    theirs.push_back(fmt::format("{} AS x{}", columns[c].original, c));
    texts.push_back(columns[c].kind == FeatureKind::Set
                        ? fmt::format("array_to_string(coalesce(x{}, []), chr(31))", c)
                        : fmt::format("x{}", c));
  }
  make_table(
      engine, "rel_cells",
      fmt::format("SELECT row_number() OVER () AS place, {} AS id, p.label, p.kept, {} FROM rel_people AS p",
                  release.people.has("id") ? "p.id" : "NULL", fmt::join(published, ", ")));
  make_table(engine, "org_cells",
             fmt::format("SELECT o.id, o.label, o.kept, {} FROM org_people AS o JOIN {} AS s ON {} = o.id",
                         fmt::join(theirs, ", "), reading.people_source.sql,
                         as_text("s." + reading.people_source.column(spec.people.id))));
  for (const std::string table : {"rel", "org"})
    make_table(engine, table + "_rows",
               fmt::format("SELECT id, label, kept, sha256({}) AS row FROM {}_cells", packed(texts), table));
  WrongEntries wrong;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    progress.throw_if_stopped();
    const WrongEntries of_column = wrong_entries(
        engine, entries_of("rel_cells", c, columns[c].kind), entries_of("org_cells", c, columns[c].kind),
        manifest.composed.owners, columns[c].kind != FeatureKind::Numeric);
    wrong.of_nobody += of_column.of_nobody;
    wrong.of_too_few += of_column.of_too_few;
  }
  return wrong;
}

std::int64_t rows_of_too_few(Engine& engine, int owners) {
  return count(
      engine,
      fmt::format("rel_rows AS r JOIN (SELECT {0}, row, count(*) AS people FROM org_rows GROUP BY {0}, "
                  "row) AS o ON o.row = r.row AND o.label = r.label AND o.kept = r.kept WHERE "
                  "o.people < {1}",
                  kPool, owners));
}

}  // namespace

void check_composed(const Manifest& manifest, const Original& original, const LoadedRelease& release,
                    const std::string& used, const Progress& progress, Findings& findings) {
  progress.report("looking for the owners of every entry", 0, 0);
  const WrongEntries wrong = manifest.is_long() ? look_at_events(manifest, original, release, used)
                                                : look_at_cells(manifest, original, release, progress);
  const int owners = manifest.composed.owners;
  findings.add_count(rule("composed-entries"), wrong.of_nobody, "entries are nobody's in their pool",
                     "every entry compared");
  findings.add_count(rule("composed-owners"), wrong.of_too_few, "items, categories or elements have fewer",
                     fmt::format("at least {} people of the pool", owners));
  findings.add_count(rule("composed-rows"), rows_of_too_few(original.engine, owners),
                     "people have the true row of fewer",
                     fmt::format("fewer than {} people of the pool", owners));
}

}  // namespace hyobscure::verify
