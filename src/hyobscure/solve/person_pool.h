#pragma once

#include "hyobscure/solve/person_channel.h"

namespace hyobscure::solve {

/// One pool at a fixed price of distance, every person weighing 1:
///
///   minimise  F(x) = sum_t w_t sum_j sum_y v_j(y) log( v_j(y) / (q_y R_j) )  +  multiplier sum_uj x_uj
///   d(u,j)
///
/// (t: the informed and the learned attacker). The callers divide by the number of all people.
struct PoolTask {
  const PersonPool& pool;
  const PersonTerms& terms;
  double multiplier = 0;
  double tolerance = 0;  ///< of the gap, in nats, for the whole pool (people weigh 1)
  int max_iterations = 2000;
  const SparseChannel* start = nullptr;  ///< a channel for a nearby multiplier, or none
};

struct PoolAnswer {
  SparseChannel channel;
  double objective = kUnset;    ///< F + multiplier * distance of the returned channel, exactly
  double lower_bound = kUnset;  ///< proven: no channel of the pool has a smaller one
  bool all_donors = true;       ///< the bound covers all donors, not just the candidates
  int iterations = 0;
};

/// Interior point over all pairs; informed attacker only (learned_weight 0 and candidates empty).
[[nodiscard]] PoolAnswer solve_pool_dense(const PoolTask& task, const Progress& progress = {});

/// First order on a growing support, with column pricing; any terms.
[[nodiscard]] PoolAnswer solve_pool_sparse(const PoolTask& task, const Progress& progress = {});

}  // namespace hyobscure::solve
