#include "hyobscure/data/read/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/data/read/found_problems.h"
#include "hyobscure/data/read/identifying.h"
#include "hyobscure/data/read/read_kept.h"
#include "hyobscure/data/spec/secret_checks.h"

namespace hyobscure::data {
namespace {

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
  if (spec.people.without_events == Unfit::Refuse)
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

/// Jensen-Shannon scales every row to sum 1. People with nothing but zeros, which scaling may make of the
/// smallest values, get an entry of an item that only they have: alike among themselves, and as far from all
/// others as can be.
void give_zero_rows_an_entry(People& people, ReadCounts& counts) {
  constexpr double kOne = 1;
  const auto nothing = static_cast<std::uint32_t>(people.features.columns);
  for (std::size_t u = 0; u < people.size(); ++u)
    counts.people_of_zeros += people.features[u].items.empty() ? 1 : 0;
  if (counts.people_of_zeros == 0) return;
  SparseRows rows;
  rows.columns = people.features.columns + 1;
  for (std::size_t u = 0; u < people.size(); ++u) {
    const auto row = people.features[u];
    rows.append_row(row.items.empty() ? SparseRows::Row{{&nothing, 1}, {&kOne, 1}} : row);
  }
  people.features = std::move(rows);
  people.columns.nothing = nothing;
  people.columns.of_item.push_back(0);
  people.columns.words.emplace_back();
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
      fmt::format("people.keep gives {} combinations of cells, more than {}: such a column identifies people "
                  "and should not be kept",
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

bool are_whole_secrets(Engine& engine, const ReadTables& tables) {
  const std::string not_whole =
      fmt::format("SELECT count(*) FROM {} WHERE secret <> floor(secret)", tables.people());
  return engine.integers(not_whole)[0] == 0;
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
  KeptPeople kept(engine, spec, reading);
  const Relation& relation = reading.people_source;
  FoundProblems& problems = kept.problems();
  about(relation, [&] {
    if (!spec.is_long()) find_words_among_numbers(engine, spec, relation, kept.kinds(), problems);
    problems.try_out([&] { refuse_identifying(relation, kept.look_at_columns()); });
  });
  if (spec.is_long()) {
    kept.open_events();
    const Relation& source = reading.events_source;
    about(source, [&] {
      problems.try_out([&] { refuse_identifying(source, look_at_times(engine, spec, source)); });
    });
  }
  std::optional<EventReader>& events = kept.events();

  const auto read_features = [&] {
    people.ids = fetch_ids(engine);
    people.features = events ? events->features(people.ids, reading, problems)
                             : read_wide_features(engine, spec, relation, kept.kinds(), reading, problems);
  };
  read_features();
  if (events) {
    // Without them, a secret may have become rare.
    if (handle_people_without_events(engine, spec, people, reading.counts) &&
        kept.secret().leave_out_rare(reading.counts))
      read_features();
    events->close();
  } else if (spec.channel.distance == Distance::JensenShannon) {
    give_zero_rows_an_entry(people, reading.counts);
  }
  about(relation, [&] {
    kept.secret().number(people);
    number_kept(engine, spec, relation, people);
  });
  refuse_too_little(spec, people);
  reading.tables = ReadTables(engine);
  reading.secrets_are_whole = !people.space && are_whole_secrets(engine, reading.tables);
  return reading;
}

Reading reading_of(Engine& engine, const Spec& spec, ReadContent content) {
  Reading reading;
  static_cast<ReadContent&>(reading) = std::move(content);
  reading.people_source = open_source(engine, spec, spec.people.source, "people");
  if (spec.is_long()) reading.events_source = open_source(engine, spec, spec.events.source, "events");
  return reading;
}

bool needs_tables(const Spec& spec) { return !spec.people.keep.empty() || home_is_found(spec); }

}  // namespace hyobscure::data
