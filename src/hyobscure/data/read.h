#pragma once

#include <cstdint>

#include "hyobscure/data/engine.h"
#include "hyobscure/data/people.h"
#include "hyobscure/data/source.h"
#include "hyobscure/data/spec.h"

namespace hyobscure::data {

/// Who and what was read and left out: nobody disappears unseen.
struct ReadCounts {
  std::int64_t people_read = 0;
  std::int64_t people_outside = 0;         ///< secret outside secret.keep
  std::int64_t people_without_secret = 0;  ///< left out by secret.missing
  std::int64_t people_incomplete = 0;      ///< left out by people.missing
  std::int64_t people_without_events = 0;  ///< left out by people.without_events
  std::int64_t events_read = 0;
  std::int64_t events_incomplete = 0;  ///< left out by events.missing
  std::int64_t events_unknown = 0;     ///< left out by events.unknown_people
};

struct Reading {
  People people;
  ReadCounts counts;
  Relation people_source;
  Relation events_source;  ///< long data only
};

/// Reads the people of the spec and their features. The result depends on the content of the sources alone,
/// not on the order of their rows or the number of threads. Throws InputError for whatever the spec does not
/// allow.
///
/// Kept columns (people.keep) are compared cell by cell as they are written; an empty cell is a value of its
/// own. More than 1000 combinations of them are refused: they would tell people apart.
///
/// Leaves the table hyo_kept (id, secret, k0, k1, ... the cells of people.keep) of the people who were not
/// left out in the engine, for the release.
[[nodiscard]] Reading read_people(Engine& engine, const Spec& spec);

/// How a feature column of wide data enters the rows.
enum class FeatureKind { Numeric, Categorical, Set };
FeatureKind feature_kind(const Spec& spec, const Relation& people, const std::string& column);

/// Joins neighbouring values until at most `atoms` are left, each with about as many people. `people` counts
/// by value.
struct AtomCut {
  std::vector<std::uint32_t> atom_of_value;
  std::uint32_t atoms = 0;
};
AtomCut cut_into_atoms(const std::vector<std::int64_t>& people, int atoms);

}  // namespace hyobscure::data
