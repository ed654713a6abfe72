#pragma once

// Values in a row, and limits of groups at random, for the tests of this folder.

#include <random>
#include <vector>

#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// Values from 20 on, with so many people each.
inline OrderedValues people_at(std::vector<double> people) {
  const auto n = static_cast<Eigen::Index>(people.size());
  return {.positions = Eigen::VectorXd::LinSpaced(n, 20, 19 + static_cast<double>(n)),
          .people = Eigen::Map<Eigen::VectorXd>(people.data(), n),
          .distinct = Eigen::VectorXd::Ones(n)};
}

inline OrderedValues random_values(std::mt19937& rng, int count) {
  std::vector<double> people;
  for (int i = 0; i < count; ++i) people.push_back(std::uniform_int_distribution<int>(0, 12)(rng));
  OrderedValues values = people_at(people);
  for (int i = 0; i < count; ++i) values.distinct(i) = std::uniform_int_distribution<int>(1, 2)(rng);
  return values;
}

inline GroupLimits random_limits(std::mt19937& rng) {
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  GroupLimits limits{.least_people = double(between(0, 12)), .least_values = double(between(0, 3))};
  limits.most_people = limits.least_people + between(5, 40);
  limits.most_values = limits.least_values + between(0, 6);
  return limits;
}

}  // namespace hyobscure::solve
