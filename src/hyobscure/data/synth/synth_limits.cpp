#include "hyobscure/data/synth/synth_limits.h"

#include <algorithm>
#include <vector>

namespace hyobscure::data {
namespace {

/// people_below[i]: people of the i lowest ages.
using Totals = std::vector<std::int64_t>;

Totals totals_of(const std::map<std::int64_t, std::int64_t>& people_of_age) {
  Totals people_below = {0};
  for (const auto& [age, people] : people_of_age) people_below.push_back(people_below.back() + people);
  return people_below;
}

/// Whether runs of ages can be groups within the limits: ends of g groups from those of g - 1.
bool fit(const AgeLimits& limits, const Totals& people_below) {
  const auto ages = people_below.size() - 1;
  std::vector<char> is_end(ages + 1, 0);
  is_end[0] = 1;
  for (int group = 0; group < limits.groups; ++group) {
    std::vector<char> next(ages + 1, 0);
    for (std::size_t first = 0; first < ages; ++first) {
      if (is_end[first] == 0) continue;
      for (std::size_t end = first + static_cast<std::size_t>(limits.least_values);
           end <= std::min(ages, first + static_cast<std::size_t>(limits.most_values)); ++end) {
        const std::int64_t people = people_below[end] - people_below[first];
        if (people >= limits.least_people && people <= limits.most_people) next[end] = 1;
      }
    }
    is_end = next;
  }
  return is_end[ages] != 0;
}

}  // namespace

AgeLimits limits_that_fit(const std::map<std::int64_t, std::int64_t>& people_of_age) {
  const Totals people_below = totals_of(people_of_age);
  const std::int64_t people = people_below.back();
  const auto ages = static_cast<int>(people_of_age.size());
  AgeLimits limits{.least_people = std::max<std::int64_t>(2, people / 10), .most_people = (people + 1) / 2};
  for (limits.groups = 4; limits.groups > 1; --limits.groups)
    for (limits.least_values = 4; limits.least_values > 0; --limits.least_values)
      for (limits.most_values = 20; limits.most_values < std::max(21, ages + 1); ++limits.most_values)
        if (fit(limits, people_below)) return limits;
  return {.groups = 1, .most_people = people, .least_values = 1, .most_values = std::max(1, ages)};
}

}  // namespace hyobscure::data
