#include "hyobscure/solve/areas/areas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/areas/test_areas.h"

namespace hyobscure::solve {
namespace {

using testing::ElementsAre;

TEST(Partition, OfGroupsIsTheSameWhateverTheirNumbers) {
  const Partition partition = Partition::of({7, 2, 7, 2, 5});
  EXPECT_EQ(partition, Partition::of({0, 1, 0, 1, 2}));
  EXPECT_THAT(partition.members(0), ElementsAre(0, 2));
  EXPECT_THAT(partition.members(1), ElementsAre(1, 3));
  EXPECT_EQ(partition.group_of(4), 2);
  EXPECT_THAT(partition.group_of_values(), ElementsAre(0, 1, 0, 1, 2));
  EXPECT_FALSE(partition.runs());
  EXPECT_EQ(Partition::of({3, 3, 1}), (Partition{{0, 2, 3}}));
}

TEST(Areas, MovesAreThoseThatLeaveTwoAreasWithinTheLimits) {
  const RandomCensus census = random_census(5, {.people = 90, .clusters = 3, .values = 9});
  const AreaValues areas = grid_map(3, 3, census);
  const GroupLimits limits{.least_people = 15, .most_people = 60, .least_values = 2, .most_values = 6};
  for (const Partition& partition : all_areas(areas, limits, 3)) {
    const std::vector<int> group = partition.group_of_values();
    std::set<std::pair<int, int>> expected, found;
    for (int v = 0; v < 9; ++v)
      for (int to = 0; to < 3; ++to) {
        const auto moved = [&] {
          std::vector<int> result = group;
          result[static_cast<std::size_t>(v)] = to;
          return result;
        }();
        if (to == group[static_cast<std::size_t>(v)] || Partition::of(moved).groups() != 3) continue;
        const Partition after = Partition::of(moved);
        bool good = true;
        for (int g = 0; g < 3; ++g) good = good && is_allowed(areas, limits, after.members(g));
        if (good) expected.insert({v, to});
      }
    for (const AreaMove& move : allowed_moves(areas, limits, group)) found.insert({move.value, move.to});
    EXPECT_EQ(found, expected);
  }
}

TEST(Areas, ExchangesAreThoseOfBoundaryValuesThatLeaveTwoAreasWithinTheLimits) {
  const RandomCensus census = random_census(6, {.people = 90, .clusters = 3, .values = 9});
  const AreaValues areas = grid_map(3, 3, census);
  const GroupLimits limits{.least_people = 25, .most_people = 35, .least_values = 2, .most_values = 5};
  const auto beside = [&](const std::vector<int>& group, int value, int other_group) {
    return std::ranges::any_of(areas.neighbours[static_cast<std::size_t>(value)], [&](int other) {
      return group[static_cast<std::size_t>(other)] == other_group;
    });
  };
  std::size_t exchanges = 0;
  for (const Partition& partition : all_areas(areas, limits, 3)) {
    const std::vector<int> group = partition.group_of_values();
    std::set<std::pair<int, int>> expected, found;
    for (int v = 0; v < 9; ++v)
      for (int w = v + 1; w < 9; ++w) {
        const int of_v = group[static_cast<std::size_t>(v)], of_w = group[static_cast<std::size_t>(w)];
        if (of_v == of_w || !beside(group, v, of_w) || !beside(group, w, of_v)) continue;
        std::vector<int> changed = group;
        std::swap(changed[static_cast<std::size_t>(v)], changed[static_cast<std::size_t>(w)]);
        const Partition after = Partition::of(changed);
        bool good = true;
        for (int g = 0; g < 3; ++g) good = good && is_allowed(areas, limits, after.members(g));
        if (good) expected.insert({v, w});
      }
    for (const auto& [value, other] : allowed_exchanges(areas, limits, group))
      found.insert(std::minmax(value, other));
    EXPECT_EQ(found, expected);
    exchanges += found.size();
  }
  EXPECT_GT(exchanges, 0u);
}

TEST(Areas, TheLeastEntropyOfGroupSizesIsThatOfAllSizes) {
  for (const double people : {30.0, 41.0, 47.0})
    for (const std::optional<int> groups : {std::optional<int>{}, std::optional<int>{4}}) {
      const GroupLimits limits{.least_people = 7, .most_people = 15};
      double least = std::numeric_limits<double>::infinity();
      const std::function<void(double, int, double)> extend = [&](double left, int used, double entropy) {
        if (left == 0 && (!groups || used == *groups)) least = std::min(least, entropy);
        for (double size = 7; size <= std::min(15.0, left); ++size)
          extend(left - size, used + 1, entropy - size / people * std::log(size / people));
      };
      extend(people, 0, 0);
      if (!std::isfinite(least)) continue;
      EXPECT_NEAR(least_group_entropy(people, limits, groups), least, 1e-12) << people;
    }
}

TEST(Areas, FirstAreasSatisfyTheLimitsAndAreCompact) {
  const RandomCensus census = random_census(3, {.people = 300, .clusters = 3, .values = 30});
  const AreaValues areas = grid_map(5, 6, census);
  const GroupLimits limits{.least_people = 40, .most_people = 120, .least_values = 5, .most_values = 12};
  RandomStream random(Key::from_seed(1));
  const auto clustered = clustered_areas(areas, limits, 4, 20, random);
  const auto curved = areas_along_curves(areas, limits, 4);
  ASSERT_TRUE(clustered && curved);
  for (const Partition& partition : {*clustered, *curved}) {
    EXPECT_TRUE(satisfies(areas, limits, partition));
    EXPECT_EQ(partition.groups(), 4);
    for (int g = 0; g < 4; ++g) EXPECT_TRUE(is_allowed(areas, limits, partition.members(g)));
  }
  RandomStream same(Key::from_seed(1));
  EXPECT_GE(spread(areas, *clustered_areas(areas, limits, 4, 1, same)), spread(areas, *clustered));
}

TEST(Areas, FirstAreasAreRepairedWhereKMeansCutsThem) {
  // Two valleys that meet at one end only: near across the ridge, far along the valleys.
  AreaValues areas = grid_map(2, 8, Eigen::VectorXd::Constant(16, 10));
  for (int column = 0; column < 7; ++column) {
    std::erase(areas.neighbours[static_cast<std::size_t>(column)], column + 8);
    std::erase(areas.neighbours[static_cast<std::size_t>(column + 8)], column);
  }
  RandomStream random(Key::from_seed(2));
  const auto found = clustered_areas(areas, {.least_people = 50, .most_people = 60}, 3, 20, random);
  ASSERT_TRUE(found);
  for (int g = 0; g < 3; ++g) EXPECT_TRUE(is_one_piece(areas, found->members(g)));
}

TEST(Areas, WhatCannotBeIsNotFound) {
  const AreaValues areas = grid_map(2, 2, Eigen::VectorXd::Constant(4, 10));
  RandomStream random(Key::from_seed(1));
  EXPECT_FALSE(clustered_areas(areas, {.least_people = 15, .most_people = 15}, 2, 5, random));
  EXPECT_FALSE(areas_along_curves(areas, {.least_people = 15, .most_people = 15}, 2));
  EXPECT_FALSE(clustered_areas(areas, {}, 5, 5, random));
}

TEST(Areas, NeighboursMustGoBothWays) {
  AreaValues areas = grid_map(2, 2, Eigen::VectorXd::Ones(4));
  areas.neighbours[0].clear();
  EXPECT_THROW(validate(areas), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
