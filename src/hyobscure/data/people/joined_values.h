#pragma once

#include <cstdint>
#include <vector>

#include "hyobscure/data/people/people.h"
#include "hyobscure/data/secret/secret_space.h"

namespace hyobscure::data {

/// Joins the points of the space (join_points) and numbers their values: fills value_of_point. Returns what
/// the values are. Of a space their bounds are their numbers.
std::vector<SecretValue> join_into_values(SecretSpace& space, const std::vector<std::int64_t>& people,
                                          int atoms);

}  // namespace hyobscure::data
