#pragma once

#include <cstdint>
#include <map>

namespace hyobscure::data {

/// Limits of groups of ages, for a spec.
struct AgeLimits {
  int groups = 4;
  std::int64_t least_people = 2, most_people = 0;
  int least_values = 4, most_values = 20;
};

/// Limits that leave room and that a grouping meets for certain: four groups of a tenth to half of the people
/// and of 4 to 20 ages, where these can be; otherwise with more ages per group, fewer at least, or fewer
/// groups. No limits of one group of two people fit fewer than two.
[[nodiscard]] AgeLimits limits_that_fit(const std::map<std::int64_t, std::int64_t>& people_of_age);

}  // namespace hyobscure::data
