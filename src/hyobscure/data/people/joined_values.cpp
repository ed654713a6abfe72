#include "hyobscure/data/people/joined_values.h"

#include "hyobscure/data/secret/atoms.h"

namespace hyobscure::data {

std::vector<SecretValue> join_into_values(SecretSpace& space, const std::vector<std::int64_t>& people,
                                          int atoms) {
  space.value_of_point = join_points(space, people, atoms);
  std::vector<SecretValue> values;
  for (const std::uint32_t value : space.value_of_point) {
    const double place = value;
    if (value == values.size())
      values.push_back({.low = place, .high = place, .centre = place, .distinct = 0});
    values[value].distinct += 1;
  }
  return values;
}

}  // namespace hyobscure::data
