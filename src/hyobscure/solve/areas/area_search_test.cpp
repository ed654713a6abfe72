#include "hyobscure/solve/areas/area_search.h"

#include <gtest/gtest.h>

#include <atomic>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/areas/test_areas.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::solve {
namespace {

struct Scene {
  RandomCensus census;
  AreaValues areas;
  SegmentTables tables;
  GroupLimits limits;

  double objective(const Partition& partition, double budget) const {
    const ChannelProblem problem = problem_of(tables, partition).problem;
    if (budget < smallest_distance(problem)) return std::numeric_limits<double>::infinity();
    return group_entropy(problem.joints) + solve_with_budget(problem, budget).info.leakage_nats;
  }
  double budget_between(const Partition& partition, double share) const {
    const ChannelProblem problem = problem_of(tables, partition).problem;
    return (1 - share) * smallest_distance(problem) + share * harmless_distance(problem);
  }
};

Scene scene(unsigned seed, int rows, int columns, const GroupLimits& limits) {
  const RandomCensus census = random_census(seed, {.people = 180, .clusters = 4, .values = rows * columns});
  return {census, grid_map(rows, columns, census), census.tables(), limits};
}

constexpr GroupLimits kLimits{.least_people = 30, .most_people = 120, .least_values = 2, .most_values = 7};

TEST(AreaSearch, FindsTheBestOfAllAreasOnSmallMaps) {
  int optimal = 0, cases = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const Scene map = scene(seed, 3, 3, kLimits);
    const auto all = all_areas(map.areas, map.limits, 3);
    ASSERT_FALSE(all.empty());
    for (const double share : {0.2, 0.6}) {
      const double budget = map.budget_between(all[0], share);
      double best = std::numeric_limits<double>::infinity();
      for (const Partition& partition : all) best = std::min(best, map.objective(partition, budget));
      const auto found = AreaSearch(map.tables, map.areas, map.limits, {.groups = 3}, {}).solve(budget);
      EXPECT_TRUE(satisfies(map.areas, map.limits, found.partition));
      EXPECT_NEAR(found.objective_nats, map.objective(found.partition, budget), 1e-8);
      EXPECT_GE(found.objective_nats, best - 1e-8);
      EXPECT_LE(found.objective_nats, best * 1.02);
      EXPECT_LE(found.lower_bound_nats, best + 1e-12);
      optimal += found.objective_nats < best + 1e-7 ? 1 : 0;
      cases += 1;
    }
  }
  EXPECT_GE(optimal, cases * 3 / 4) << "of " << cases;
}

TEST(AreaSearch, OnALineIsTheExactSearch) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Scene line = scene(seed, 1, 9, kLimits);
    const OrderedValues values = line.census.values();
    ExactSearch exact(line.tables, values, line.limits, {.groups = 3});
    const double budget = line.budget_between(exact.solve(1e3).partition, 0.4);
    const double optimum = exact.solve(budget).objective_nats;
    AreaSearch search(line.tables, line.areas, line.limits, {.groups = 3}, {});
    EXPECT_NEAR(search.smallest_distance(), exact.smallest_distance(), 1e-9);
    const double found = search.solve(budget).objective_nats;
    EXPECT_GE(found, optimum - 1e-8);
    EXPECT_LE(found, optimum * 1.005);
  }
}

TEST(AreaSearch, IsNoWorseThanWhatItStartsFrom) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Scene map = scene(seed, 3, 4, kLimits);
    RandomStream random(Key::from_seed(seed));
    const auto start = clustered_areas(map.areas, map.limits, 4, 1, random);
    if (!start) continue;
    const double budget = map.budget_between(*start, 0.3);
    AreaSearch search(map.tables, map.areas, map.limits, {.groups = 4}, {*start});
    EXPECT_LE(search.solve(budget).objective_nats, map.objective(*start, budget) + 1e-9);
    EXPECT_LE(search.smallest_distance(), map.budget_between(*start, 0) + 1e-12);
  }
}

TEST(AreaSearch, OfTheFeaturesAloneHasNoEntropyTerm) {
  const Scene map = scene(1, 3, 3, kLimits);
  const double budget = map.budget_between(all_areas(map.areas, map.limits, 3)[0], 0.5);
  const auto found =
      AreaSearch(map.tables, map.areas, map.limits, {.groups = 3, .objective = Objective::Conditional}, {})
          .solve(budget);
  EXPECT_NEAR(found.objective_nats, found.solution.info.leakage_nats, 1e-12);
  EXPECT_EQ(found.lower_bound_nats, 0);
}

TEST(AreaSearch, WhereFeaturesNeedTellNothingTheSizesDecide) {
  const Scene map = scene(2, 3, 3, {.least_people = 20, .most_people = 140});
  const auto found = AreaSearch(map.tables, map.areas, map.limits, {.groups = 2}, {}).solve(1e3);
  EXPECT_NEAR(found.solution.info.leakage_nats, 0, 1e-8);
  double best = std::numeric_limits<double>::infinity();
  for (const Partition& partition : all_areas(map.areas, map.limits, 2))
    best = std::min(best, map.objective(partition, 1e3));
  EXPECT_LE(found.objective_nats, best * 1.05);
  EXPECT_GE(found.objective_nats, found.lower_bound_nats);
}

TEST(AreaSearch, LargerBudgetsOfOneSearchTellNoMore) {
  const Scene map = scene(6, 4, 4, kLimits);
  AreaSearch search(map.tables, map.areas, map.limits, {.groups = 4}, {});
  double before = std::numeric_limits<double>::infinity();
  for (const double factor : {1.05, 1.2, 1.5, 2.0, 10.0}) {
    const double found = search.solve(factor * search.smallest_distance()).objective_nats;
    EXPECT_LE(found, before + 1e-8);
    before = found;
  }
}

TEST(AreaSearch, IsTheSameForAnyNumberOfThreads) {
  const Scene map = scene(3, 4, 4, kLimits);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    AreaSearch search(map.tables, map.areas, map.limits, {.groups = 4}, {});
    return search.solve(1.5 * search.smallest_distance());
  };
  const auto one = run(1), two = run(2);
  EXPECT_EQ(one.partition, two.partition);
  EXPECT_EQ(one.objective_nats, two.objective_nats);
  EXPECT_EQ(one.moves_tried, two.moves_tried);
}

TEST(AreaSearch, StoppedItHasTheBestOfWhatItKnew) {
  const Scene map = scene(4, 3, 4, kLimits);
  const Partition start = areas_along_curves(map.areas, map.limits, 4).value();
  std::atomic<bool> stop = true;
  const auto found = AreaSearch(map.tables, map.areas, map.limits, {.groups = 4}, {start})
                         .solve(map.budget_between(start, 0.5), Progress({}, &stop));
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(found.partition, start);
  AreaSearch nothing_known(map.tables, map.areas, map.limits, {.groups = 4}, {});
  EXPECT_THROW((void)nothing_known.solve(1e3, Progress({}, &stop)), Stopped);
}

TEST(AreaSearch, RefusesABudgetThatNoKnownAreasMeetAndStartsOutsideTheLimits) {
  const Scene map = scene(5, 3, 3, kLimits);
  AreaSearch search(map.tables, map.areas, map.limits, {.groups = 3}, {});
  EXPECT_THROW((void)search.solve(0.5 * search.smallest_distance()), InputError);
  EXPECT_THROW(AreaSearch(map.tables, map.areas, map.limits, {}, {Partition{{0, 1, 9}}}), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
