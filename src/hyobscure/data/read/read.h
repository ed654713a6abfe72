#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/engine/source.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/read/read_tables.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

/// Who and what was read and left out: nobody disappears unseen.
struct ReadCounts {
  std::int64_t people_read = 0;
  std::int64_t people_outside = 0;           ///< secret outside secret.keep
  std::int64_t people_without_secret = 0;    ///< left out by secret.missing
  std::int64_t people_incomplete = 0;        ///< left out by people.missing
  std::int64_t people_without_events = 0;    ///< left out by people.without_events
  std::int64_t people_with_rare_secret = 0;  ///< left out by secret.fewest_people
  std::int64_t cells_filled = 0;             ///< empty features of who stays, by people.missing
  std::int64_t people_of_zeros = 0;          ///< with wide features that are all 0, under Jensen-Shannon
  std::int64_t events_read = 0;
  std::int64_t events_incomplete = 0;    ///< left out by events.missing
  std::int64_t events_unknown = 0;       ///< left out by events.unknown_people
  std::int64_t events_telling_home = 0;  ///< left out by secret.home_events
};

/// What the rows of features leave open about the events that they were made of. With it every event can be
/// written again, cell by cell.
struct EventCells {
  bool are_counts = false;  ///< without a column of values: an entry is as many equal events
  /// Values that are texts in the source: how each is written, where that is not by its plain_decimal.
  std::map<double, std::string> spellings = {};
};

/// What was read, apart from where it came from: it can be saved, and publish what it tells.
struct ReadContent {
  People people;
  ReadCounts counts;
  /// The secret is one number, and every value of it is a whole one.
  bool secrets_are_whole = false;
  std::vector<std::string> items = {};  ///< long data: what the items are called, by their number
  bool items_had_once = false;          ///< nobody has several events of one of them
  /// Long data: absent where rows do not tell every event: one has a time, equal items were merged, a value
  /// is zero, or one number is written in two ways.
  std::optional<EventCells> event_cells = {};
  /// Long data with values: all of the source are whole numbers that a BIGINT and a double both hold.
  bool values_are_whole = false;
};

struct Reading : ReadContent {
  Relation people_source;
  Relation events_source;  ///< long data only
  ReadTables tables = {};
};

/// Reads the people of the spec and their features. The result depends on the content of the sources alone,
/// not on the order of their rows or the number of threads. Throws InputError for whatever the spec does not
/// allow.
///
/// Kept columns (people.keep) are compared cell by cell as they are written; an empty cell is a value of its
/// own. More than 1000 combinations of them are refused: they would tell people apart.
///
/// The tables of the reading are in the engine, and end with it.
[[nodiscard]] Reading read_people(Engine& engine, const Spec& spec);

/// The sources of the spec, opened and not read, for what was read before and saved. There are no tables.
[[nodiscard]] Reading reading_of(Engine& engine, const Spec& spec, ReadContent content);

/// Whether statements about the content need the tables of its reading: kept cells and homes are nowhere
/// else.
[[nodiscard]] bool needs_tables(const Spec& spec);

/// SQL that is true of the events that are features, and so may be published: where home is found from
/// events, not those that tell it (secret.home_events = "leave-out") or that lack their place. `row` is what
/// the statement calls the source of events, such as "s". For statements on the engine of the reading. That
/// the cells of the item and value are there, and that the person is one of those who were not left out, is
/// for the caller to ask.
[[nodiscard]] std::string event_is_feature(const Spec& spec, const Reading& reading, const std::string& row);

/// Of a feature column of wide data.
FeatureKind feature_kind(const Spec& spec, const Relation& people, const std::string& column);

}  // namespace hyobscure::data
