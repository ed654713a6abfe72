#include "hyobscure/data/read_events.h"

#include <fmt/format.h>

#include "hyobscure/base/error.h"
#include "hyobscure/data/places.h"
#include "hyobscure/data/secret_checks.h"

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
          spec.secret.home == "category"
              ? fmt::format("coalesce({} = {}, false)", as_text(column(spec.secret.home_column)),
                            quoted_text(spec.secret.home_category))
              : "true"};
}

std::string lacks_place(const HomeCells& event) {
  return fmt::format("({} AND ({} IS NULL OR {} IS NULL))", event.may_tell, event.latitude, event.longitude);
}

std::string tells_home(const Spec& spec, const Grid& grid, const HomeCells& event) {
  if (spec.secret.home == "category") return event.may_tell;
  return fmt::format(
      "coalesce(({}, {}, {}) IN (SELECT (person, home_row, home_column) FROM hyo_homes), false)",
      event.person, row_of_cell(grid, event.latitude), column_of_cell(grid, event.longitude));
}

std::string is_feature(const Spec& spec, const Grid& grid, const HomeCells& event) {
  std::string condition = "NOT " + lacks_place(event);
  if (spec.secret.home_events == "leave-out") condition += " AND NOT " + tells_home(spec, grid, event);
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

}  // namespace

EventReader::EventReader(Engine& engine, const Spec& spec, const Relation& events)
    : engine_(engine),
      spec_(spec),
      events_(events),
      projection_(event_projection(spec, events)),
      incomplete_("person IS NULL OR item IS NULL OR value_missing") {
  if (home_is_found(spec)) incomplete_ += " OR (may_tell_home AND (latitude_missing OR longitude_missing))";
}

void EventReader::load(ReadCounts& counts) {
  about(events_, [&] {
    engine_.run(fmt::format("CREATE OR REPLACE TEMP TABLE hyo_events AS SELECT {} FROM {}", projection_,
                            events_.sql));
    check(counts);
    if (home_is_found(spec_)) check_places();
  });
}

void EventReader::fail(const std::string& column, const std::string& condition, const std::string& problem,
                       const std::string& remedy) const {
  throw InputError({events_.name, first_row(engine_, events_, projection_, condition), column}, problem,
                   remedy);
}

void EventReader::check(ReadCounts& counts) const {
  const auto sums = engine_.integers(fmt::format(
      "SELECT count(*), count(*) FILTER ({}), "
      "count(*) FILTER (NOT value_missing AND value IS NULL), count(*) FILTER (NOT isfinite(value)), "
      "count(*) FILTER (person IS NOT NULL AND person NOT IN (SELECT id FROM hyo_people)), "
      "count(*) FILTER (value < 0) FROM hyo_events",
      incomplete_));
  counts.events_read = sums[0];
  if (sums[0] == 0)
    throw InputError({.source = events_.name}, "there are no events in it", "Check the file or the query.");
  if (sums[1] > 0 && spec_.events.missing == "refuse")
    fail("", incomplete_,
         fmt::format("an event has an empty cell ({} in all)", plural(sums[1], "event", "events")),
         "Fill it in, or set events.missing = \"leave-out\".");
  if (sums[2] > 0)
    fail(spec_.events.value, "NOT value_missing AND value IS NULL",
         fmt::format("expected a number ({} are not)", plural(sums[2], "cell", "cells")),
         "Correct the cells.");
  if (sums[3] > 0)
    fail(spec_.events.value, "NOT isfinite(value)", "expected a finite number, not NaN or infinity",
         "Correct the cell.");
  if (sums[5] > 0 && spec_.channel.distance == "jensen-shannon")
    fail(spec_.events.value, "value < 0",
         fmt::format("the value is negative ({} in all), and Jensen-Shannon needs values of at least zero",
                     plural(sums[5], "event", "events")),
         "Correct them, or choose another distance (channel.distance).");
  if (sums[4] > 0 && spec_.events.unknown_people == "refuse")
    fail(spec_.events.person, "person IS NOT NULL AND person NOT IN (SELECT id FROM hyo_people)",
         fmt::format("the person is not in the people table ({} of such people)",
                     plural(sums[4], "event", "events")),
         "Add the people, or set events.unknown_people = \"leave-out\".");
  counts.events_incomplete = sums[1];
  counts.events_unknown = sums[4];
}

void EventReader::check_places() const {
  const auto refuse = [&](const std::string& column, const Refusal& refusal) {
    const std::string condition = fmt::format("may_tell_home AND ({})", refusal.condition);
    const auto bad = engine_.integers("SELECT count(*) FROM hyo_events WHERE " + condition)[0];
    if (bad > 0)
      fail(column, condition, fmt::format("{} ({} in all)", refusal.problem, plural(bad, "event", "events")),
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

SparseRows EventReader::features(std::size_t people, ReadCounts& counts) const {
  const std::string used = home_is_found(spec_) ? is_feature(spec_, grid_, kStored) : "true";
  if (home_is_found(spec_) && spec_.secret.home_events == "leave-out")
    counts.events_telling_home = engine_.integers(
        fmt::format("SELECT count(*) FROM hyo_events JOIN hyo_kept ON person = id WHERE NOT ({}) AND {}",
                    incomplete_, tells_home(spec_, grid_, kStored)))[0];
  const std::string entries =
      fmt::format("(SELECT u, item, value FROM hyo_events JOIN hyo_kept ON person = id WHERE {})", used);
  try {
    return fetch_rows(engine_, spec_, people, entries);
  } catch (const RepeatedEvents&) {
    fail("",
         fmt::format("(person, item) IN (SELECT (person, item) FROM hyo_events JOIN hyo_kept ON person = id "
                     "WHERE {} GROUP BY person, item HAVING count(*) > 1)",
                     used),
         "the person has another event of this item further down, and both have a value",
         "Say what they mean together with events.repeated (sum, mean or max).");
  }
}

void EventReader::close() { engine_.run("DROP TABLE hyo_events"); }

std::string event_is_feature(const Spec& spec, const Reading& reading, const std::string& row) {
  if (!home_is_found(spec)) return "true";
  return is_feature(spec, *reading.people.space->grid, cells_of_source(spec, reading.events_source, row));
}

}  // namespace hyobscure::data
