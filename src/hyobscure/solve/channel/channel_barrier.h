#pragma once

#include <Eigen/Core>
#include <vector>

namespace hyobscure::solve {

/// One group as the interior-point method sees it. Costs have been shifted so that the cheapest allowed entry
/// of each row costs nothing; the limits likewise.
struct BarrierGroup {
  Eigen::MatrixXd joint;               ///< P(c, y); every value has weight
  Eigen::MatrixXd allowed;             ///< 1 where the channel may be positive, else 0
  Eigen::MatrixXd price;               ///< added to the objective: <price, O>; all zero in the budget form
  std::vector<Eigen::MatrixXd> costs;  ///< one a budget
  Eigen::VectorXd row_weights;         ///< > 0: weight of each row's logarithms in the barrier
  Eigen::MatrixXd start;               ///< positive where allowed, rows sum to 1, inside all budgets
};

struct BarrierProblem {
  std::vector<BarrierGroup> groups;
  Eigen::VectorXd limits;  ///< one a budget, > 0
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
