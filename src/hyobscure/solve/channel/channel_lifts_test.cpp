// Limits on lifts in the channel solver.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/channel/test_problems.h"

#ifdef HYOBSCURE_HAS_IPOPT
#include "hyobscure/solve/channel/test_ipopt_oracle.h"
#endif

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// The smallest and the largest P(y | j, g) / P(y | g), by the definition.
std::pair<double, double> lift_range(const ChannelProblem& problem, const std::vector<MatrixXd>& channels) {
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (std::size_t g = 0; g < channels.size(); ++g) {
    const MatrixXd& joint = problem.joints[g];
    for (Index j = 0; j < joint.rows(); ++j) {
      double all = 0;
      for (Index c = 0; c < joint.rows(); ++c) all += joint.row(c).sum() * channels[g](c, j);
      if (all == 0) continue;
      for (Index y = 0; y < joint.cols(); ++y) {
        if (joint.col(y).sum() == 0) continue;
        double of_value = 0;
        for (Index c = 0; c < joint.rows(); ++c) of_value += joint(c, y) * channels[g](c, j);
        const double lift = of_value / all / (joint.col(y).sum() / joint.sum());
        lowest = std::min(lowest, lift);
        highest = std::max(highest, lift);
      }
    }
  }
  return {lowest, highest};
}

void expect_kept(const ChannelProblem& problem, const ChannelResult& result) {
  const auto [lowest, highest] = lift_range(problem, result.channels);
  EXPECT_LE(highest, std::max(problem.lifts.most, 1 + kLiftTolerance) * (1 + 1e-9));
  EXPECT_GE(lowest, std::min(problem.lifts.least, 1 - kLiftTolerance) * (1 - 1e-9));
  for (const MatrixXd& channel : result.channels) {
    EXPECT_GE(channel.minCoeff(), 0);
    EXPECT_TRUE(channel.rowwise().sum().isOnes(1e-12));
  }
}

struct Case {
  unsigned seed;
  LiftLimits lifts;
};

class LiftLimitsTest : public testing::TestWithParam<Case> {};

TEST_P(LiftLimitsTest, AreKeptAndTheGapIsProven) {
  ChannelProblem problem =
      random_problem(GetParam().seed, {.clusters = 7, .values = 4, .groups = 2, .empty_cells = 0.2});
  for (const double share : {0.3, 0.6, 0.8, 0.95}) {
    SCOPED_TRACE(share);
    problem.lifts = {};
    double budget = budget_at(problem, share);
    problem.lifts = GetParam().lifts;
    try {
      (void)solve_with_budget(problem, budget);
    } catch (const LiftsOutOfReach& refused) {
      ASSERT_GT(refused.smallest_distance(), budget);
      budget = refused.smallest_distance() * (1 + 1e-4);  // what is named can be reached
    }
    const ChannelResult limited = solve_with_budget(problem, budget);
    expect_kept(problem, limited);
    EXPECT_EQ(limited.info.status, SolveStatus::Solved) << limited.info.gap_nats;
    EXPECT_LE(limited.info.gap_nats, kLiftGapBits / kBitsPerNat);
    EXPECT_LE(limited.info.distance, budget * (1 + 1e-12));
    EXPECT_NEAR(limited.info.leakage_nats, conditional_leakage(problem.joints, limited.channels), 1e-12);
    problem.lifts = {};
    EXPECT_GE(limited.info.leakage_nats, solve_with_budget(problem, budget).info.lower_bound_nats - 1e-12);
  }
}

TEST_P(LiftLimitsTest, AreKeptAtAPriceOfDistance) {
  ChannelProblem problem = random_problem(GetParam().seed, {.clusters = 6, .values = 4});
  for (const double price : {0.0, 0.3, 3.0, 1e4}) {
    problem.lifts = GetParam().lifts;
    const ChannelResult limited = solve_with_multiplier(problem, price);
    expect_kept(problem, limited);
    problem.lifts = {};
    const ChannelResult free = solve_with_multiplier(problem, price);
    const auto total = [&](const ChannelInfo& info) { return info.leakage_nats + price * info.distance; };
    EXPECT_GE(total(limited.info), free.info.lower_bound_nats - 1e-9);
    EXPECT_LE(limited.info.lower_bound_nats, total(limited.info));
    EXPECT_LE(limited.info.gap_nats, std::max(kLiftGapBits, 2e-7 * price));
  }
}

/// Two clusters, two values: every channel of a grid that keeps the limits.
TEST(LiftLimitsOfTwo, AreMetByTheBestOfAllChannels) {
  ChannelProblem problem{{MatrixXd{{0.4, 0.1}, {0.2, 0.3}}}, {MatrixXd{{0, 1}, {1, 0}}}, {.most = 1.2}};
  for (const double budget : {0.27, 0.3, 0.35}) {
    double best = std::numeric_limits<double>::infinity();
    constexpr int kSteps = 1000;
    for (int i = 0; i <= kSteps; ++i)
      for (int k = 0; k <= kSteps; ++k) {
        const double a = double(i) / kSteps, b = double(k) / kSteps;
        const std::vector<MatrixXd> channels = {MatrixXd{{1 - a, a}, {b, 1 - b}}};
        if (0.5 * a + 0.5 * b > budget || lift_range(problem, channels).second > 1.2) continue;
        best = std::min(best, conditional_leakage(problem.joints, channels));
      }
    const ChannelInfo info = solve_with_budget(problem, budget).info;
    EXPECT_LE(info.lower_bound_nats, best + 1e-12);
    EXPECT_NEAR(info.leakage_nats, best, 1e-3);  // the grid is this coarse
  }
}

TEST(LiftLimitsOfTwo, BelowTheSmallestBudgetAreRefusedWithIt) {
  // O = [1 - a, a; b, 1 - b] keeps the limit from a distance on that a search over a grid finds.
  const ChannelProblem problem{{MatrixXd{{0.4, 0.1}, {0.2, 0.3}}}, {MatrixXd{{0, 1}, {1, 0}}}, {.most = 1.2}};
  double smallest = 1;
  constexpr int kSteps = 1000;
  for (int i = 0; i <= kSteps; ++i)
    for (int k = 0; k <= kSteps; ++k) {
      const double a = double(i) / kSteps, b = double(k) / kSteps;
      if (lift_range(problem, {MatrixXd{{1 - a, a}, {b, 1 - b}}}).second <= 1.2)
        smallest = std::min(smallest, 0.5 * (a + b));
    }
  try {
    (void)solve_with_budget(problem, 0.5 * smallest);
    FAIL() << "no channel is there";
  } catch (const LiftsOutOfReach& refused) {
    EXPECT_NEAR(refused.smallest_distance(), smallest, 2e-3);
    EXPECT_STREQ(refused.place().source.c_str(), "budget");
  }
}

TEST(LiftLimitsOfTwo, OneOfAPairIsHiddenByTheOther) {
  // Two people, a value each: a lift of 1 is a channel that is the same for both.
  ChannelProblem problem{{MatrixXd{{0.5, 0}, {0, 0.5}}}, {MatrixXd{{0, 1}, {1, 0}}}, {.most = 1}};
  EXPECT_THROW((void)solve_with_budget(problem, 0.25), LiftsOutOfReach);
  const ChannelResult result = solve_with_budget(problem, 0.5);
  expect_kept(problem, result);
  EXPECT_NEAR(result.info.leakage_nats, 0, 1e-12);
  EXPECT_EQ(solve_with_budget(problem, 0.5 * (1 - 1e-15)).info.status, SolveStatus::Solved);
  problem.lifts.most = 1.5;  // O(1|1) = O(2|2) = 0.75
  const ChannelResult half = solve_with_budget(problem, 0.2501);
  expect_kept(problem, half);
  EXPECT_NEAR(lift_range(problem, half.channels).second, 1.5, 1e-3);
}

TEST(LiftLimitsOfMany, OnePersonAValueIsTheHardestGroup) {
  constexpr Index kPeople = 8;
  ChannelProblem problem{
      {MatrixXd::Identity(kPeople, kPeople) / kPeople},
      {MatrixXd::NullaryExpr(
          kPeople, kPeople, [](Index i, Index j) { return std::abs(static_cast<double>(i - j)) / kPeople; })},
      {.most = 2}};
  // v_j(y) = O(j | y) / 8 may be a quarter of R_j at most: everybody shares with three others.
  const ChannelResult result = solve_with_budget(problem, 0.3);
  expect_kept(problem, result);
  EXPECT_EQ(result.info.status, SolveStatus::Solved);
  EXPECT_LE(result.info.leakage_nats, std::log(2));
}

TEST(LiftLimitsOfMany, MoreRoomNeverLeaksMore) {
  ChannelProblem problem = random_problem(3, {.clusters = 8, .values = 5});
  const double budget = budget_at(problem, 0.7);
  double before = std::numeric_limits<double>::infinity();
  for (const double most : {1.5, 2.0, 3.0, 10.0}) {
    problem.lifts.most = most;
    const double leakage = solve_with_budget(problem, budget).info.leakage_nats;
    EXPECT_LE(leakage, before + kLiftGapBits);
    before = leakage;
  }
}

TEST(LiftLimitsOfMany, WhatIsNoLimitIsRefused) {
  ChannelProblem problem = random_problem(1, {});
  problem.lifts.most = 0.9;
  EXPECT_THROW((void)solve_with_budget(problem, 1), InputError);
  problem.lifts = {.least = 1.1};
  EXPECT_THROW((void)solve_with_multiplier(problem, 1), InputError);
}

#ifdef HYOBSCURE_HAS_IPOPT
TEST_P(LiftLimitsTest, IpoptFindsTheSameLeakage) {
  ChannelProblem problem = random_problem(GetParam().seed, {.clusters = 7, .values = 4});
  problem.lifts = GetParam().lifts;
  for (const double share : {0.4, 0.6, 0.8}) {
    const double budget = budget_at(problem, share);
    const IpoptAnswer other =
        solve_with_ipopt(problem.joints[0], problem.distances[0], budget, 600, problem.lifts);
    try {
      const ChannelInfo info = solve_with_budget(problem, budget).info;
      ASSERT_TRUE(other.solved) << share;
      const double leakage = group_leakage(problem.joints[0], other.channel);
      EXPECT_NEAR(info.leakage_nats, leakage, 2e-6) << share;
      EXPECT_LE(info.lower_bound_nats, leakage + 1e-7)
          << share;  // Ipopt meets limits up to its own tolerance
    } catch (const LiftsOutOfReach&) {
      EXPECT_FALSE(other.solved) << share;
    }
  }
}
#endif

INSTANTIATE_TEST_SUITE_P(Cases, LiftLimitsTest,
                         testing::Values(Case{1, {.most = 1.5}}, Case{2, {.most = 1.5}},
                                         Case{3, {.most = 1.1}}, Case{4, {.least = 0.5}},
                                         Case{5, {.least = 0.5, .most = 1.5}},
                                         Case{6, {.least = 0.9, .most = 1.1}}, Case{7, {.most = 3}},
                                         Case{8, {.most = 1}}, Case{9, {.least = 1}}));

}  // namespace
}  // namespace hyobscure::solve
