#pragma once

#include <cmath>

#include "hyobscure/solve/person/person_support.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {

/// A sum that is never above its exact value: compensated, less the rounding of its terms, some
/// forty operations each.
class SafeSum {
 public:
  void add(double term) {
    sum_.add(term);
    size_ += std::abs(term);
  }
  double lower() const { return sum_.value() - 1e-14 * size_; }

 private:
  CompensatedSum sum_;
  double size_ = 0;
};

/// sum_y P(u,y) s2_j(y), in double and with s2 feasible.
inline double learned_score(const PersonPool& pool, const PoolDuals& duals, std::size_t u, std::size_t j) {
  return posterior(pool, u).dot(duals.learned.row(at(j)).cast<double>()) - duals.learned_excess[j];
}

/// A bound on the problem restricted to the support. Replaces the prices by those that attain it, which are
/// at least as good as the given ones. Cost O(pairs), times values for the learned attacker.
[[nodiscard]] double bound_on_support(const PoolTask& task, const Support& support, PoolDuals& duals);

}  // namespace hyobscure::solve
