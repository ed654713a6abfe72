#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hyobscure::data {

/// Names of ranges in the order of their numbers: "Under 15K", "15-24K", "$25,000 to $49,999", "65+". Nothing
/// unless every name has a number, no two begin at the same, and open ends are at the ends.
[[nodiscard]] std::optional<std::vector<std::string>> ordered_by_numbers(std::vector<std::string> names);

}  // namespace hyobscure::data
