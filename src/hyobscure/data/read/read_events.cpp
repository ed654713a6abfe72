#include "hyobscure/data/read/read_events.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <unordered_set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/state_pool.h"
#include "hyobscure/data/read/found_problems.h"
#include "hyobscure/data/read/id_numbers.h"
#include "hyobscure/data/read/places.h"
#include "hyobscure/data/read/value_spellings.h"
#include "hyobscure/data/spec/secret_checks.h"

namespace hyobscure::data {
namespace {

/// What decides whether an event tells home, in SQL on an event.
struct HomeCells {
  std::string person, latitude, longitude;
  std::string may_tell;  ///< of the category that tells home; of any, where the most visited cell does
};

const HomeCells kStored{"person", "latitude", "longitude", "may_tell_home"};

/// `row` names the source; empty where it goes without saying.
HomeCells cells_of_source(const Spec& spec, const Relation& events, const std::string& row) {
  const auto column = [&](const std::string& name) {
    return (row.empty() ? "" : row + ".") + events.column(name);
  };
  const auto number = [&](const std::string& name) {
    return as_number(column(name), stored_type(events, name));
  };
  return {as_text(column(spec.events.person)), number(spec.secret.latitude), number(spec.secret.longitude),
          spec.secret.home == HomeRule::Category
              ? fmt::format("coalesce({} = {}, false)", as_text(column(spec.secret.home_column)),
                            quoted_text(spec.secret.home_category))
              : "true"};
}

std::string lacks_place(const HomeCells& event) {
  return fmt::format("({} AND ({} IS NULL OR {} IS NULL))", event.may_tell, event.latitude, event.longitude);
}

std::string tells_home(const Spec& spec, const Grid& grid, const HomeCells& event, const std::string& homes) {
  if (spec.secret.home == HomeRule::Category) return event.may_tell;
  return fmt::format("coalesce(({}, {}, {}) IN (SELECT (person, home_row, home_column) FROM {}), false)",
                     event.person, row_of_cell(grid, event.latitude), column_of_cell(grid, event.longitude),
                     homes);
}

constexpr const char* kHomes = "hyo_homes";  // while reading

std::string is_feature(const Spec& spec, const Grid& grid, const HomeCells& event, const std::string& homes) {
  std::string condition = "NOT " + lacks_place(event);
  if (spec.secret.home_events == HomeEvents::LeaveOut)
    condition += " AND NOT " + tells_home(spec, grid, event, homes);
  return "(" + condition + ")";
}

std::string event_projection(const Spec& spec, const Relation& events) {
  const bool has_value = !spec.events.value.empty();
  const std::string value = has_value ? events.column(spec.events.value) : "";
  std::string projection =
      fmt::format("{} AS person, {} AS item, {} AS value_missing, {} AS value",
                  as_text(events.column(spec.events.person)), as_text(events.column(spec.events.item)),
                  has_value ? value + " IS NULL" : "false",
                  has_value ? as_number(value, stored_type(events, spec.events.value)) : "1.0::DOUBLE");
  if (has_value && stored_type(events, spec.events.value) == "VARCHAR")
    projection += ", " + value + " AS value_text";
  if (home_is_found(spec)) {
    const HomeCells home = cells_of_source(spec, events, "");
    projection += fmt::format(
        ", {} AS latitude, {} AS longitude, {} IS NULL AS latitude_missing, {} IS NULL AS longitude_missing, "
        "{} AS "
        "may_tell_home",
        home.latitude, home.longitude, events.column(spec.secret.latitude),
        events.column(spec.secret.longitude), home.may_tell);
  }
  return projection;
}

/// Ids of hyo_people who are not in hyo_kept; views look things up without a copy.
struct ViewHash : std::hash<std::string_view> {
  using is_transparent = void;
};
using Ids = std::unordered_set<std::string, ViewHash, std::equal_to<>>;

std::shared_ptr<const Ids> left_out(Engine& engine, std::size_t kept) {
  auto ids = std::make_shared<Ids>();
  if (engine.integers("SELECT count(*) FROM hyo_people")[0] == static_cast<std::int64_t>(kept)) return ids;
  for (std::string& id : engine.texts("SELECT id FROM hyo_people WHERE id NOT IN (SELECT id FROM hyo_kept)"))
    ids->insert(std::move(id));
  return ids;
}

}  // namespace

EventReader::EventReader(Engine& engine, const Spec& spec, const Relation& events)
    : engine_(engine),
      spec_(spec),
      events_(events),
      projection_(event_projection(spec, events)),
      projected_(fmt::format("(SELECT {} FROM {})", projection_, events.sql)),
      incomplete_("person IS NULL OR item IS NULL OR value_missing"),
      values_are_texts_(!spec.events.value.empty() && stored_type(events, spec.events.value) == "VARCHAR") {
  if (home_is_found(spec)) incomplete_ += " OR (may_tell_home AND (latitude_missing OR longitude_missing))";
}

InputError EventReader::problem_at(const std::string& column, const std::string& condition,
                                   const std::string& problem, const std::string& remedy) const {
  return {{events_.name, first_row(engine_, events_, projection_, condition), column}, problem, remedy};
}

/// Of all events.
struct EventReader::Counts {
  std::int64_t read = 0, incomplete = 0, unknown = 0, no_number = 0, not_finite = 0, negative = 0;
  std::int64_t not_whole = 0;  ///< or too large for a BIGINT that is exact as a double
  ValueSpellings spellings = {};

  void see_number(double value) {
    not_finite += std::isfinite(value) ? 0 : 1;
    negative += value < 0 ? 1 : 0;
    not_whole += value != std::floor(value) || std::abs(value) > 9e15 ? 1 : 0;
  }

  void add(const Counts& other) {
    read += other.read;
    incomplete += other.incomplete;
    unknown += other.unknown;
    no_number += other.no_number;
    not_finite += other.not_finite;
    negative += other.negative;
    not_whole += other.not_whole;
    spellings.add(other.spellings);
  }
};

namespace {

/// Who a person of an event is, among the kept people.
class PeopleOfEvents {
 public:
  static constexpr std::int64_t kLeftOut = -1, kUnknown = -2;

  PeopleOfEvents(std::span<const std::string> ids, std::shared_ptr<const Ids> left_out)
      : ids_(ids), known_(ids), left_out_(std::move(left_out)) {}

  /// `last` is what was found before by the same thread: most events follow one of the same person.
  std::int64_t find(std::string_view id, std::int64_t last) const {
    if (last >= 0 && ids_[static_cast<std::size_t>(last)] == id) return last;
    if (const auto person = known_.find(id)) return *person;
    return left_out_->contains(id) ? kLeftOut : kUnknown;
  }

 private:
  std::span<const std::string> ids_;
  IdNumbers known_;
  std::shared_ptr<const Ids> left_out_;
};

}  // namespace

EventReader::Counts EventReader::collect(std::span<const std::string> ids, RowCollector& rows) const {
  struct Collected {
    RowCollector::Part& rows;
    Counts counts = {};
    std::int64_t last = PeopleOfEvents::kUnknown;
  };
  enum Flag : std::int64_t { kIncomplete = 1, kNoValue = 2, kNoFeature = 4 };
  const std::string used = home_is_found(spec_) ? is_feature(spec_, grid_, kStored, kHomes) : "true";
  const std::string flags = fmt::format(
      "CAST(({}) AS BIGINT) + {} * CAST(value_missing AS BIGINT){}", incomplete_, +kNoValue,
      used == "true" ? ""
                     : fmt::format(" + {} * CAST(NOT coalesce({}, false) AS BIGINT)", +kNoFeature, used));
  const PeopleOfEvents people(ids, left_out(engine_, ids.size()));
  StatePool<Collected> states([&] { return std::make_unique<Collected>(rows.new_part()); });
  const bool spelled = values_are_texts_;
  engine_.query_on_all_threads(
      fmt::format("SELECT person, item, value, {}{} FROM {}", flags, spelled ? ", value_text" : "",
                  projected_),
      [&](const Chunk& chunk) {
        states.with_state([&](Collected& state) {
          const auto value = chunk.doubles(2);
          const auto flag = chunk.integers(3);
          Counts& found = state.counts;
          found.read += static_cast<std::int64_t>(chunk.rows());
          for (std::size_t r = 0; r < chunk.rows(); ++r) {
            const bool nobody = chunk.is_null(0, r);
            if (!nobody) state.last = people.find(chunk.text(0, r), state.last);
            found.incomplete += flag[r] & kIncomplete ? 1 : 0;
            found.unknown += !nobody && state.last == PeopleOfEvents::kUnknown ? 1 : 0;
            if (chunk.is_null(2, r)) {
              found.no_number += flag[r] & kNoValue ? 0 : 1;
              continue;
            }
            found.see_number(value[r]);
            if (nobody || state.last < 0 || (flag[r] & (kIncomplete | kNoFeature))) continue;
            state.rows.add(static_cast<std::uint32_t>(state.last), chunk.text(1, r), value[r]);
            if (spelled) found.spellings.see(chunk.text(4, r), value[r]);
          }
        });
      });
  Counts found;
  for (const auto& state : states.states()) found.add(state->counts);
  return found;
}

/// What the rows leave open, where they tell every event.
std::optional<EventCells> EventReader::cells_of(const Counts& found, const RowCollector& rows) const {
  const bool counted = spec_.events.value.empty() && rule_of(spec_) == RepeatedEvent::Sum;
  auto spellings = found.spellings.unusual();
  if (!spec_.events.time.empty() || (rows.lost() && !counted) || !spellings) return std::nullopt;
  return EventCells{.are_counts = spec_.events.value.empty(), .spellings = std::move(*spellings)};
}

void EventReader::check(const Counts& found, FoundProblems& problems) const {
  const auto fail = [&](const std::string& column, const std::string& condition, const std::string& problem,
                        const std::string& remedy) {
    problems.add(problem_at(column, condition, problem, remedy));
  };
  if (found.read == 0)
    throw InputError({.source = events_.name}, "there are no events in it", "Check the file or the query.");
  if (found.incomplete > 0 && spec_.events.missing == Unfit::Refuse)
    fail("", incomplete_,
         fmt::format("an event has an empty cell ({} in all)", plural(found.incomplete, "event", "events")),
         "Fill it in, or set events.missing = \"leave-out\".");
  if (found.no_number > 0)
    fail(spec_.events.value, "NOT value_missing AND value IS NULL",
         fmt::format("expected a number ({} are not)", plural(found.no_number, "cell", "cells")),
         "Correct the cells.");
  if (found.not_finite > 0)
    fail(spec_.events.value, "NOT isfinite(value)", "expected a finite number, not NaN or infinity",
         "Correct the cell.");
  if (found.negative > 0 && spec_.channel.distance == Distance::JensenShannon)
    fail(spec_.events.value, "value < 0",
         fmt::format("the value is negative ({} in all), and Jensen-Shannon needs values of at least zero",
                     plural(found.negative, "event", "events")),
         "Correct them, or choose another distance (channel.distance).");
  if (found.unknown > 0 && spec_.events.unknown_people == Unfit::Refuse)
    fail(spec_.events.person, "person IS NOT NULL AND person NOT IN (SELECT id FROM hyo_people)",
         fmt::format("the person is not in the people table ({} of such people)",
                     plural(found.unknown, "event", "events")),
         "Add the people, or set events.unknown_people = \"leave-out\".");
}

void EventReader::check_places() const {
  const auto refuse = [&](const std::string& column, const Refusal& refusal) {
    const std::string condition = fmt::format("may_tell_home AND ({})", refusal.condition);
    const auto bad = engine_.integers("SELECT count(*) FROM hyo_events WHERE " + condition)[0];
    if (bad > 0)
      throw problem_at(column, condition,
                       fmt::format("{} ({} in all)", refusal.problem, plural(bad, "event", "events")),
                       refusal.remedy);
  };
  for (const Refusal& refusal : refusals_of_numbers("latitude", "latitude_missing"))
    refuse(spec_.secret.latitude, refusal);
  refuse(spec_.secret.latitude, refusal_of_latitudes("latitude"));
  for (const Refusal& refusal : refusals_of_numbers("longitude", "longitude_missing"))
    refuse(spec_.secret.longitude, refusal);
  refuse(spec_.secret.longitude, refusal_of_longitudes("longitude"));
}

Grid EventReader::find_homes() {
  const std::string tells =
      fmt::format("may_tell_home AND NOT ({}) AND person IN (SELECT id FROM hyo_people)", incomplete_);
  return about(events_, [&] {
    engine_.run("CREATE OR REPLACE TEMP TABLE hyo_events AS SELECT * FROM " + projected_);
    projected_ = "hyo_events";
    check_places();
    grid_ = grid_over(engine_, spec_, events_, {.table = "hyo_events", .condition = tells});
    engine_.run(fmt::format(
        "CREATE OR REPLACE TEMP TABLE hyo_homes AS SELECT person, home_row, home_column FROM (SELECT *, "
        "row_number() OVER (PARTITION BY person ORDER BY events DESC, home_row, home_column) AS place FROM "
        "(SELECT person, {} AS home_row, {} AS home_column, count(*) AS events FROM hyo_events WHERE {} "
        "GROUP BY "
        "ALL)) WHERE place = 1",
        row_of_cell(grid_, "latitude"), column_of_cell(grid_, "longitude"), tells));
    return grid_;
  });
}

SparseRows EventReader::features(std::span<const std::string> ids, Reading& reading,
                                 FoundProblems& problems) const {
  return about(events_, [&] {
    RowCollector rows(ids.size(), engine_.memory_for_rows(), static_cast<std::size_t>(thread_count()));
    const Counts found = collect(ids, rows);
    check(found, problems);
    problems.refuse();
    ReadCounts& counts = reading.counts;
    counts.events_read = found.read;
    counts.events_incomplete = found.incomplete;
    counts.events_unknown = found.unknown;
    if (home_is_found(spec_) && spec_.secret.home_events == HomeEvents::LeaveOut)
      counts.events_telling_home = engine_.integers(
          fmt::format("SELECT count(*) FROM hyo_events JOIN hyo_kept ON person = id WHERE NOT ({}) AND {}",
                      incomplete_, tells_home(spec_, grid_, kStored, kHomes)))[0];
    try {
      SparseRows finished = rows.finish(merge_of(spec_));
      reading.items = rows.item_names();
      reading.items_had_once = !rows.merged();
      reading.event_cells = cells_of(found, rows);
      reading.values_are_whole = found.not_whole == 0;
      return finished;
    } catch (const RepeatedEvents&) {
      throw problem_at(
          "",
          fmt::format("(person, item) IN (SELECT (person, item) FROM {} JOIN hyo_kept ON person = id WHERE "
                      "{} GROUP BY "
                      "person, item HAVING count(*) > 1)",
                      projected_, home_is_found(spec_) ? is_feature(spec_, grid_, kStored, kHomes) : "true"),
          "the person has another event of this item further down, and both have a value",
          "Say what they mean together with events.repeated (sum, mean or max).");
    }
  });
}

void EventReader::close() { engine_.run("DROP TABLE IF EXISTS hyo_events"); }

std::string event_is_feature(const Spec& spec, const Reading& reading, const std::string& row) {
  if (!home_is_found(spec)) return "true";
  return is_feature(spec, *reading.people.space->grid, cells_of_source(spec, reading.events_source, row),
                    reading.tables.homes());
}

}  // namespace hyobscure::data
