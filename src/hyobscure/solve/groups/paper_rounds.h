#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// The rounds of the paper's Algorithm 1, constraint-aware k-means: each group starts with its centre and
/// takes values one by one, the nearest first, groups that lack people or values before the others, none
/// beyond the upper limits; then the centres move, until they stay or for a bounded number of rounds.
class PaperRounds {
 public:
  /// positions: values x dimensions. centres: different values, one a group.
  PaperRounds(const Eigen::MatrixXd& positions, const Eigen::VectorXd& people,
              const Eigen::VectorXd& distinct, const GroupLimits& limits, std::vector<int> centres);

  /// The group of each value, in any arrangement: groups may interleave and miss a limit. Nothing: a value
  /// fitted nowhere.
  const std::optional<std::vector<int>>& group_of_value() const { return group_of_value_; }
  int rounds() const { return rounds_; }

 private:
  std::optional<std::vector<int>> group_of_value_;
  int rounds_ = 0;
};

/// Different values, ascending.
[[nodiscard]] std::vector<int> random_centres(int values, int groups, RandomStream& random);

}  // namespace hyobscure::solve
