#pragma once

#include <span>

#include "hyobscure/base/numeric.h"
#include "hyobscure/solve/areas/subset_groups.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// How far each limit can go with a number of groups, the others left open.
struct GroupExtremes {
  double largest_k = kUnset;       ///< the most people that every group can have at least
  double smallest_alpha = kUnset;  ///< the fewest people that every group can have at most
  double largest_l = kUnset;
  double smallest_beta = kUnset;
};

/// Of groups that are runs of one of the rows.
[[nodiscard]] GroupExtremes group_extremes(std::span<const solve::OrderedValues> rows, int count);
/// Of any groups.
[[nodiscard]] GroupExtremes group_extremes(const solve::SubsetGroups& subsets, int count);

}  // namespace hyobscure::obscure
