#pragma once

#include "hyobscure/solve/person_support.h"
#include "hyobscure/solve/person_terms.h"

namespace hyobscure::solve {

/// A bound on the problem restricted to the support. Replaces the prices by those that attain it, which are
/// at least as good as the given ones. Cost O(pairs), times values for the learned attacker.
[[nodiscard]] double bound_on_support(const PoolTask& task, const Support& support, PoolDuals& duals);

inline constexpr std::size_t kTableCells = std::size_t{1} << 24;

struct FullBound {
  double bound = 0;
  DonorRows additions;  ///< pairs off the support that keep the bound low
};

/// A bound on the problem over all pairs, and the pairs to add so that it can rise. Two passes over all
/// distances. Columns that violate their price by less than `slack` are left alone. Values are dealt with in
/// slices of `table_cells` / people (16 bytes a cell), at the cost of a third pass if there are several.
[[nodiscard]] FullBound bound_on_all_pairs(const PoolTask& task, const std::vector<float>& nearest,
                                           const PoolDuals& duals, double slack,
                                           std::size_t table_cells = kTableCells);

struct StartRows {
  DonorRows rows;
  std::vector<float> nearest;  ///< least distance to an allowed donor, of each person
};

/// The nearest donors of each person, and for each donor the two nearest users of each value: two passes over
/// all distances. Where the pool has candidates, just these. Either way with the donors of `task.start` and
/// those that a balanced channel needs.
[[nodiscard]] StartRows start_rows(const PoolTask& task);

}  // namespace hyobscure::solve
