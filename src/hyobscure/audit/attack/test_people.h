#pragma once

// Data for the tests of this folder.

#include <cstdint>
#include <random>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/census/test_data.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::audit {

using census::small_numbers;
using census::sparse;

/// People of `values` values in groups of `values_a_group` neighbours, all groups of about the same size.
struct Sample {
  data::SparseRows features;
  std::vector<std::uint32_t> value_of_person, group_of_person, kept_of_person;
  std::uint32_t values, groups;
  std::vector<double> numbers;
  std::uint32_t kept_combinations = 1;
  std::vector<Place> places = {};

  AttackTargets targets() const {
    return {.features = features,
            .value_of_person = value_of_person,
            .values = values,
            .numbers = numbers,
            .group_of_person = group_of_person,
            .groups = groups,
            .kept_of_person = kept_of_person,
            .kept_combinations = kept_combinations,
            .places = places};
  }
};

/// With probability `signal` a person has the item of the person's value inside the group (one of
/// values_a_group), all others at random: signal 0 is data that cannot leak.
inline Sample planted_people(unsigned seed, std::size_t people, std::uint32_t values,
                             std::uint32_t values_a_group, double signal, bool ordered) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Sample sample{.features = {},
                .value_of_person = {},
                .group_of_person = {},
                .kept_of_person = {},
                .values = values,
                .groups = (values + values_a_group - 1) / values_a_group,
                .numbers = {}};
  if (ordered)
    for (std::uint32_t value = 0; value < values; ++value) sample.numbers.push_back(20 + value);
  std::vector<std::vector<double>> dense;
  for (std::size_t u = 0; u < people; ++u) {
    const auto value = static_cast<std::uint32_t>(random() % values);
    std::vector<double> row(values_a_group + 10, 0);
    for (double& x : row)
      if (unit(random) < 0.2) x = 1 + std::floor(5 * unit(random));
    if (unit(random) < signal)
      for (std::uint32_t i = 0; i < values_a_group; ++i) row[i] = i == value % values_a_group ? 5 : 0;
    dense.push_back(row);
    sample.value_of_person.push_back(value);
    sample.group_of_person.push_back(value / values_a_group);
  }
  sample.features = sparse(dense);
  return sample;
}

/// The same where values are places: those of a group in a row, 2 km apart, the groups one above the other.
inline Sample planted_places(unsigned seed, std::size_t people, std::uint32_t values,
                             std::uint32_t values_a_group, double signal) {
  Sample sample = planted_people(seed, people, values, values_a_group, signal, false);
  for (std::uint32_t value = 0; value < values; ++value)
    sample.places.push_back(
        {.east = 2.0 * (value % values_a_group), .north = 3.0 * (value / values_a_group)});
  return sample;
}

}  // namespace hyobscure::audit
