#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/solve/channel/lift_limits.h"

namespace hyobscure::solve {

/// What to hide, and what hiding costs: the O-problem. The groups of the secret are fixed; within each group
/// people of cluster c are published as people of cluster c'.
struct ChannelProblem {
  /// One a group: P_g(c, y) >= 0, the share of all people in cluster c (row, not empty in g) and value y
  /// (column). All groups together sum to 1, within 1e-4.
  std::vector<Eigen::MatrixXd> joints;
  /// One a group: d_g(c, c') >= 0, square and finite. The diagonal need not be zero: d_g(c, c) is a mean over
  /// pairs of people. Only solve_with_budgets, which has costs of its own, accepts none at all.
  std::vector<Eigen::MatrixXd> distances;
  /// Kept within kLiftTolerance. solve_with_budgets takes none.
  LiftLimits lifts = {};
};

/// Limits nearer to 1 leave channels no interior, and are kept to so much: a factor of 1 is one of 1.000001.
inline constexpr double kLiftTolerance = 1e-6;
/// The gap, in bits, that is aimed at where lifts are limited: slacks beside shares leave fewer digits.
inline constexpr double kLiftGapBits = 2e-6;

/// No channel keeps the limits on lifts within the budget.
class LiftsOutOfReach : public InputError {
 public:
  LiftsOutOfReach(double budget, double smallest);

  /// The expected distance from which on the limits can be kept, within a millionth.
  double smallest_distance() const { return smallest_; }

 private:
  double smallest_;
};

/// Sum over groups of <costs_g, O_g> <= limit. The expected distance is the case costs_g = P_g(c) d_g(c, c').
struct LinearBudget {
  std::vector<Eigen::MatrixXd> costs;  ///< one a group, shaped as its channel, finite
  double limit = kUnset;
};

struct ChannelSettings {
  /// Stop when the answer is proven to be this close to the optimum; at least kLiftGapBits where lifts are
  /// limited.
  double gap_tolerance_bits = 1e-9;
  int max_iterations = 500;
};

enum class SolveStatus {
  Solved,          ///< the gap is within the tolerance
  IterationLimit,  ///< the channels are valid and within budget, but their gap is still too wide
};

struct ChannelInfo {
  SolveStatus status = SolveStatus::IterationLimit;
  double leakage_nats = kUnset;      ///< sum over g of p_g I(Y; C'|g), recomputed from the returned channels
  double distance = kUnset;          ///< expected distance of the returned channels; unset without distances
  double gap_nats = kUnset;          ///< proven: what was minimised exceeds its optimum by no more than this
  double lower_bound_nats = kUnset;  ///< on the leakage (budget forms) or on leakage + multiplier * distance
  double multiplier = kUnset;        ///< price of distance in nats; of the first budget if there are several
  int iterations = 0;
  double seconds = 0;
};

struct ChannelResult {
  /// O_g(c' | c), one a group. Rows sum to 1 within 1e-12, no entry is negative; entries too small to matter
  /// are exactly zero.
  std::vector<Eigen::MatrixXd> channels;
  ChannelInfo info;
};

/// Finds the channels that hide the secret best at a fixed price of distance:
///
///   minimise  sum_g p_g I(Y; C'|g) + multiplier * D,    D = sum_{g,c,c'} P_g(c) O_g(c'|c) d_g(c,c')
///
/// Convex; an interior-point method certifies the answer (channel.md derives step and certificate). Time per
/// iteration is O(|C|^3 n + |C|^2 n^2) a group of n values, 20 to 40 iterations are usual; memory O(|C|^2 n).
/// multiplier >= 0. Throws InputError for malformed input; a slow solve is a status, not an exception.
[[nodiscard]] ChannelResult solve_with_multiplier(const ChannelProblem& problem, double multiplier,
                                                  const ChannelSettings& settings = {});

/// The same within a budget: minimise the leakage subject to D <= budget. The multiplier comes with the
/// answer. Throws InputError, naming smallest_distance(), if no channel is that near, and LiftsOutOfReach if
/// none that keeps the limits on lifts is. A budget within 1e-12
/// of the smallest distance is answered by the best channel of exactly that distance.
[[nodiscard]] ChannelResult solve_with_budget(const ChannelProblem& problem, double budget,
                                              const ChannelSettings& settings = {});

/// The same with any number of linear budgets that hold at once. Throws InputError if they exclude each
/// other, or leave no room at all.
[[nodiscard]] ChannelResult solve_with_budgets(const ChannelProblem& problem,
                                               std::span<const LinearBudget> budgets,
                                               const ChannelSettings& settings = {});

/// The expected distance when everybody goes to the nearest cluster: no budget below it can be met, whatever
/// lifts may be.
[[nodiscard]] double smallest_distance(const ChannelProblem& problem);

/// The expected distance when each group publishes its one cheapest cluster for everybody: from this budget
/// on nothing need leak.
[[nodiscard]] double harmless_distance(const ChannelProblem& problem);

/// D of given channels.
[[nodiscard]] double expected_distance(const ChannelProblem& problem,
                                       std::span<const Eigen::MatrixXd> channels);

}  // namespace hyobscure::solve
