#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {

/// Rows or columns that one thread takes at a time.
inline constexpr std::size_t kBlock = 256;

/// (donor, value) cells of a table that is held at once, 16 bytes each.
inline constexpr std::size_t kTableCells = std::size_t{1} << 24;

inline Eigen::Index at(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// Floats of which the first is aligned to vectors: what Eigen does with a row then depends on its place
/// alone, not on where memory happened to be.
using Floats = std::vector<float, Eigen::aligned_allocator<float>>;

/// Prices of the rows and columns, and scores of the learned attacker: what a lower bound is made of. Row
/// prices are relative to multiplier * nearest distance of the person, so that they keep their digits when
/// the multiplier is large.
struct PoolDuals {
  std::vector<double> rows;     ///< mu_u
  std::vector<double> columns;  ///< nu_j; zeros unless balanced
  RowMatrixXf learned;          ///< s2_j(y), donors x values; empty without that attacker
  /// log sum_y q2_y e^s2_j(y) of each donor, about 0: taken off s2 wherever a bound must hold exactly.
  std::vector<double> learned_excess;
};

/// q_y of the informed attacker.
inline Eigen::VectorXd informed_shares(const PersonPool& pool) {
  Eigen::VectorXd shares = Eigen::VectorXd::Zero(pool.values);
  for (const std::uint32_t value : pool.value_of_person) shares(value) += 1;
  return shares / static_cast<double>(pool.size());
}

/// Where the profiles of person u begin.
inline Eigen::Index first_profile(const PersonPool& pool, std::size_t u) {
  return pool.profile_block.empty() ? 0 : pool.profile_block[u] * pool.learned.cols();
}

/// Profiles that weights can be about; without any, the values themselves.
inline Eigen::Index profile_count(const PersonPool& pool) {
  return pool.profiles.size() > 0 ? pool.profiles.rows() : pool.learned.cols();
}

/// p(y | x_u) of the model, in double: profiles and weights are taken as the floats they are.
inline Eigen::RowVectorXd posterior(const PersonPool& pool, std::size_t u) {
  const auto weights = pool.learned.row(at(u)).cast<double>();
  if (pool.profiles.size() == 0) return weights;
  return weights *
         pool.profiles.middleRows(first_profile(pool, u), pool.learned.cols()).template cast<double>();
}

/// sum over people of c_u p(y | x_u) where `weights` are the sums of c_u z_u, profile by profile.
template <class Weights>
Eigen::RowVectorXd expand(const PersonPool& pool, const Weights& weights) {
  if (pool.profiles.size() == 0) return weights.template cast<double>();
  return weights.template cast<double>() * pool.profiles.cast<double>();
}

/// q_y of the learned attacker.
inline Eigen::VectorXd learned_shares(const PersonPool& pool) {
  Eigen::RowVectorXd weights = Eigen::RowVectorXd::Zero(profile_count(pool));
  for (std::size_t u = 0; u < pool.size(); ++u)
    weights.segment(first_profile(pool, u), pool.learned.cols()) += pool.learned.row(at(u)).cast<double>();
  const Eigen::VectorXd sums = expand(pool, weights).transpose();
  return sums / sums.sum();
}

inline bool counts_learned(const PoolTask& task) { return task.terms.learned_weight > 0; }
inline bool counts_informed(const PoolTask& task) { return task.terms.informed_weight > 0; }
/// Whether values of the secret have prices of their own at a donor: scores of the informed attacker, or
/// multipliers of limits on lifts.
inline bool prices_values(const PoolTask& task) { return counts_informed(task) || task.terms.lifts.any(); }

/// r log r - r + 1 at r = 1 + change, by its series where the terms cancel.
inline double relative_entropy_of_change(double change) {
  if (std::abs(change) < 0.05)
    return change * change *
           (1.0 / 2 - change * (1.0 / 6 - change * (1.0 / 12 - change * (1.0 / 20 - change / 30))));
  return change > -1 ? (1 + change) * std::log1p(change) - change : 1;
}

/// Sum of body(begin, end) over fixed blocks: the same bits whatever the number of threads.
template <class Body>
double sum_over_blocks(std::size_t count, std::size_t block, const Body& body) {
  std::vector<double> partial(block_count(count, block));
  parallel_blocks(count, block,
                  [&](std::size_t begin, std::size_t end) { partial[begin / block] = body(begin, end); });
  return std::accumulate(partial.begin(), partial.end(), 0.0);
}

}  // namespace hyobscure::solve
