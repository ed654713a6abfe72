#pragma once

#include <span>

#include "hyobscure/solve/person/person_support.h"

namespace hyobscure::solve {

/// The channel to return: entries that do not matter left out, rows of sum 1 within 1e-12 and, where
/// balanced, columns within 1e-9.
[[nodiscard]] SparseChannel finish_channel(const PoolTask& task, const Support& support,
                                           std::span<const float> values);

/// The weighted leakages of the pool, people weighing 1, in double from v_j(y).
[[nodiscard]] double leakage_of_channel(const PoolTask& task, const SparseChannel& channel);

/// sum_u sum_j O(j|u) d(u,j), with the distances that the support has.
[[nodiscard]] double distance_of_channel(const PersonPool& pool, const Support& support,
                                         const SparseChannel& channel);

}  // namespace hyobscure::solve
