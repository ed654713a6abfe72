#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "hyobscure/solve/channel/lift_limits.h"

namespace hyobscure::solve {

/// One group as the interior-point method sees it. Costs have been shifted so that the cheapest allowed entry
/// of each row costs nothing; the limits likewise.
struct BarrierGroup {
  Eigen::MatrixXd joint;               ///< P(c, y); every value has weight
  Eigen::MatrixXd allowed;             ///< 1 where the channel may be positive, else 0
  Eigen::MatrixXd price;               ///< added to the objective: <price, O>; all zero in the budget form
  std::vector<Eigen::MatrixXd> costs;  ///< one a budget
  Eigen::VectorXd row_weights;         ///< > 0: weight of each row's logarithms in the barrier
  Eigen::MatrixXd start;  ///< positive where allowed, rows sum to 1, inside all budgets and limits of lifts
  LiftLimits lifts = {};  ///< where there are any, everything is allowed
  bool leaks = true;      ///< false: F is left out, and the price is all that is minimised; lifts are limited
};

struct BarrierProblem {
  std::vector<BarrierGroup> groups;
  Eigen::VectorXd limits;  ///< one a budget, > 0
  /// Whether an interior iterate of this objective, with this bound on the optimum, is all that is wanted.
  std::function<bool(double objective, double lower_bound)> enough = {};
};

struct BarrierAnswer {
  std::vector<Eigen::MatrixXd> channels;
  double lower_bound;           ///< on sum_g F_g + <price, O>, subject to the budgets
  Eigen::VectorXd multipliers;  ///< one a budget: the ones of the lower bound
  int iterations;
};

/// Minimises sum_g F_g(O_g) + <price_g, O_g> subject to the budgets until the proven gap is below the
/// tolerance, the iterations are used up, or rounding allows no further progress. The derivation and the
/// reason for each safeguard are in channel.md.
BarrierAnswer minimise_by_barrier(const BarrierProblem& problem, double gap_tolerance, int max_iterations);

}  // namespace hyobscure::solve
