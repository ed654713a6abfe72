#include "hyobscure/data/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/data/read_events.h"
#include "hyobscure/data/read_parts.h"
#include "hyobscure/data/read_secret.h"
#include "hyobscure/data/secret_checks.h"

namespace hyobscure::data {
namespace {

// --- people
// -------------------------------------------------------------------------------------------------------------

struct PeopleColumns {
  std::string projection;             ///< id, the cells of the secret, c0, c1, ..., k0, k1, ...
  std::vector<FeatureKind> features;  ///< of c0, c1, ...
};

PeopleColumns people_columns(const Spec& spec, const Relation& people, const SecretReader& secret) {
  PeopleColumns result;
  result.projection = as_text(people.column(spec.people.id)) + " AS id" + secret.projection();
  for (std::size_t i = 0; i < spec.people.features.size(); ++i) {
    const std::string& name = spec.people.features[i];
    result.features.push_back(feature_kind(spec, people, name));
    result.projection += fmt::format(", {} AS c{}", people.column(name), i);
  }
  for (std::size_t i = 0; i < spec.people.keep.size(); ++i)
    result.projection += fmt::format(", {} AS k{}", people.column(spec.people.keep[i]), i);
  return result;
}

void check_ids(Engine& engine, const Spec& spec, const Relation& people, ReadCounts& counts) {
  const auto sums = engine.integers(
      "SELECT count(*), count(*) - count(id), count(id) - count(DISTINCT id) FROM hyo_people");
  counts.people_read = sums[0];
  const auto fail = [&](const std::string& condition, const std::string& problem, const std::string& remedy) {
    const std::string id = as_text(people.column(spec.people.id)) + " AS id";
    throw InputError({people.name, first_row(engine, people, id, condition), spec.people.id}, problem,
                     remedy);
  };
  if (sums[0] == 0)
    throw InputError({.source = people.name}, "there are no people in it", "Check the file or the query.");
  if (sums[1] > 0)
    fail("id IS NULL", fmt::format("the id is missing ({} in all)", plural(sums[1], "row", "rows")),
         "Give every person an id.");
  if (sums[2] > 0)
    fail("id IN (SELECT id FROM hyo_people GROUP BY id HAVING count(*) > 1)",
         fmt::format("the person occurs again further down ({} too many)", plural(sums[2], "row", "rows")),
         "Keep one row a person; events belong in [events].");
}

std::string missing_condition(const std::vector<FeatureKind>& features, const std::string& combine) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < features.size(); ++i)
    if (features[i] != FeatureKind::Set) parts.push_back(fmt::format("c{} IS NULL", i));
  return parts.empty() ? "false" : "(" + fmt::format("{}", fmt::join(parts, combine)) + ")";
}

/// hyo_kept: the people to protect, numbered by their ids.
void keep_people(Engine& engine, const Spec& spec, const SecretReader& secret,
                 const std::vector<FeatureKind>& features, ReadCounts& counts) {
  std::string inside = secret.is_given();
  if (spec.secret.keep) {
    const std::string range =
        fmt::format("s0 BETWEEN {} AND {}", (*spec.secret.keep)[0], (*spec.secret.keep)[1]);
    counts.people_outside = engine.integers(
        fmt::format("SELECT count(*) FROM hyo_people WHERE {} AND NOT ({})", inside, range))[0];
    inside += " AND " + range;
  }
  if (spec.people.missing == "leave-out") {
    const std::string incomplete = missing_condition(features, " OR ");
    counts.people_incomplete = engine.integers(
        fmt::format("SELECT count(*) FROM hyo_people WHERE {} AND {}", inside, incomplete))[0];
    inside += " AND NOT " + incomplete;
  }
  engine.run(
      fmt::format("CREATE OR REPLACE TEMP TABLE hyo_kept AS SELECT *, CAST({} AS DOUBLE) AS secret, "
                  "row_number() OVER (ORDER BY id) - 1 AS u FROM hyo_people WHERE {}",
                  secret_is_one_number(spec) ? "s0" : "NULL", inside));
}

// --- features
// ------------------------------------------------------------------------------------------------------------

std::vector<std::string> fetch_ids(Engine& engine) {
  return engine.texts("SELECT id FROM hyo_kept ORDER BY u");
}

void leave_out(People& people, const std::vector<bool>& out) {
  People kept;
  kept.features.columns = people.features.columns;
  for (std::size_t u = 0; u < people.size(); ++u) {
    if (out[u]) continue;
    kept.ids.push_back(std::move(people.ids[u]));
    const auto row = people.features[u];
    kept.features.append_row(row);
  }
  people = std::move(kept);
}

/// Returns whether there were any.
bool handle_people_without_events(Engine& engine, const Spec& spec, People& people, ReadCounts& counts) {
  std::vector<bool> empty(people.size());
  for (std::size_t u = 0; u < people.size(); ++u) empty[u] = people.features[u].items.empty();
  const auto number = std::ranges::count(empty, true);
  if (number == 0) return false;
  if (spec.people.without_events == "refuse")
    throw InputError({.source = spec.name},
                     fmt::format("{} {} no events, or only zeros", plural(number, "person", "people"),
                                 number == 1 ? "has" : "have"),
                     "Add their events, or set people.without_events = \"leave-out\".");
  counts.people_without_events = number;
  leave_out(people, empty);
  engine.run("CREATE OR REPLACE TEMP TABLE hyo_numbered (id VARCHAR)");
  Engine::Appender ids(engine, "hyo_numbered");
  for (const std::string& id : people.ids) ids.row({std::string_view(id)});
  ids.close();
  engine.run(
      "CREATE OR REPLACE TEMP TABLE hyo_kept AS SELECT * REPLACE (row_number() OVER (ORDER BY u) - 1 AS u) "
      "FROM hyo_kept "
      "WHERE id IN (SELECT id FROM hyo_numbered)");
  return true;
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

Reading read_people(Engine& engine, const Spec& spec) {
  Reading reading;
  People& people = reading.people;
  engine.set_stage("reading people");
  reading.people_source = open_source(engine, spec, spec.people.source, "people");
  const Relation& relation = reading.people_source;
  SecretReader secret(engine, spec, relation);
  const PeopleColumns columns = people_columns(spec, relation, secret);
  about(relation, [&] {
    engine.run(fmt::format("CREATE OR REPLACE TEMP TABLE hyo_people AS SELECT {} FROM {}", columns.projection,
                           relation.sql));
    check_ids(engine, spec, relation, reading.counts);
  });

  std::optional<EventReader> events;
  const auto open_events = [&] {
    engine.set_stage("reading events");
    reading.events_source = open_source(engine, spec, spec.events.source, "events");
    events.emplace(engine, spec, reading.events_source);
  };
  if (home_is_found(spec)) {
    open_events();
    secret.take_homes(events->find_homes());
  }
  about(relation, [&] {
    secret.check(reading.counts);
    keep_people(engine, spec, secret, columns.features, reading.counts);
    secret.leave_out_rare(reading.counts);
  });
  if (spec.is_long() && !events) open_events();

  const auto read_features = [&] {
    people.ids = fetch_ids(engine);
    people.features = events ? events->features(people.ids, reading)
                             : read_wide_features(engine, spec, relation, columns.features, people.size());
  };
  read_features();
  if (events) {
    // Without them, a secret may have become rare.
    if (handle_people_without_events(engine, spec, people, reading.counts) &&
        secret.leave_out_rare(reading.counts))
      read_features();
    events->close();
  } else if (spec.channel.distance == "jensen-shannon") {
    refuse_zero_rows(engine, spec, relation, people);
  }
  about(relation, [&] {
    secret.number(people);
    number_kept(engine, spec, relation, people);
  });
  refuse_too_little(spec, people);
  return reading;
}

}  // namespace hyobscure::data
