#pragma once

#include <optional>
#include <vector>

#include "hyobscure/data/read/found_problems.h"
#include "hyobscure/data/read/identifying.h"
#include "hyobscure/data/read/read_events.h"
#include "hyobscure/data/read/read_secret.h"

namespace hyobscure::data {

/// The first half of reading: the people of the spec with their secrets and cells are in hyo_kept, and
/// people who are left out are counted. Features come next.
class KeptPeople {
 public:
  /// All must outlive this; `reading` gets its sources and counts.
  KeptPeople(Engine& engine, const Spec& spec, Reading& reading);

  /// What is wrong with the people so far; nothing where ids are wrong, which is refused at once.
  FoundProblems& problems() { return problems_; }
  SecretReader& secret() { return secret_; }
  /// Of the feature columns.
  const std::vector<FeatureKind>& kinds() const { return kinds_; }

  /// Long data; where home is found from events they are open already.
  void open_events();
  std::optional<EventReader>& events() { return events_; }

  std::vector<ColumnFacts> look_at_columns() const;

 private:
  Engine& engine_;
  const Spec& spec_;
  Reading& reading_;
  FoundProblems problems_;
  SecretReader secret_;
  std::vector<FeatureKind> kinds_;
  std::optional<EventReader> events_;
};

}  // namespace hyobscure::data
