#pragma once

#include "hyobscure/solve/person/person_support.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {

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

}  // namespace hyobscure::solve
