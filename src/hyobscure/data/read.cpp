#include "hyobscure/data/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"

namespace hyobscure::data {
namespace {

// --- small pieces of SQL
// -------------------------------------------------------------------------------------------

std::string as_text(const std::string& column) { return fmt::format("CAST({} AS VARCHAR)", column); }

/// NULL where the cell is not a number.
std::string as_number(const std::string& column, const std::string& type) {
  static const std::vector<std::string> kNumbers = {"TINYINT", "SMALLINT", "INTEGER",   "BIGINT",
                                                    "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                                                    "UBIGINT", "FLOAT",    "DOUBLE",    "BOOLEAN"};
  const bool number = std::ranges::find(kNumbers, type) != kNumbers.end() || type.starts_with("DECIMAL");
  if (number) return fmt::format("CAST({} AS DOUBLE)", column);
  return fmt::format("TRY_CAST({} AS DOUBLE)", type == "VARCHAR" ? column : as_text(column));
}

/// The type a cell has when it is read: everything in a CSV file is text.
std::string stored_type(const Relation& relation, const std::string& column) {
  const std::string& type = relation.type(column);
  return relation.kind == SourceKind::Csv ? "VARCHAR" : type;
}

/// 1-based row of the source that is the first to meet a condition on the projected columns.
std::size_t first_row(Engine& engine, const Relation& relation, const std::string& projection,
                      const std::string& condition) {
  return static_cast<std::size_t>(engine.integers(fmt::format(
      "SELECT min(r) FROM (SELECT row_number() OVER () AS r, * FROM (SELECT {} FROM {})) WHERE {}",
      projection, relation.sql, condition))[0]);
}

std::string plural(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// --- people
// -------------------------------------------------------------------------------------------------------------

struct PeopleColumns {
  std::string projection;             ///< id, secret_cell, secret, c0, c1, ..., k0, k1, ...
  std::vector<FeatureKind> features;  ///< of c0, c1, ...
};

PeopleColumns people_columns(const Spec& spec, const Relation& people) {
  const std::string secret = people.column(spec.people.secret.all[0]);
  PeopleColumns result;
  result.projection =
      fmt::format("{} AS id, {} AS secret_cell, {} AS secret", as_text(people.column(spec.people.id)),
                  as_text(secret), as_number(secret, stored_type(people, spec.people.secret.all[0])));
  for (std::size_t i = 0; i < spec.people.features.size(); ++i) {
    const std::string& name = spec.people.features[i];
    result.features.push_back(feature_kind(spec, people, name));
    result.projection += fmt::format(", {} AS c{}", people.column(name), i);
  }
  for (std::size_t i = 0; i < spec.people.keep.size(); ++i)
    result.projection += fmt::format(", {} AS k{}", people.column(spec.people.keep[i]), i);
  return result;
}

void check_people(Engine& engine, const Spec& spec, const Relation& people, const std::string& projection,
                  ReadCounts& counts) {
  const auto sums = engine.integers(
      "SELECT count(*), count(*) - count(id), count(id) - count(DISTINCT id), count(*) - count(secret_cell), "
      "count(secret_cell) - count(secret), count(*) FILTER (NOT isfinite(secret)) FROM hyo_people");
  counts.people_read = sums[0];
  const auto fail = [&](const std::string& column, const std::string& condition, const std::string& problem,
                        const std::string& remedy) {
    throw InputError({people.name, first_row(engine, people, projection, condition), column}, problem,
                     remedy);
  };
  if (sums[0] == 0)
    throw InputError({.source = people.name}, "there are no people in it", "Check the file or the query.");
  if (sums[1] > 0)
    fail(spec.people.id, "id IS NULL",
         fmt::format("the id is missing ({} in all)", plural(sums[1], "row", "rows")),
         "Give every person an id.");
  if (sums[2] > 0)
    fail(spec.people.id, "id IN (SELECT id FROM hyo_people GROUP BY id HAVING count(*) > 1)",
         fmt::format("the person occurs again further down ({} too many)", plural(sums[2], "row", "rows")),
         "Keep one row a person; events belong in [events].");
  if (sums[4] > 0)
    fail(spec.people.secret.text(), "secret_cell IS NOT NULL AND secret IS NULL",
         fmt::format("expected a number ({} are not)", plural(sums[4], "cell", "cells")),
         "Correct the cells, or turn them into numbers in a query.");
  if (sums[5] > 0)
    fail(spec.people.secret.text(), "NOT isfinite(secret)", "expected a finite number, not NaN or infinity",
         "Correct the cell.");
  if (sums[3] > 0 && spec.secret.missing == "refuse")
    fail(spec.people.secret.text(), "secret_cell IS NULL",
         fmt::format("the secret is missing ({} in all)", plural(sums[3], "person", "people")),
         "Fill it in, or set secret.missing = \"leave-out\".");
  counts.people_without_secret = sums[3];
}

std::string missing_condition(const std::vector<FeatureKind>& features, const std::string& combine) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < features.size(); ++i)
    if (features[i] != FeatureKind::Set) parts.push_back(fmt::format("c{} IS NULL", i));
  return parts.empty() ? "false" : "(" + fmt::format("{}", fmt::join(parts, combine)) + ")";
}

/// hyo_kept: the people to protect, numbered by their ids.
void keep_people(Engine& engine, const Spec& spec, const std::vector<FeatureKind>& features,
                 ReadCounts& counts) {
  std::string inside = "secret IS NOT NULL";
  if (spec.secret.keep) {
    const std::string range =
        fmt::format("secret BETWEEN {} AND {}", (*spec.secret.keep)[0], (*spec.secret.keep)[1]);
    counts.people_outside = engine.integers(
        fmt::format("SELECT count(*) FILTER (NOT ({})) FROM hyo_people WHERE secret IS NOT NULL", range))[0];
    inside += " AND " + range;
  }
  if (spec.people.missing == "leave-out") {
    const std::string incomplete = missing_condition(features, " OR ");
    counts.people_incomplete = engine.integers(
        fmt::format("SELECT count(*) FROM hyo_people WHERE {} AND {}", inside, incomplete))[0];
    inside += " AND NOT " + incomplete;
  }
  engine.run(
      fmt::format("CREATE OR REPLACE TEMP TABLE hyo_kept AS SELECT *, row_number() OVER (ORDER BY id) - 1 AS "
                  "u FROM hyo_people WHERE {}",
                  inside));
}

// --- wide features become entries (u, item, value)
// ---------------------------------------------------------------------

double mean_of_column(Engine& engine, const std::string& number) {
  CompensatedSum sum;
  std::size_t count = 0;
  engine.query(fmt::format("SELECT {} FROM hyo_kept ORDER BY u", number), [&](const Chunk& chunk) {
    const auto cells = chunk.doubles(0);
    for (std::size_t row = 0; row < chunk.rows(); ++row)
      if (!chunk.is_null(0, row)) {
        sum.add(cells[row]);
        count += 1;
      }
  });
  return count == 0 ? 0.0 : sum.value() / static_cast<double>(count);
}

class WideFeatures {
 public:
  WideFeatures(Engine& engine, const Spec& spec, const Relation& people,
               const std::vector<FeatureKind>& kinds)
      : engine_(engine), spec_(spec), people_(people), kinds_(kinds) {}

  void check_cells() const {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const std::string cell = fmt::format("c{}", i);
      if (kinds_[i] == FeatureKind::Numeric) {
        const std::string number = as_number(cell, stored_type(people_, spec_.people.features[i]));
        refuse(i, fmt::format("{} IS NOT NULL AND {} IS NULL", cell, number), "expected a number",
               "Correct the cell, or list the column in people.categorical.");
        refuse(i, fmt::format("NOT isfinite({})", number), "expected a finite number, not NaN or infinity",
               "Correct the cell.");
        if (spec_.channel.distance == "jensen-shannon" && spec_.people.scale == "none")
          refuse(i, number + " < 0",
                 "the value is negative, and Jensen-Shannon needs values of at least zero",
                 "Correct it, or choose another distance (channel.distance).");
      }
      if (kinds_[i] != FeatureKind::Set && spec_.people.missing == "refuse")
        refuse(i, cell + " IS NULL", "the cell is empty",
               "Fill it in, or choose what empty cells mean with people.missing.");
    }
  }

  /// One SELECT a column, to be joined by UNION ALL.
  std::vector<std::string> selects() const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      switch (kinds_[i]) {
        case FeatureKind::Numeric:
          add_numeric(i, result);
          break;
        case FeatureKind::Categorical:
          add_categorical(i, result);
          break;
        case FeatureKind::Set:
          add_set(i, result);
          break;
      }
    }
    return result;
  }

 private:
  void refuse(std::size_t i, const std::string& condition, const std::string& problem,
              const std::string& remedy) const {
    const auto bad = engine_.integers(fmt::format("SELECT count(*) FROM hyo_kept WHERE {}", condition))[0];
    if (bad == 0) return;
    const std::string id = as_text(people_.column(spec_.people.id));
    const std::string projection =
        fmt::format("{} AS id, {} AS c{}", id, people_.column(spec_.people.features[i]), i);
    const auto row = first_row(engine_, people_, projection,
                               fmt::format("{} AND id IN (SELECT id FROM hyo_kept)", condition));
    throw InputError({people_.name, row, spec_.people.features[i]},
                     fmt::format("{} ({} in all)", problem, plural(bad, "cell", "cells")), remedy);
  }

  void add_numeric(std::size_t i, std::vector<std::string>& result) const {
    const std::string& name = spec_.people.features[i];
    const std::string number = as_number(fmt::format("c{}", i), stored_type(people_, name));
    const auto range = engine_.doubles(fmt::format("SELECT min({0}), max({0}) FROM hyo_kept", number));
    const bool scaled = spec_.people.scale == "range";
    const double low = scaled ? range[0] : 0.0;
    const double width = scaled ? range[1] - range[0] : 1.0;
    if (std::isnan(low) || std::isnan(width) || width == 0) return;  // nothing to tell people apart by
    const auto scale = [&](const std::string& x) {
      return fmt::format("({} - {:.17g}) / {:.17g}", x, low, width);
    };
    const std::string item = quoted_text(name);
    result.push_back(fmt::format("SELECT u, {} AS item, {} AS value FROM hyo_kept WHERE c{} IS NOT NULL",
                                 item, scale(number), i));
    if (spec_.people.missing == "mean")
      result.push_back(fmt::format("SELECT u, {} AS item, {} AS value FROM hyo_kept WHERE c{} IS NULL", item,
                                   scale(fmt::format("{:.17g}", mean_of_column(engine_, number))), i));
    if (spec_.people.missing == "category")
      result.push_back(fmt::format("SELECT u, {} AS item, 1.0 AS value FROM hyo_kept WHERE c{} IS NULL",
                                   quoted_text(name + " is missing"), i));
  }

  void add_categorical(std::size_t i, std::vector<std::string>& result) const {
    const std::string& name = spec_.people.features[i];
    result.push_back(fmt::format(
        "SELECT u, {} || CAST(c{} AS VARCHAR) AS item, 1.0 AS value FROM hyo_kept WHERE c{} IS NOT NULL",
        quoted_text(name + " = "), i, i));
    if (spec_.people.missing == "category")
      result.push_back(fmt::format("SELECT u, {} AS item, 1.0 AS value FROM hyo_kept WHERE c{} IS NULL",
                                   quoted_text(name + " is missing"), i));
  }

  void add_set(std::size_t i, std::vector<std::string>& result) const {
    const std::string& name = spec_.people.features[i];
    const bool list = stored_type(people_, name).ends_with("[]");
    const std::string words = list ? fmt::format("CAST(c{} AS VARCHAR[])", i)
                                   : fmt::format("string_split(CAST(c{} AS VARCHAR), {})", i,
                                                 quoted_text(spec_.people.set_separator));
    result.push_back(
        fmt::format("SELECT DISTINCT u, {} || word AS item, 1.0 AS value FROM (SELECT u, unnest({}) AS word "
                    "FROM hyo_kept) WHERE word <> ''",
                    quoted_text(name + " has "), words));
  }

  Engine& engine_;
  const Spec& spec_;
  const Relation& people_;
  const std::vector<FeatureKind>& kinds_;
};

// --- long features
// -------------------------------------------------------------------------------------------------------

std::string event_projection(const Spec& spec, const Relation& events) {
  const bool has_value = !spec.events.value.empty();
  const std::string value = has_value ? events.column(spec.events.value) : "";
  return fmt::format("{} AS person, {} AS item, {} AS value_cell, {} AS value",
                     as_text(events.column(spec.events.person)), as_text(events.column(spec.events.item)),
                     has_value ? as_text(value) : "'1'",
                     has_value ? as_number(value, stored_type(events, spec.events.value)) : "1.0::DOUBLE");
}

void check_events(Engine& engine, const Spec& spec, const Relation& events, const std::string& projection,
                  ReadCounts& counts) {
  const auto sums = engine.integers(
      "SELECT count(*), count(*) FILTER (person IS NULL OR item IS NULL OR value_missing), "
      "count(*) FILTER (NOT value_missing AND value IS NULL), count(*) FILTER (NOT isfinite(value)), "
      "count(*) FILTER (person IS NOT NULL AND person NOT IN (SELECT id FROM hyo_people)), "
      "count(*) FILTER (value < 0) FROM hyo_events");
  counts.events_read = sums[0];
  const auto fail = [&](const std::string& column, const std::string& condition, const std::string& problem,
                        const std::string& remedy) {
    throw InputError({events.name, first_row(engine, events, projection, condition), column}, problem,
                     remedy);
  };
  if (sums[0] == 0)
    throw InputError({.source = events.name}, "there are no events in it", "Check the file or the query.");
  if (sums[1] > 0 && spec.events.missing == "refuse")
    fail("", "person IS NULL OR item IS NULL OR value_cell IS NULL",
         fmt::format("an event has an empty cell ({} in all)", plural(sums[1], "event", "events")),
         "Fill it in, or set events.missing = \"leave-out\".");
  if (sums[2] > 0)
    fail(spec.events.value, "value_cell IS NOT NULL AND value IS NULL",
         fmt::format("expected a number ({} are not)", plural(sums[2], "cell", "cells")),
         "Correct the cells.");
  if (sums[3] > 0)
    fail(spec.events.value, "NOT isfinite(value)", "expected a finite number, not NaN or infinity",
         "Correct the cell.");
  if (sums[5] > 0 && spec.channel.distance == "jensen-shannon")
    fail(spec.events.value, "value < 0",
         fmt::format("the value is negative ({} in all), and Jensen-Shannon needs values of at least zero",
                     plural(sums[5], "event", "events")),
         "Correct them, or choose another distance (channel.distance).");
  if (sums[4] > 0 && spec.events.unknown_people == "refuse")
    fail(spec.events.person, "person IS NOT NULL AND person NOT IN (SELECT id FROM hyo_people)",
         fmt::format("the person is not in the people table ({} of such people)",
                     plural(sums[4], "event", "events")),
         "Add the people, or set events.unknown_people = \"leave-out\".");
  counts.events_incomplete = sums[1];
  counts.events_unknown = sums[4];
}

struct RepeatedEvents {};

/// Several events of one person and item become one entry.
class EntryMerger {
 public:
  explicit EntryMerger(const Spec& spec)
      : rule_(spec.events.repeated != "auto" ? spec.events.repeated
              : spec.events.value.empty()    ? "sum"
                                             : "refuse") {}

  double merge(double first, double next, std::size_t so_far) const {
    if (rule_ == "sum") return first + next;
    if (rule_ == "max") return std::max(first, next);
    if (rule_ == "mean") return first + (next - first) / static_cast<double>(so_far + 1);
    throw RepeatedEvents();
  }

 private:
  std::string rule_;
};

/// Rows from entries that come sorted by person, item and value.
SparseRows fetch_rows(Engine& engine, const Spec& spec, std::size_t people, const std::string& entries) {
  engine.run(
      "CREATE OR REPLACE TEMP TABLE hyo_items AS SELECT item, row_number() OVER (ORDER BY item) - 1 AS i "
      "FROM (SELECT "
      "DISTINCT item FROM " +
      entries + ")");
  SparseRows rows;
  rows.columns = static_cast<std::size_t>(engine.integers("SELECT count(*) FROM hyo_items")[0]);
  const EntryMerger merger(spec);
  std::size_t repeats = 1;
  std::uint32_t last_item = 0;
  const auto open_entry = [&](std::uint32_t item, double value) {
    rows.items.push_back(item);
    rows.values.push_back(value);
    repeats = 1;
    last_item = item;
  };
  engine.query(fmt::format("SELECT u, i, CAST(value AS DOUBLE) FROM {} JOIN hyo_items USING (item) WHERE "
                           "value IS NOT NULL ORDER BY ALL",
                           entries),
               [&](const Chunk& chunk) {
                 const auto person = chunk.integers(0), item = chunk.integers(1);
                 const auto value = chunk.doubles(2);
                 for (std::size_t r = 0; r < chunk.rows(); ++r) {
                   while (rows.size() < static_cast<std::size_t>(person[r])) rows.end_row();
                   const auto this_item = static_cast<std::uint32_t>(item[r]);
                   if (rows.items.size() > rows.starts.back() && last_item == this_item)
                     rows.values.back() = merger.merge(rows.values.back(), value[r], repeats++);
                   else
                     open_entry(this_item, value[r]);
                 }
               });
  while (rows.size() < people) rows.end_row();
  return rows;
}

SparseRows load_events(Engine& engine, const Spec& spec, const Relation& events, std::size_t people,
                       ReadCounts& counts) {
  const std::string projection = event_projection(spec, events);
  about(events, [&] {
    engine.run(fmt::format(
        "CREATE OR REPLACE TEMP TABLE hyo_events AS SELECT person, item, value, value_cell IS NULL AS "
        "value_missing FROM (SELECT {} FROM {})",
        projection, events.sql));
    check_events(engine, spec, events, projection, counts);
  });
  const std::string kept = "(SELECT u, item, value FROM hyo_events JOIN hyo_kept ON person = id)";
  try {
    SparseRows rows = fetch_rows(engine, spec, people, kept);
    engine.run("DROP TABLE hyo_events");
    return rows;
  } catch (const RepeatedEvents&) {
    const std::string repeated =
        "(person, item) IN (SELECT (person, item) FROM hyo_events JOIN hyo_kept ON person = id GROUP BY "
        "person, item HAVING "
        "count(*) > 1)";
    throw InputError({.source = events.name, .row = first_row(engine, events, projection, repeated)},
                     "the person has another event of this item further down, and both have a value",
                     "Say what they mean together with events.repeated (sum, mean or max).");
  }
}

/// Zeros say nothing that an absent entry does not say.
void drop_zeros(SparseRows& rows) {
  std::size_t to = 0, begin = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t end = rows.starts[row + 1];
    for (std::size_t from = begin; from < end; ++from)
      if (rows.values[from] != 0) {
        rows.items[to] = rows.items[from];
        rows.values[to++] = rows.values[from];
      }
    begin = end;
    rows.starts[row + 1] = to;
  }
  rows.items.resize(to);
  rows.values.resize(to);
}

// --- the secret
// ------------------------------------------------------------------------------------------------------------

void fetch_ids_and_secrets(Engine& engine, People& people, std::vector<double>& secrets) {
  engine.query("SELECT id, secret FROM hyo_kept ORDER BY u", [&](const Chunk& chunk) {
    const auto numbers = chunk.doubles(1);
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
      people.ids.emplace_back(chunk.text(0, row));
      secrets.push_back(numbers[row] == 0 ? 0.0 : numbers[row]);  // -0 and 0 are one value
    }
  });
}

void leave_out(People& people, std::vector<double>& secrets, const std::vector<bool>& out) {
  People kept;
  kept.features.columns = people.features.columns;
  std::vector<double> kept_secrets;
  for (std::size_t u = 0; u < people.size(); ++u) {
    if (out[u]) continue;
    kept.ids.push_back(std::move(people.ids[u]));
    kept_secrets.push_back(secrets[u]);
    const auto row = people.features[u];
    kept.features.items.insert(kept.features.items.end(), row.items.begin(), row.items.end());
    kept.features.values.insert(kept.features.values.end(), row.values.begin(), row.values.end());
    kept.features.end_row();
  }
  people = std::move(kept);
  secrets = std::move(kept_secrets);
}

void handle_people_without_events(Engine& engine, const Spec& spec, People& people,
                                  std::vector<double>& secrets, ReadCounts& counts) {
  std::vector<bool> empty(people.size());
  for (std::size_t u = 0; u < people.size(); ++u) empty[u] = people.features[u].items.empty();
  const auto number = std::ranges::count(empty, true);
  if (number == 0) return;
  if (spec.people.without_events == "refuse")
    throw InputError({.source = spec.name},
                     fmt::format("{} {} no events, or only zeros", plural(number, "person", "people"),
                                 number == 1 ? "has" : "have"),
                     "Add their events, or set people.without_events = \"leave-out\".");
  counts.people_without_events = number;
  leave_out(people, secrets, empty);
  engine.run("CREATE OR REPLACE TEMP TABLE hyo_numbered (id VARCHAR)");
  Engine::Appender ids(engine, "hyo_numbered");
  for (const std::string& id : people.ids) ids.row({std::string_view(id)});
  ids.close();
  engine.run("DELETE FROM hyo_kept WHERE id NOT IN (SELECT id FROM hyo_numbered)");
}

/// Jensen-Shannon scales every row to sum 1.
void refuse_zero_rows(Engine& engine, const Spec& spec, const Relation& relation, const People& people) {
  std::size_t first = people.size(), number = 0;
  for (std::size_t u = 0; u < people.size(); ++u)
    if (people.features[u].items.empty()) {
      first = std::min(first, u);
      number += 1;
    }
  if (number == 0) return;
  const std::string id = as_text(relation.column(spec.people.id)) + " AS id";
  throw InputError(
      {.source = relation.name,
       .row = first_row(engine, relation, id, "id = " + quoted_text(people.ids[first]))},
      fmt::format("all features are zero ({} in all), and Jensen-Shannon cannot compare such a row",
                  plural(static_cast<std::int64_t>(number), "person", "people")),
      "Leave such people out, or choose another distance (channel.distance).");
}

void number_secrets(const Spec& spec, const std::vector<double>& secrets, People& people) {
  std::vector<double> distinct = secrets;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::int64_t> at_value(distinct.size(), 0);
  people.secrets.resize(secrets.size());
  for (std::size_t u = 0; u < secrets.size(); ++u) {
    people.secrets[u] =
        static_cast<std::uint32_t>(std::ranges::lower_bound(distinct, secrets[u]) - distinct.begin());
    at_value[people.secrets[u]] += 1;
  }
  const AtomCut cut = cut_into_atoms(at_value, spec.secret.atoms);
  std::vector<double> weight(cut.atoms, 0), sum(cut.atoms, 0);
  people.values.assign(cut.atoms, {.low = kUnset, .high = kUnset, .centre = kUnset, .distinct = 0});
  for (std::size_t v = 0; v < distinct.size(); ++v) {
    const std::uint32_t atom = cut.atom_of_value[v];
    SecretValue& value = people.values[atom];
    if (value.distinct == 0) value.low = distinct[v];
    value.high = distinct[v];
    value.distinct += 1;
    weight[atom] += static_cast<double>(at_value[v]);
    sum[atom] += static_cast<double>(at_value[v]) * distinct[v];
  }
  for (std::size_t atom = 0; atom < cut.atoms; ++atom) people.values[atom].centre = sum[atom] / weight[atom];
  for (std::uint32_t& secret : people.secrets) secret = cut.atom_of_value[secret];
}

// --- kept columns
// ----------------------------------------------------------------------------------------------------------

constexpr std::uint32_t kMostKeptCombinations = 1000;

/// Blames the column with the most different cells.
[[noreturn]] void throw_kept_tell_apart(Engine& engine, const Spec& spec, const Relation& relation,
                                        std::uint32_t combinations) {
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < spec.people.keep.size(); ++i)
    counts.push_back(fmt::format("count(DISTINCT {})", as_text(fmt::format("k{}", i))));
  const auto distinct = engine.integers(fmt::format("SELECT {} FROM hyo_kept", fmt::join(counts, ", ")));
  const auto most = static_cast<std::size_t>(std::ranges::max_element(distinct) - distinct.begin());
  throw InputError(
      {.source = relation.name, .column = spec.people.keep[most]},
      fmt::format("people.keep gives {} combinations of cells, more than {}: such a column tells people "
                  "apart and should not be kept",
                  combinations, kMostKeptCombinations),
      "Take it out of people.keep, or make its values coarser in a query.");
}

/// Numbers the combinations by their texts; cells of equal text and different content (lists of words with
/// commas in them) stay apart, because the release would show the difference.
void number_kept(Engine& engine, const Spec& spec, const Relation& relation, People& people) {
  if (spec.people.keep.empty()) return;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < spec.people.keep.size(); ++i) {
    order.push_back(as_text(fmt::format("k{}", i)));
    order.push_back(fmt::format("k{}", i));
  }
  std::uint32_t last = 0;
  engine.query(fmt::format("SELECT CAST(dense_rank() OVER (ORDER BY {}) - 1 AS BIGINT) FROM hyo_kept ORDER "
                           "BY u",
                           fmt::join(order, ", ")),
               [&](const Chunk& chunk) {
                 for (const std::int64_t combination : chunk.integers(0).first(chunk.rows())) {
                   people.kept.push_back(static_cast<std::uint32_t>(combination));
                   last = std::max(last, people.kept.back());
                 }
               });
  people.kept_combinations = last + 1;
  if (people.kept_combinations > kMostKeptCombinations)
    throw_kept_tell_apart(engine, spec, relation, people.kept_combinations);
}

void refuse_too_little(const Spec& spec, const People& people) {
  const std::string remedy = "Check secret.keep and what was left out; `hyobscure inspect` counts it.";
  if (people.size() == 0) throw InputError({.source = spec.name}, "nobody is left to protect", remedy);
  if (people.size() == 1)
    throw InputError({.source = spec.name}, "there is only one person: nobody can be a donor for another",
                     remedy);
  if (people.values.size() == 1)
    throw InputError({.source = spec.name, .column = spec.people.secret.text()},
                     "all people have the same secret: there is nothing to infer", remedy);
}

}  // namespace

FeatureKind feature_kind(const Spec& spec, const Relation& people, const std::string& column) {
  const auto listed = [&](const std::vector<std::string>& list) {
    return std::ranges::find(list, column) != list.end();
  };
  const std::string& type = people.type(column);
  if (listed(spec.people.sets) || type.ends_with("[]")) return FeatureKind::Set;
  if (listed(spec.people.categorical) || type == "VARCHAR") return FeatureKind::Categorical;
  return FeatureKind::Numeric;
}

AtomCut cut_into_atoms(const std::vector<std::int64_t>& people, int atoms) {
  AtomCut cut{std::vector<std::uint32_t>(people.size()), 0};
  if (people.size() <= static_cast<std::size_t>(atoms)) {
    std::iota(cut.atom_of_value.begin(), cut.atom_of_value.end(), 0u);
    cut.atoms = static_cast<std::uint32_t>(people.size());
    return cut;
  }
  // Value v belongs to the quantile in which the middle one of its people falls; empty quantiles vanish.
  const double total = static_cast<double>(std::accumulate(people.begin(), people.end(), std::int64_t{0}));
  double before = 0;
  int last = -1;
  for (std::size_t v = 0; v < people.size(); ++v) {
    const double middle = before + static_cast<double>(people[v]) / 2;
    before += static_cast<double>(people[v]);
    const int quantile = std::min(atoms - 1, static_cast<int>(middle / total * atoms));
    if (quantile != last) cut.atoms += 1;
    last = quantile;
    cut.atom_of_value[v] = cut.atoms - 1;
  }
  return cut;
}

Reading read_people(Engine& engine, const Spec& spec) {
  Reading reading;
  People& people = reading.people;
  engine.set_stage("reading people");
  reading.people_source = open_source(engine, spec, spec.people.source, "people");
  const Relation& relation = reading.people_source;
  const PeopleColumns columns = people_columns(spec, relation);
  std::vector<double> secrets;
  about(relation, [&] {
    engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE hyo_people AS SELECT {} FROM {}", columns.projection,
                           relation.sql));
    check_people(engine, spec, relation, columns.projection, reading.counts);
    keep_people(engine, spec, columns.features, reading.counts);
    fetch_ids_and_secrets(engine, people, secrets);
  });

  if (spec.is_long()) {
    engine.set_stage("reading events");
    reading.events_source = open_source(engine, spec, spec.events.source, "events");
    people.features = load_events(engine, spec, reading.events_source, people.size(), reading.counts);
  } else {
    const WideFeatures features(engine, spec, relation, columns.features);
    features.check_cells();
    const auto selects = features.selects();
    const std::string none = "(SELECT 0::BIGINT AS u, '' AS item, 0.0::DOUBLE AS value WHERE false)";
    people.features =
        fetch_rows(engine, spec, people.size(),
                   selects.empty() ? none : fmt::format("({})", fmt::join(selects, " UNION ALL ")));
  }
  drop_zeros(people.features);
  if (spec.is_long())
    handle_people_without_events(engine, spec, people, secrets, reading.counts);
  else if (spec.channel.distance == "jensen-shannon")
    refuse_zero_rows(engine, spec, relation, people);
  number_secrets(spec, secrets, people);
  about(relation, [&] { number_kept(engine, spec, relation, people); });
  refuse_too_little(spec, people);
  return reading;
}

}  // namespace hyobscure::data
