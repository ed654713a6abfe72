#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hyobscure/audit/attack/place.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::audit {

/// People as they are, as the auditor, who owns the data, knows them.
struct AttackTargets {
  const data::SparseRows& features;
  std::span<const std::uint32_t> value_of_person;
  std::uint32_t values;         ///< every value is below it
  std::vector<double> numbers;  ///< ordered secrets: the number of each value; empty for categories
  std::span<const std::uint32_t> group_of_person;      ///< published as it is
  std::uint32_t groups;                                ///< every group is below it
  std::span<const std::uint32_t> kept_of_person = {};  ///< combination of kept cells; empty: nothing is kept
  std::uint32_t kept_combinations = 1;                 ///< every combination is below it
  std::vector<Place> places = {};                      ///< spatial secrets: where each value lies; else empty

  bool ordered() const { return !numbers.empty(); }
  bool spatial() const { return !places.empty(); }
  std::size_t size() const { return value_of_person.size(); }
};

/// What was published: the features under person u are row row_of_person[u] of `rows`. A redraw in memory has
/// the true features and each person's donor, a release read from files its own rows.
struct Publication {
  const data::SparseRows& rows;
  std::vector<std::uint32_t> row_of_person;
};

/// The publication of repetition 0, 1, ...: a new draw each, or always the same release. Called from one
/// thread, in order.
using PublicationOf = std::function<Publication(int repetition)>;

/// Throws InputError unless all parts fit together, entries are finite and there is something to infer: at
/// least kFewestPeople and two values among them.
void check(const AttackTargets& targets);
/// Throws InputError for a publication of other people or columns.
void check(const Publication& publication, const data::SparseRows& features);

inline constexpr std::size_t kFewestPeople = 20;  ///< below, a split leaves nothing to learn from or to test

}  // namespace hyobscure::audit
