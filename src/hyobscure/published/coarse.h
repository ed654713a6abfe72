#pragma once

#include <cstdint>
#include <span>

#include "hyobscure/published/group.h"

namespace hyobscure::published {

// What a release may say of figures that are computed from secrets.
//
// An attacker who knows every secret but one computes a figure for each value that the last person may have,
// and compares: many digits tell the value. So the release states figures on a grid that one person hardly
// moves, rounded up: 1, 2 or 5 times a power of ten, from a first step on that depends on the number of
// people. docs/threat-model.md has what is left to that attacker, as measured.

/// The first step of leakages, in bits: the smallest of the grid that is at least 10 log2(people) / people.
/// One person's value moves a leakage by about log2(people) / people at most.
[[nodiscard]] double coarse_step(std::int64_t people);

/// The smallest step of the grid that is not below the leakage, be it nothing; NaN stays NaN.
[[nodiscard]] double rounded_up_bits(double bits, std::int64_t people);
[[nodiscard]] bool is_coarse_bits(double bits, std::int64_t people);

/// The same for distances, from any step on; 0 stays 0.
[[nodiscard]] double rounded_up_distance(double distance);
[[nodiscard]] bool is_coarse_distance(double distance);

/// To a whole multiple of 0.05.
[[nodiscard]] double rounded_up_share(double share);

/// H(G) in bits, rounded up to four decimals: it follows from the people of each group, which the rows of a
/// release show anyway.
[[nodiscard]] double bits_of_groups(std::span<const Group> groups);

/// A sum of published figures, without the digits that adding leaves behind.
[[nodiscard]] double sum_of_published(double a, double b);

}  // namespace hyobscure::published
