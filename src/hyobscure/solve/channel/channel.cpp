#include "hyobscure/solve/channel/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/solve/channel/channel_barrier.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Matrices = std::vector<MatrixXd>;

constexpr double kAtTheMinimum =
    1e-12;  // budgets this close to the smallest distance leave no choice but ties
constexpr double kSmallestRowWeight = 1e-9;  // keeps the barrier of a row alive that weighs nothing

// ---- Validation ----

void validate_joints(const Matrices& joints) {
  require(!joints.empty(), "joints", "there is no group", "Give one matrix a group.");
  double total = 0;
  for (const auto& joint : joints) {
    require(joint.size() > 0 && joint.allFinite() && joint.minCoeff() >= 0, "joints",
            "expected weights that are finite and not negative", "Give the share of people in each cell.");
    require(joint.sum() > 0, "joints", "a group holds nobody", "Leave empty groups out.");
    total += joint.sum();
  }
  require(std::abs(total - 1) <= 1e-4, "joints", "expected weights that sum to 1 over all groups",
          "Divide the counts by their total.");
}

void validate_distances(const ChannelProblem& problem) {
  require(problem.distances.size() == problem.joints.size(), "distances", "expected one matrix a group",
          "Give as many distances as joints.");
  for (std::size_t g = 0; g < problem.joints.size(); ++g) {
    const auto& distance = problem.distances[g];
    const Index clusters = problem.joints[g].rows();
    require(distance.rows() == clusters && distance.cols() == clusters, "distances",
            "expected a square matrix with one row for each cluster of the group",
            "Keep the clusters that are not empty in the group, in the order of the joint.");
    require(distance.allFinite() && distance.minCoeff() >= 0, "distances",
            "expected distances that are finite and not negative", "Correct the distance.");
  }
}

void validate(const ChannelProblem& problem) {
  validate_joints(problem.joints);
  validate_distances(problem);
  require(problem.lifts.most >= 1 && problem.lifts.least >= 0 && problem.lifts.least <= 1, "lifts",
          "expected a largest lift from 1 and a smallest from 0 to 1", "A lift of 1 reveals nothing.");
}

void validate(const ChannelSettings& settings) {
  require(settings.gap_tolerance_bits > 0, "gap_tolerance_bits", "expected a number above 0",
          "Use the default, 1e-9.");
  require(settings.max_iterations >= 1, "max_iterations", "expected at least 1", "Use the default, 500.");
}

void validate(const ChannelProblem& problem, const LinearBudget& budget) {
  require(std::isfinite(budget.limit), "limit", "expected a finite number", "Give each budget its limit.");
  require(budget.costs.size() == problem.joints.size(), "costs", "expected one matrix a group",
          "Give as many costs as joints.");
  for (std::size_t g = 0; g < problem.joints.size(); ++g) {
    const Index clusters = problem.joints[g].rows();
    require(budget.costs[g].rows() == clusters && budget.costs[g].cols() == clusters &&
                budget.costs[g].allFinite(),
            "costs", "expected finite square matrices with one row for each cluster of the group",
            "Shape the costs as the channels.");
  }
}

// ---- Costs ----

MatrixXd weighted_distance(const MatrixXd& joint, const MatrixXd& distance) {
  return joint.rowwise().sum().asDiagonal() * distance;
}

Matrices weighted_distances(const ChannelProblem& problem) {
  Matrices costs;
  for (std::size_t g = 0; g < problem.joints.size(); ++g)
    costs.push_back(weighted_distance(problem.joints[g], problem.distances[g]));
  return costs;
}

double total_cost(const Matrices& costs, std::span<const MatrixXd> channels) {
  double sum = 0;
  for (std::size_t g = 0; g < costs.size(); ++g) sum += costs[g].cwiseProduct(channels[g]).sum();
  return sum;
}

double smallest_cost(const Matrices& costs) {
  double sum = 0;
  for (const auto& cost : costs) sum += cost.rowwise().minCoeff().sum();
  return sum;
}

double largest_cost(const Matrices& costs) {
  double sum = 0;
  for (const auto& cost : costs) sum += cost.rowwise().maxCoeff().sum();
  return sum;
}

/// Everybody to the cheapest cluster.
Matrices cheapest_channels(const Matrices& costs) {
  Matrices channels;
  for (const auto& cost : costs) {
    channels.push_back(MatrixXd::Zero(cost.rows(), cost.cols()));
    for (Index c = 0; c < cost.rows(); ++c) {
      Index cheapest = 0;
      cost.row(c).minCoeff(&cheapest);
      channels.back()(c, cheapest) = 1;
    }
  }
  return channels;
}

/// Each group to its one cheapest cluster: the same row for everybody.
Matrices constant_channels(const Matrices& costs) {
  Matrices channels;
  for (const auto& cost : costs) {
    Index cheapest = 0;
    cost.colwise().sum().minCoeff(&cheapest);
    channels.push_back(MatrixXd::Zero(cost.rows(), cost.cols()));
    channels.back().col(cheapest).setOnes();
  }
  return channels;
}

Matrices all_allowed(const ChannelProblem& problem) {
  Matrices allowed;
  for (const auto& joint : problem.joints) allowed.push_back(MatrixXd::Ones(joint.rows(), joint.rows()));
  return allowed;
}

/// Only the cheapest entries of each row, ties included.
Matrices ties_allowed(const Matrices& costs) {
  Matrices allowed;
  for (const auto& cost : costs) {
    const VectorXd least = cost.rowwise().minCoeff();
    const VectorXd most = cost.rowwise().maxCoeff();
    allowed.push_back(MatrixXd::Zero(cost.rows(), cost.cols()));
    for (Index c = 0; c < cost.rows(); ++c)
      allowed.back().row(c) =
          (cost.row(c).array() <= least(c) + kAtTheMinimum * (most(c) - least(c))).cast<double>();
  }
  return allowed;
}

Matrices uniform_channels(const Matrices& allowed) {
  Matrices channels;
  for (const auto& open : allowed)
    channels.push_back(open.rowwise().sum().cwiseInverse().asDiagonal() * open);
  return channels;
}

Matrices mix(const Matrices& a, const Matrices& b, double share_of_b) {
  Matrices mixed;
  for (std::size_t g = 0; g < a.size(); ++g) mixed.push_back((1 - share_of_b) * a[g] + share_of_b * b[g]);
  return mixed;
}

// ---- A start inside all budgets ----

/// Channels that leave room in every budget: multiplicative weights on the budgets, averaged cheapest
/// channels. Exact at once for a single budget; nullopt if the budgets exclude each other or nearly so.
std::optional<Matrices> roomy_channels(const ChannelProblem& problem, std::span<const LinearBudget> budgets) {
  // channel.md, "Edges": multiplicative weights. Rates are in units of the range of each budget. At least 200
  // rounds, because more room makes a better start; 20,000 without any room end the search.
  constexpr int kRounds = 20'000;
  constexpr double kRate = 0.05;
  VectorXd weights = VectorXd::Ones(static_cast<Index>(budgets.size()));
  VectorXd ranges(weights.size());
  for (std::size_t k = 0; k < budgets.size(); ++k)
    ranges(static_cast<Index>(k)) =
        std::max(largest_cost(budgets[k].costs) - smallest_cost(budgets[k].costs), 1e-300);

  Matrices average, best;
  double best_room = 0;
  for (int round = 0; round < kRounds; ++round) {
    Matrices priced;
    for (const auto& joint : problem.joints) priced.push_back(MatrixXd::Zero(joint.rows(), joint.rows()));
    for (std::size_t k = 0; k < budgets.size(); ++k)
      for (std::size_t g = 0; g < priced.size(); ++g)
        priced[g] += weights(static_cast<Index>(k)) / ranges(static_cast<Index>(k)) * budgets[k].costs[g];
    const Matrices cheapest = cheapest_channels(priced);
    // the average of cheapest channels is a channel, since channels are convex
    average = round == 0 ? cheapest : mix(average, cheapest, 1.0 / (round + 1));

    double room = 1;
    for (std::size_t k = 0; k < budgets.size(); ++k) {
      const auto i = static_cast<Index>(k);
      room = std::min(room, (budgets[k].limit - total_cost(budgets[k].costs, average)) / ranges(i));
      // a budget that the cheapest channel overdraws becomes dearer
      weights(i) *= std::exp(kRate * (total_cost(budgets[k].costs, cheapest) - budgets[k].limit) / ranges(i));
    }
    weights /= weights.sum();
    if (room > best_room) {
      best_room = room;
      best = average;
    }
    const bool settled = budgets.size() <= 1 || (best_room > 0 && round >= 200);
    if (settled) break;
  }
  if (best_room <= 0) return std::nullopt;
  return best;
}

/// The interior point of the barrier: the roomy channels mixed with uniform ones, so that at least half of
/// the room stays.
Matrices interior_start(const Matrices& roomy, const Matrices& allowed,
                        std::span<const LinearBudget> budgets) {
  const Matrices uniform = uniform_channels(allowed);
  double share = 0.9;
  for (const auto& budget : budgets) {
    const double used = total_cost(budget.costs, roomy);
    const double added = total_cost(budget.costs, uniform) - used;
    // cost is linear in the channel: half of the room is left, and every allowed entry is positive
    if (added > 0) share = std::min(share, 0.5 * (budget.limit - used) / added);
  }
  return mix(roomy, uniform, share);
}

// ---- From the problem to the barrier and back ----

/// What is minimised: leakage + <prices, O> subject to the budgets, O zero where not allowed.
struct Task {
  const ChannelProblem& problem;
  const ChannelSettings& settings;
  Matrices allowed;
  Matrices prices;  ///< empty: none
  std::span<const LinearBudget> budgets;
  Matrices
      roomy;  ///< channels that leave room in every budget and keep the limits on lifts, allowed everywhere
};

/// Limits with an interior (kLiftTolerance).
LiftLimits interior_limits(const LiftLimits& lifts) {
  return {.least = std::min(lifts.least, 1 - kLiftTolerance),
          .most = std::max(lifts.most, 1 + kLiftTolerance)};
}

MatrixXd without_empty_values(const MatrixXd& joint) {
  std::vector<Index> kept;
  for (Index y = 0; y < joint.cols(); ++y)
    // q_y = 0 would make s_j(y) infinite; a value without people leaks nothing
    if (joint.col(y).sum() > 0) kept.push_back(y);
  return joint(Eigen::all, kept);
}

VectorXd cheapest_allowed(const MatrixXd& cost, const MatrixXd& allowed) {
  return (allowed.array() > 0).select(cost, cost.maxCoeff()).rowwise().minCoeff();
}

/// Rows that weigh little in the leakage may weigh much in a budget that is not weighted by people.
VectorXd barrier_weights(const Task& task, std::size_t g) {
  VectorXd weights = task.problem.joints[g].rowwise().sum().cwiseMax(kSmallestRowWeight);
  for (const auto& budget : task.budgets) {
    const MatrixXd& cost = budget.costs[g];
    const VectorXd range = cost.rowwise().maxCoeff() - cost.rowwise().minCoeff();
    const double total = largest_cost(budget.costs) - smallest_cost(budget.costs);
    if (total > 0) weights = weights.cwiseMax(range / total);
  }
  return weights;
}

BarrierProblem barrier_problem(const Task& task) {
  BarrierProblem result;
  result.limits.resize(static_cast<Index>(task.budgets.size()));
  for (std::size_t k = 0; k < task.budgets.size(); ++k)
    result.limits(static_cast<Index>(k)) = task.budgets[k].limit;
  const Matrices start = interior_start(task.roomy, task.allowed, task.budgets);
  for (std::size_t g = 0; g < task.problem.joints.size(); ++g) {
    BarrierGroup group;
    group.joint = without_empty_values(task.problem.joints[g]);
    group.allowed = task.allowed[g];
    group.row_weights = barrier_weights(task, g);
    group.start = start[g];
    group.lifts = interior_limits(task.problem.lifts);
    group.price = MatrixXd::Zero(group.allowed.rows(), group.allowed.cols());
    if (!task.prices.empty())
      // channel.md: prices and costs count from the cheapest entry of a row. A constant, since rows sum to 1;
      // limits shift by the same amount.
      group.price = task.prices[g].colwise() - cheapest_allowed(task.prices[g], group.allowed);
    for (std::size_t k = 0; k < task.budgets.size(); ++k) {
      const VectorXd least = cheapest_allowed(task.budgets[k].costs[g], group.allowed);
      group.costs.push_back(task.budgets[k].costs[g].colwise() - least);
      result.limits(static_cast<Index>(k)) -= least.sum();
    }
    result.groups.push_back(std::move(group));
  }
  return result;
}

/// Leakage + <prices, O>, the prices counted from the cheapest allowed entry of each row.
double objective_above_base(const Task& task, const BarrierProblem& barrier, const Matrices& channels) {
  double sum = conditional_leakage(task.problem.joints, channels);
  for (std::size_t g = 0; g < channels.size(); ++g)
    sum += barrier.groups[g].price.cwiseProduct(channels[g]).sum();
  return sum;
}

Matrices pruned(const Matrices& channels, double threshold) {
  Matrices result = channels;
  for (auto& channel : result) {
    // channel.md, "Certificate": the bound does not depend on the channel, so pruning cannot spoil it; the
    // gap is measured again from what is returned.
    channel = (channel.array() < threshold).select(0, channel);
    const VectorXd sums = channel.rowwise().sum();
    channel.array().colwise() /= sums.array();
  }
  return result;
}

/// Pruning and rounding may overdraw a budget by a hair: mix with the roomy channels to get back inside.
Matrices within_budgets(const Task& task, Matrices channels) {
  double share = 0;
  for (const auto& budget : task.budgets) {
    const double used = total_cost(budget.costs, channels);
    if (used <= budget.limit) continue;
    // linear again: this share of the roomy channels brings the cost back to the limit, 1e-9 more because of
    // rounding
    share = std::max(share, (used - budget.limit) / (used - total_cost(budget.costs, task.roomy)));
  }
  return share > 0 ? mix(channels, task.roomy, std::min(1.0, share * (1 + 1e-9))) : channels;
}

/// The share of the start, which lies inside of the limits on lifts, that brings channels back inside of
/// them.
double share_within_lifts(const BarrierGroup& group, const MatrixXd& channel) {
  const VectorXd q = group.joint.colwise().sum().transpose() / group.joint.sum();
  const auto slack = [&](const VectorXd& v, double sign, double factor) -> VectorXd {
    return sign * (v - factor * v.sum() * q);
  };
  const MatrixXd published = group.joint.transpose() * channel,
                 inside = group.joint.transpose() * group.start;
  double share = 0;
  for (Index j = 0; j < channel.cols(); ++j)
    for (const auto& [sign, factor] :
         {std::pair{-1.0, group.lifts.most}, std::pair{1.0, group.lifts.least}}) {
      if (!std::isfinite(factor)) continue;
      const VectorXd own = slack(published.col(j), sign, factor), room = slack(inside.col(j), sign, factor);
      for (Index y = 0; y < q.size(); ++y)
        if (own(y) < 0) share = std::max(share, own(y) / (own(y) - room(y)));
    }
  return share;
}

/// Pruning may break a limit on lifts by a hair: mix with the start, which is inside of all limits. All
/// groups alike, so that what is within the budgets stays there.
Matrices within_lifts(const Task& task, const BarrierProblem& barrier, Matrices channels) {
  if (!task.problem.lifts.any()) return channels;
  double share = 0;
  for (std::size_t g = 0; g < channels.size(); ++g)
    share = std::max(share, share_within_lifts(barrier.groups[g], channels[g]));
  for (std::size_t g = 0; share > 0 && g < channels.size(); ++g)
    channels[g] = (1 - share) * channels[g] + share * barrier.groups[g].start;
  return channels;
}

/// The sparsest version of the channels that still meets the tolerance, and what it yields.
struct Finished {
  Matrices channels;
  double objective;
};

Finished finish(const Task& task, const BarrierProblem& barrier, const BarrierAnswer& answer,
                double tolerance) {
  Finished result;
  // the largest threshold whose cost stays within the tolerance: sparse channels are small to store and to
  // draw from
  for (const double threshold : {1e-8, 1e-10, 1e-12, 0.0}) {
    result.channels = within_lifts(task, barrier, within_budgets(task, pruned(answer.channels, threshold)));
    result.objective = objective_above_base(task, barrier, result.channels);
    if (result.objective - answer.lower_bound <= tolerance) break;
  }
  return result;
}

double base_price(const Task& task) {
  double sum = 0;
  for (std::size_t g = 0; g < task.prices.size(); ++g)
    sum += cheapest_allowed(task.prices[g], task.allowed[g]).sum();
  return sum;
}

/// Nats.
double gap_tolerance(const Task& task, const BarrierProblem& barrier) {
  constexpr double kOfTheStart = 1e-7;  // at a high price of distance the objective itself has few digits
  const double asked = task.settings.gap_tolerance_bits / kBitsPerNat;
  if (!task.problem.lifts.any()) return asked;
  double start = 0;
  for (const BarrierGroup& group : barrier.groups) start += group.price.cwiseProduct(group.start).sum();
  return std::max({asked, kLiftGapBits / kBitsPerNat, kOfTheStart * start});
}

ChannelResult solve(const Task& task, const Stopwatch& watch) {
  const BarrierProblem barrier = barrier_problem(task);
  const double tolerance = gap_tolerance(task, barrier);
  // Pruning takes a little of the tolerance.
  const BarrierAnswer answer = minimise_by_barrier(barrier, 0.8 * tolerance, task.settings.max_iterations);
  Finished finished = finish(task, barrier, answer, tolerance);

  ChannelResult result{.channels = std::move(finished.channels), .info = {}};
  auto& info = result.info;
  info.leakage_nats = conditional_leakage(task.problem.joints, result.channels);
  if (!task.problem.distances.empty()) info.distance = expected_distance(task.problem, result.channels);
  info.gap_nats = std::max(0.0, finished.objective - answer.lower_bound);
  info.lower_bound_nats = answer.lower_bound + base_price(task);
  if (answer.multipliers.size() > 0) info.multiplier = answer.multipliers(0);
  info.iterations = answer.iterations;
  info.status = info.gap_nats <= tolerance ? SolveStatus::Solved : SolveStatus::IterationLimit;
  info.seconds = watch.seconds();
  return result;
}

/// Channels that keep the limits on lifts with room to spare, also in the budget: on the way from the uniform
/// ones, which reveal nothing, to the nearest. Throws LiftsOutOfReach where there are none.
Matrices within_lifts_and_budget(const ChannelProblem& problem, const LinearBudget& budget) {
  const Matrices allowed = all_allowed(problem);
  ChannelSettings settings;
  const Task task{problem, settings, allowed, budget.costs, {}, uniform_channels(allowed)};
  BarrierProblem barrier = barrier_problem(task);
  for (BarrierGroup& group : barrier.groups) group.leaks = false;
  const double base = base_price(task), limit = budget.limit - base;
  // Half of the room that there may be: what is nearer is slower to find, and no better a start.
  barrier.enough = [&](double distance, double least) {
    return distance < limit && limit - distance > 0.5 * (limit - least);
  };
  const double tolerance = 1e-7 * std::max(budget.limit, 1e-300);
  const BarrierAnswer answer = minimise_by_barrier(barrier, tolerance, settings.max_iterations);
  const double reached = total_cost(budget.costs, answer.channels);
  if (reached >= budget.limit) throw LiftsOutOfReach(budget.limit, reached);
  return answer.channels;
}

/// Nothing leaks when the published cluster is the same for everybody.
ChannelResult harmless_result(const ChannelProblem& problem, const Stopwatch& watch) {
  ChannelResult result{.channels = constant_channels(weighted_distances(problem)), .info = {}};
  result.info = {.status = SolveStatus::Solved,
                 .leakage_nats = conditional_leakage(problem.joints, result.channels),
                 .distance = expected_distance(problem, result.channels),
                 .gap_nats = 0,
                 .lower_bound_nats = 0,
                 .multiplier = 0,
                 .iterations = 0,
                 .seconds = watch.seconds()};
  result.info.gap_nats = result.info.leakage_nats;
  return result;
}

}  // namespace

LiftsOutOfReach::LiftsOutOfReach(double budget, double smallest)
    : InputError(
          {.source = "budget"},
          fmt::format("no channel with an expected distance of {:.6g} or less keeps the limits on lifts",
                      budget),
          fmt::format("With these limits {:.6g} can be reached; raise the budget, or allow larger lifts.",
                      std::ceil(smallest * (1 + 1e-6) * 1e6) / 1e6)),
      smallest_(smallest) {}

double smallest_distance(const ChannelProblem& problem) {
  validate(problem);
  return smallest_cost(weighted_distances(problem));
}

double harmless_distance(const ChannelProblem& problem) {
  validate(problem);
  double sum = 0;
  for (const auto& cost : weighted_distances(problem)) sum += cost.colwise().sum().minCoeff();
  return sum;
}

double expected_distance(const ChannelProblem& problem, std::span<const MatrixXd> channels) {
  return total_cost(weighted_distances(problem), channels);
}

ChannelResult solve_with_multiplier(const ChannelProblem& problem, double multiplier,
                                    const ChannelSettings& settings) {
  const Stopwatch watch;
  validate(settings);
  validate(problem);
  require(std::isfinite(multiplier) && multiplier >= 0, "multiplier", "expected a finite number from 0",
          "Give the price of distance in nats.");
  Matrices prices = weighted_distances(problem);
  Matrices roomy = problem.lifts.any() ? uniform_channels(all_allowed(problem)) : cheapest_channels(prices);
  for (auto& price : prices) price *= multiplier;
  ChannelResult result =
      solve({problem, settings, all_allowed(problem), std::move(prices), {}, roomy}, watch);
  result.info.multiplier = multiplier;
  return result;
}

ChannelResult solve_with_budget(const ChannelProblem& problem, double budget,
                                const ChannelSettings& settings) {
  const Stopwatch watch;
  validate(settings);
  validate(problem);
  require(std::isfinite(budget), "budget", "expected a finite number", "Give the largest expected distance.");

  const Matrices costs = weighted_distances(problem);
  const double smallest = smallest_cost(costs);
  // channel.md, "Edges": so near the smallest distance there is no interior; the same solver on the ties
  // alone
  const double distance_tolerance = kAtTheMinimum * std::max(1.0, smallest);
  require(budget >= smallest - distance_tolerance, "budget",
          fmt::format("no channel has an expected distance of {:.6g} or less", budget),
          fmt::format("The smallest that can be reached is {:.6g}.", smallest));
  if (budget >= harmless_distance(problem)) return harmless_result(problem, watch);
  const LinearBudget linear{.costs = costs, .limit = budget};
  if (problem.lifts.any()) {
    // The same distance added up in another order: a limit of 1 may have nothing but this channel.
    if (budget >= harmless_distance(problem) * (1 - kAtTheMinimum)) return harmless_result(problem, watch);
    return solve(
        {problem, settings, all_allowed(problem), {}, {&linear, 1}, within_lifts_and_budget(problem, linear)},
        watch);
  }
  const Matrices cheapest = cheapest_channels(costs);
  if (budget <= smallest + distance_tolerance)
    return solve({problem, settings, ties_allowed(costs), {}, {}, cheapest}, watch);
  return solve({problem, settings, all_allowed(problem), {}, {&linear, 1}, cheapest}, watch);
}

ChannelResult solve_with_budgets(const ChannelProblem& problem, std::span<const LinearBudget> budgets,
                                 const ChannelSettings& settings) {
  const Stopwatch watch;
  validate(settings);
  validate_joints(problem.joints);
  if (!problem.distances.empty()) validate_distances(problem);
  require(!problem.lifts.any(), "lifts", "several budgets take no limits on lifts", "Leave them out.");
  require(!budgets.empty(), "budgets", "there is none", "Give at least one, or use a multiplier.");
  for (const auto& budget : budgets) validate(problem, budget);

  const auto roomy = roomy_channels(problem, budgets);
  require(roomy.has_value(), "budgets", "no channel meets all of them with room to spare",
          "Raise the limits.");
  return solve({problem, settings, all_allowed(problem), {}, budgets, *roomy}, watch);
}

}  // namespace hyobscure::solve
