#pragma once

#include <Eigen/Core>
#include <span>

#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// What kept columns ask of a group. People who share group and kept cells are a pool: that is what an
/// attacker sees, and where donors come from. Every pool of a group must have so many people and distinct
/// secrets; without kept columns every group may be.
class PoolLimits {
 public:
  /// Nobody is alone in a pool, whatever the limits: such a person could publish only themselves.
  static constexpr double kFewestPeople = 2;

  PoolLimits(const Population& population, double least_people, double least_values);

  [[nodiscard]] bool allow_run(int first, int end) const;
  [[nodiscard]] bool allow(std::span<const int> values) const;

 private:
  [[nodiscard]] bool allow_pools(const Eigen::VectorXd& people, const Eigen::VectorXd& distinct) const;

  double least_people_, least_values_;
  // Of each combination of kept cells, the values below: sums of a run are differences.
  Eigen::MatrixXd people_, distinct_;  ///< combinations x (values + 1)
};

}  // namespace hyobscure::obscure
