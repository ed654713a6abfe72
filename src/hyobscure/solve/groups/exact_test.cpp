#include "hyobscure/solve/groups/exact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/groups/first_groups.h"
#include "hyobscure/solve/groups/test_census.h"

namespace hyobscure::solve {
namespace {

constexpr double kBit = 1 / kBitsPerNat;

double objective_of(const ChannelProblem& problem, const ChannelResult& solution, Objective objective) {
  return solution.info.leakage_nats + (objective == Objective::Total ? group_entropy(problem.joints) : 0.0);
}

/// Every partition, each solved by itself.
double brute_force(const SegmentTables& tables, const std::vector<Partition>& partitions, double budget,
                   Objective objective, const LiftLimits& lifts = {}) {
  double best = std::numeric_limits<double>::infinity();
  for (const Partition& partition : partitions) {
    ChannelProblem problem = problem_of(tables, partition).problem;
    problem.lifts = lifts;
    const double smallest = smallest_distance(problem);
    if (smallest > budget * (1 + 1e-12)) continue;
    try {
      const ChannelResult solution = solve_with_budget(problem, std::max(budget, smallest));
      best = std::min(best, objective_of(problem, solution, objective));
    } catch (const LiftsOutOfReach&) {
    }
  }
  return best;
}

struct Range {
  double smallest, harmless;
  double at(double share) const { return smallest + share * (harmless - smallest); }
};
Range budget_range(const SegmentTables& tables, const std::vector<Partition>& partitions) {
  Range range{1e300, 0};
  for (const Partition& partition : partitions) {
    const ChannelProblem problem = problem_of(tables, partition).problem;
    range.smallest = std::min(range.smallest, smallest_distance(problem));
    range.harmless = std::max(range.harmless, harmless_distance(problem));
  }
  return range;
}

class ExactProperty : public testing::TestWithParam<unsigned> {};

TEST_P(ExactProperty, WithLimitsOnLiftsEqualsBruteForceOrIsRefusedWhereThatFindsNothing) {
  const unsigned seed = GetParam();
  const RandomCensus census = random_census(seed, {.people = 90, .clusters = 3, .values = 6});
  const SegmentTables tables = census.tables();
  const OrderedValues values = census.values();
  const GroupLimits limits{.least_people = 8, .most_people = 60, .least_values = 1, .most_values = 5};
  const auto partitions = all_partitions(values, limits, 2);
  if (partitions.empty()) return;  // which the test below asks about
  const LiftLimits lifts{.least = seed % 2 == 0 ? 0.3 : 0.0, .most = 1.5};
  const Range range = budget_range(tables, partitions);
  ExactSearch search(tables, values, limits, {.groups = 2, .lifts = lifts});
  for (const double share : {0.1, 0.5, 0.8, 1.0}) {
    const double budget = range.at(share);
    const double truth = brute_force(tables, partitions, budget, Objective::Total, lifts);
    try {
      const ExactResult result = search.solve(budget);
      EXPECT_NEAR(result.objective_nats, truth, 4 * kLiftGapBits) << share;
      EXPECT_LE(result.lower_bound_nats, truth + 1e-9) << share;
    } catch (const LiftsOutOfReach& refused) {
      EXPECT_FALSE(std::isfinite(truth)) << share;
      EXPECT_GT(refused.smallest_distance(), budget);
    }
  }
}

TEST_P(ExactProperty, EqualsBruteForceOverAllPartitionsAtEveryBudget) {
  const unsigned seed = GetParam();
  const RandomCensus census =
      random_census(seed, {.people = 90, .clusters = 3 + static_cast<int>(seed % 3), .values = 8});
  const SegmentTables tables = census.tables();
  const OrderedValues values = census.values();
  const GroupLimits limits{.least_people = 8, .most_people = 60, .least_values = 1, .most_values = 5};
  const std::optional<int> groups =
      seed % 4 == 3 ? std::nullopt : std::optional<int>(2 + static_cast<int>(seed % 3));
  const Objective objective = seed % 2 == 0 ? Objective::Total : Objective::Conditional;
  const auto partitions = all_partitions(values, limits, groups);
  if (partitions.empty()) {
    EXPECT_THROW((void)ExactSearch(tables, values, limits, {.groups = groups}).solve(1), InputError);
    return;
  }
  const Range range = budget_range(tables, partitions);
  ExactSearch search(tables, values, limits, {.groups = groups, .objective = objective});
  EXPECT_NEAR(search.smallest_distance(), range.smallest, 1e-12);
  double before = std::numeric_limits<double>::infinity();
  for (const double share : {0.0, 0.02, 0.1, 0.25, 0.5, 0.8, 1.0}) {
    const double budget = range.at(share);
    const ExactResult result = search.solve(budget);
    const double truth = brute_force(tables, partitions, budget, objective);
    EXPECT_NEAR(result.objective_nats, truth, 3e-8 * kBit) << share;
    EXPECT_LE(result.lower_bound_nats, truth + 1e-9 * kBit) << share;  // a bound, whatever happens
    EXPECT_TRUE(result.closed) << share;
    EXPECT_LE(result.gap_nats(), 3e-8 * kBit);
    EXPECT_TRUE(satisfies(values, limits, result.partition));
    EXPECT_LE(result.solution.info.distance, budget * (1 + 1e-9));
    const ChannelProblem problem = problem_of(tables, result.partition).problem;
    EXPECT_NEAR(objective_of(problem, result.solution, objective), result.objective_nats, 1e-12);
    EXPECT_LE(result.objective_nats, before + 3e-8 * kBit);  // more budget never leaks more
    before = result.objective_nats;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExactProperty, testing::Range(0u, 24u));

struct Example {
  RandomCensus census = random_census(77, {.people = 150, .clusters = 5, .values = 10});
  SegmentTables tables = census.tables();
  OrderedValues values = census.values();
  GroupLimits limits{.least_people = 15, .most_people = 90, .least_values = 2, .most_values = 6};
  double budget(double share) const {
    return budget_range(tables, all_partitions(values, limits, 3)).at(share);
  }
};

TEST(Exact, WhatWasLearnedAtOneBudgetDoesNotChangeTheAnswerAtAnother) {
  const Example example;
  ExactSearch shared(example.tables, example.values, example.limits, {.groups = 3});
  for (const double share : {0.7, 0.05, 0.3}) {
    ExactSearch fresh(example.tables, example.values, example.limits, {.groups = 3});
    const ExactResult a = shared.solve(example.budget(share)), b = fresh.solve(example.budget(share));
    EXPECT_EQ(a.partition, b.partition);
    EXPECT_NEAR(a.objective_nats, b.objective_nats, 2e-9);
  }
}

TEST(Exact, IsTheSameWithOneAndWithTwoThreads) {
  const Example example;
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return ExactSearch(example.tables, example.values, example.limits, {.groups = 3})
        .solve(example.budget(0.2));
  };
  const ExactResult one = run(1), two = run(2);
  EXPECT_EQ(one.partition, two.partition);
  EXPECT_EQ(one.objective_nats, two.objective_nats);
  EXPECT_EQ(one.lower_bound_nats, two.lower_bound_nats);
  EXPECT_EQ(one.segments_solved, two.segments_solved);
}

TEST(Exact, SolvesFewerProblemsThanBruteForce) {
  const Example example;
  ExactSearch search(example.tables, example.values, example.limits, {.groups = 3});
  const auto result = search.solve(example.budget(0.2));
  EXPECT_LT(result.partitions_solved,
            static_cast<int>(all_partitions(example.values, example.limits, 3).size()));
  EXPECT_GT(result.segments_solved, 0);
}

TEST(Exact, IsAtOrBelowTheFirstGroupsWithTheirBestChannel) {
  const Example example;
  const auto first = optimal_groups(example.values, example.limits, 3);
  ASSERT_TRUE(first);
  const ChannelProblem problem = problem_of(example.tables, *first).problem;
  for (const double share : {0.3, 0.6}) {
    const double budget = example.budget(share);
    if (smallest_distance(problem) > budget) continue;
    ExactSearch search(example.tables, example.values, example.limits, {.groups = 3});
    EXPECT_LE(search.solve(budget).objective_nats,
              objective_of(problem, solve_with_budget(problem, budget), Objective::Total) + 1e-9);
  }
}

TEST(Exact, LimitedInItsWorkItReturnsAnHonestGap) {
  const Example example;
  const double budget = example.budget(0.05);
  const double truth =
      ExactSearch(example.tables, example.values, example.limits, {.groups = 3}).solve(budget).objective_nats;
  ExactSearch limited(example.tables, example.values, example.limits, {.groups = 3, .most_partitions = 1});
  const ExactResult result = limited.solve(budget);
  EXPECT_GE(result.objective_nats, truth - 1e-9);
  EXPECT_LE(result.lower_bound_nats, truth + 1e-9);
}

TEST(Exact, StoppedEarlyItReturnsTheBestSoFarWithItsBounds) {
  const Example example;
  const double budget = example.budget(0.05);
  std::atomic<bool> stop{false};
  int reports = 0;
  const Progress progress([&](std::string_view, double, double) { stop = ++reports >= 3; }, &stop);
  const ExactResult result =
      ExactSearch(example.tables, example.values, example.limits, {.groups = 3}).solve(budget, progress);
  const double truth =
      ExactSearch(example.tables, example.values, example.limits, {.groups = 3}).solve(budget).objective_nats;
  EXPECT_GE(result.objective_nats, truth - 1e-9);
  EXPECT_LE(result.lower_bound_nats, truth + 1e-9);
  EXPECT_LE(reports, 4);
}

TEST(Exact, DegenerateCasesHaveTheirObviousAnswers) {
  const RandomCensus one_cluster = random_census(5, {.people = 40, .clusters = 1, .values = 6});
  const SegmentTables tables = one_cluster.tables();
  const OrderedValues values = one_cluster.values();
  ExactSearch all(tables, values, {}, {.groups = 1});
  const ExactResult one_group = all.solve(1e9);
  EXPECT_EQ(one_group.partition.starts, (std::vector<int>{0, 6}));
  EXPECT_NEAR(one_group.objective_nats, 0, 1e-9);  // one cluster reveals nothing, one group neither
  ExactSearch free(tables, values, {}, {});
  EXPECT_EQ(free.solve(1e9).partition.groups(), 1);  // fewer groups always leak less
  ExactSearch each(tables, values, {}, {.groups = 6});
  EXPECT_NEAR(each.solve(1e9).objective_nats,
              secret_entropy(problem_of(tables, one_group.partition).problem.joints), 1e-9);
}

TEST(Exact, RefusesABudgetThatNoGroupingReachesAndSaysTheSmallest) {
  const Example example;
  ExactSearch search(example.tables, example.values, example.limits, {.groups = 3});
  try {
    (void)search.solve(search.smallest_distance() * 0.9);
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("smallest expected distance of any grouping"));
  }
  EXPECT_NO_THROW((void)search.solve(search.smallest_distance()));
}

}  // namespace
}  // namespace hyobscure::solve
