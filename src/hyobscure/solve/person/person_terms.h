#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {

using RowMatrixXf = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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

/// q_y of the learned attacker.
inline Eigen::VectorXd learned_shares(const PersonPool& pool) {
  const Eigen::VectorXd sums = pool.learned.cast<double>().colwise().sum().transpose();
  return sums / sums.sum();
}

inline bool counts_learned(const PoolTask& task) { return task.terms.learned_weight > 0; }
inline bool counts_informed(const PoolTask& task) { return task.terms.informed_weight > 0; }

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
