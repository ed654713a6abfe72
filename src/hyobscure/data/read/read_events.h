#pragma once

#include "hyobscure/base/error.h"
#include "hyobscure/data/read/read_parts.h"

namespace hyobscure::data {

class FoundProblems;

/// Long data: events become features, and tell home where the spec says so.
class EventReader {
 public:
  /// `events` must outlive the reader.
  EventReader(Engine& engine, const Spec& spec, const Relation& events);

  /// hyo_homes (person, home_row, home_column): the cell of most of the events that tell home; of equals the
  /// smallest. Returns the grid. Their places are looked at several times, so the events are stored meanwhile
  /// (hyo_events).
  Grid find_homes();

  /// Features of the people of hyo_kept, whose ids in their order are given, in one pass over the events,
  /// which are checked against hyo_people and the spec on the way. Refuses them with what was found before.
  SparseRows features(std::span<const std::string> ids, Reading& reading, FoundProblems& problems) const;

  /// Drops hyo_events where there is one.
  void close();

 private:
  struct Counts;
  Counts collect(std::span<const std::string> ids, RowCollector& rows) const;
  std::optional<EventCells> cells_of(const Counts& found, const RowCollector& rows) const;
  void check(const Counts& found, FoundProblems& problems) const;
  void check_places() const;
  InputError problem_at(const std::string& column, const std::string& condition, const std::string& problem,
                        const std::string& remedy) const;

  Engine& engine_;
  const Spec& spec_;
  const Relation& events_;
  std::string projection_;  ///< of the source
  std::string projected_;   ///< what it gives, to select from
  std::string incomplete_;  ///< SQL on them
  bool values_are_texts_;   ///< a CSV file's; then value_text is among what it gives
  Grid grid_;
};

}  // namespace hyobscure::data
