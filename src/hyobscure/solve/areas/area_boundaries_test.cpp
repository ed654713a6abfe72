#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/areas/test_areas.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/groups/carried_channels.h"

namespace hyobscure::solve {
namespace {

/// A random census on a map of 3 x 4 cells, areas to start from and half of the distance that the budget may
/// buy.
struct SearchedMap {
  explicit SearchedMap(unsigned seed)
      : census(random_census(seed, {.people = 200, .clusters = 4, .values = 12})),
        areas(grid_map(3, 4, census)),
        tables(census.tables()),
        start(areas_along_curves(areas, limits, 3).value()),
        problem(problem_of(tables, start)),
        budget(0.5 * (smallest_distance(problem.problem) + harmless_distance(problem.problem))) {}

  RandomCensus census;
  AreaValues areas;
  SegmentTables tables;
  GroupLimits limits{.least_people = 40, .most_people = 110, .least_values = 2, .most_values = 7};
  Partition start;
  PartitionProblem problem;
  double budget;
};

TEST(AreaBoundaries, LeakLessWithinTheBudgetThanTheAreasTheyStartFrom) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const SearchedMap map(seed);
    const auto& [census, areas, tables, limits, start, problem, budget] = map;
    const ChannelResult solved = solve_with_budget(problem.problem, budget);
    for (const Acceptance acceptance : {Acceptance::Paper, Acceptance::Budget}) {
      BoundarySearchSettings settings;
      settings.acceptance = acceptance;
      settings.budget = budget;
      RandomStream random(Key::from_seed(seed));
      const auto search = [&](const Partition& from, const PartitionChannels& channels) {
        return search_area_boundaries(tables, areas, limits, from, channels, settings, random);
      };
      const auto found = search(start, {solved.channels, problem.clusters});
      EXPECT_TRUE(satisfies(areas, limits, found.partition));
      const double before = solved.info.leakage_nats + group_entropy(problem.problem.joints);
      if (found.accepted > 0) {
        EXPECT_LT(found.leakage_nats, before);
      }
      EXPECT_LE(found.distance, budget * (1 + 1e-9));
      // The optimal channels of the areas found are no worse than those carried to them.
      const ChannelProblem after = problem_of(tables, found.partition).problem;
      const double optimal =
          solve_with_budget(after, std::max(found.distance, smallest_distance(after))).info.leakage_nats +
          group_entropy(after.joints);
      EXPECT_LE(optimal, found.leakage_nats + 1e-9);
    }
  }
}

Cost cost_of_all(const CarriedChannels& carried, const SegmentTables& tables,
                 const std::vector<int>& group_of_value, int groups) {
  Cost sum;
  for (int g = 0; g < groups; ++g) {
    std::vector<int> members;
    for (int v = 0; v < static_cast<int>(group_of_value.size()); ++v)
      if (group_of_value[static_cast<std::size_t>(v)] == g) members.push_back(v);
    sum = sum + carried.cost(g, tables.group(members));
  }
  return sum;
}

/// Which group of the start each area was: areas are numbered again, and their channels are those of the
/// start.
std::optional<std::vector<int>> numbered_as_at_the_start(const BoundarySearchResult& found,
                                                         const CarriedChannels& carried,
                                                         const SegmentTables& tables) {
  std::vector<int> number(static_cast<std::size_t>(found.partition.groups()));
  std::iota(number.begin(), number.end(), 0);
  do {
    std::vector<int> group = found.partition.group_of_values();
    for (int& g : group) g = number[static_cast<std::size_t>(g)];
    const Cost cost = cost_of_all(carried, tables, group, found.partition.groups());
    if (std::abs(cost.leakage - found.leakage_nats) < 1e-10 &&
        std::abs(cost.distance - found.distance) < 1e-10)
      return group;
  } while (std::ranges::next_permutation(number).found);
  return std::nullopt;
}

TEST(AreaBoundaries, SayWhatTheyCostAndEndWhereNoMoveIsAcceptable) {
  int accepted = 0, moves = 0;
  for (unsigned seed = 0; seed < 6; ++seed) {
    const SearchedMap map(seed);
    const auto& [census, areas, tables, limits, start, problem, budget] = map;
    const PartitionChannels channels{solve_with_budget(problem.problem, budget).channels, problem.clusters};
    const BoundarySearchSettings settings{.acceptance = Acceptance::Budget, .budget = 1.1 * budget};
    RandomStream random(Key::from_seed(seed));
    const auto found = search_area_boundaries(tables, areas, limits, start, channels, settings, random);
    accepted += found.accepted;
    const CarriedChannels carried(tables, start, channels, settings.objective);
    auto group = numbered_as_at_the_start(found, carried, tables);
    ASSERT_TRUE(group.has_value()) << "the figures are those of no numbering of the areas";
    const Cost cost{.leakage = found.leakage_nats, .distance = found.distance};
    for (const AreaMove& move : allowed_moves(areas, limits, *group)) {
      const int from = std::exchange((*group)[static_cast<std::size_t>(move.value)], move.to);
      EXPECT_FALSE(acceptable(cost, cost_of_all(carried, tables, *group, 3), settings));
      (*group)[static_cast<std::size_t>(move.value)] = from;
      ++moves;
    }
  }
  EXPECT_GT(accepted, 3);
  EXPECT_GT(moves, 10);
}

TEST(AreaBoundaries, RefuseAreasOutsideTheLimits) {
  const RandomCensus census = random_census(1, {.people = 60, .clusters = 3, .values = 6});
  const AreaValues areas = grid_map(2, 3, census);
  const SegmentTables tables = census.tables();
  const Partition start = Partition::of({0, 0, 1, 0, 1, 1});
  const PartitionProblem problem = problem_of(tables, start);
  const PartitionChannels channels{
      solve_with_budget(problem.problem, harmless_distance(problem.problem)).channels, problem.clusters};
  RandomStream random(Key::from_seed(1));
  const auto search = [&](const GroupLimits& limits, const Partition& partition) {
    return search_area_boundaries(tables, areas, limits, partition, channels, {}, random);
  };
  EXPECT_NO_THROW((void)search({}, start));
  EXPECT_THROW((void)search({.least_values = 4}, start), InputError);
  EXPECT_THROW((void)search({}, Partition::of({0, 1, 0, 1, 0, 1})), InputError) << "not connected";
}

}  // namespace
}  // namespace hyobscure::solve
