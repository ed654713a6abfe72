#pragma once

#include "hyobscure/solve/person/person_channel.h"

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
  double distance = kUnset;     ///< sum_uj x_uj d(u,j) of the returned channel; unset: the caller adds it up
  bool all_donors = true;       ///< the bound covers all donors, not just the candidates
  int iterations = 0;
};

/// Interior point over all pairs; informed attacker only (learned_weight 0 and candidates empty).
[[nodiscard]] PoolAnswer solve_pool_dense(const PoolTask& task, const Progress& progress = {});

/// First order on a growing support, with column pricing; any terms.
[[nodiscard]] PoolAnswer solve_pool_sparse(const PoolTask& task, const Progress& progress = {});

/// Whichever of the two suits the pool. Pools up to `dense_limit` are dense ones where they can be.
[[nodiscard]] PoolAnswer solve_pool(const PoolTask& task, std::size_t dense_limit,
                                    const Progress& progress = {});
[[nodiscard]] bool is_dense(const PersonPool& pool, const PersonTerms& terms, std::size_t dense_limit);

/// Throws InputError for pools, terms or settings that are malformed.
void validate(std::span<const PersonPool> pools, const PersonTerms& terms);
void validate(const PersonSettings& settings);

/// sum_j sum_y v_j(y) log( v_j(y) / (q_y R_j) ) of a channel, people weighing 1: straight from the
/// definition, zeros welcome. Never negative.
[[nodiscard]] double informed_information(const PersonPool& pool, const SparseChannel& channel);

/// The same with v_j(y) = sum_u x_uj p(y | x_u), for a pool that has a learned attacker.
[[nodiscard]] double learned_information(const PersonPool& pool, const SparseChannel& channel);

/// sum_uj x_uj d(u,j).
[[nodiscard]] double total_distance(const PersonPool& pool, const SparseChannel& channel);

/// One row of the pool's distances; throws InputError unless they are finite and not negative.
void read_distances(const PersonPool& pool, std::size_t person, std::span<float> to);

/// The distances of a person to some donors, with the same check. `to` gets their number.
void read_distances(const PersonPool& pool, std::size_t person, std::span<const std::uint32_t> donors,
                    std::vector<float>& to);

/// Scales rows and columns, and moves what scaling leaves over, until rows sum to 1 within 1e-12 and columns
/// within 1e-9. No own entry arises unless `own` allows it. For channels that are nearly balanced.
[[nodiscard]] SparseChannel balanced_channel(const SparseChannel& nearly, bool own);

}  // namespace hyobscure::solve
