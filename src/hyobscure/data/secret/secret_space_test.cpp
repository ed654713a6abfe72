#include "hyobscure/data/secret/secret_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "hyobscure/base/stopwatch.h"
#include "hyobscure/base/test_properties.h"

namespace hyobscure::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Graph = std::vector<std::vector<std::uint32_t>>;

void number_points(SecretSpace& space) {
  space.value_of_point.resize(space.points.size());
  std::iota(space.value_of_point.begin(), space.value_of_point.end(), 0u);
}

SecretSpace cells(std::vector<GridCell> at) {
  SecretSpace space;
  space.axes.push_back({.column = "home", .kind = AxisKind::Spatial, .values = {}});
  for (std::uint32_t i = 0; i < at.size(); ++i) {
    space.axes[0].values.push_back({.cell = at[i]});
    space.points.push_back({i});
  }
  number_points(space);
  return space;
}

SecretSpace one_axis(AxisKind kind, std::uint32_t count) {
  SecretSpace space;
  space.axes.push_back({.column = "x", .kind = kind, .values = {}});
  for (std::uint32_t i = 0; i < count; ++i) {
    space.axes[0].values.push_back(
        {.number = 10.0 * i * i, .name = std::string(1, static_cast<char>('a' + i))});
    space.points.push_back({i});
  }
  number_points(space);
  return space;
}

int whole(int least, int most, const char* what) { return *rc::gen::inRange(least, most + 1).as(what); }

/// Age, home and gender of people: some of all the combinations there could be.
SecretSpace any_space() {
  SecretSpace space;
  const int numbers = whole(1, 5, "numbers"), names = whole(1, 3, "names"), side = whole(1, 12, "side");
  space.axes = {{.column = "age", .kind = AxisKind::Ordered, .values = {}},
                {.column = "home", .kind = AxisKind::Spatial, .values = {}},
                {.column = "gender", .kind = AxisKind::Categorical, .values = {}}};
  for (int i = 0; i < numbers; ++i) space.axes[0].values.push_back({.number = 7.0 * i});
  for (int i = 0; i < names; ++i)
    space.axes[2].values.push_back({.name = std::string(1, static_cast<char>('a' + i))});
  std::set<GridCell> homes;
  for (int i = 0; i < 8; ++i) homes.insert({whole(0, side, "row"), whole(0, side, "column")});
  for (const GridCell& home : homes) space.axes[1].values.push_back({.cell = home});
  std::set<SecretSpace::Point> points;
  const int wanted = whole(1, 30, "points");
  for (int i = 0; i < wanted; ++i)
    points.insert({static_cast<std::uint32_t>(whole(0, numbers - 1, "number")),
                   static_cast<std::uint32_t>(whole(0, static_cast<int>(homes.size()) - 1, "home")),
                   static_cast<std::uint32_t>(whole(0, names - 1, "name"))});
  space.points.assign(points.begin(), points.end());
  number_points(space);
  return space;
}

/// From the definition: every pair against every third point.
Graph by_definition(const SecretSpace& space) {
  const auto& p = space.points;
  Graph graph(p.size());
  for (std::uint32_t a = 0; a < p.size(); ++a)
    for (std::uint32_t b = 0; b < p.size(); ++b) {
      bool blocked = a == b;
      for (std::uint32_t c = 0; c < p.size(); ++c)
        if (c != a && c != b)
          blocked |= squared_distance(space, p[a], p[c]) + squared_distance(space, p[c], p[b]) <=
                     squared_distance(space, p[a], p[b]);
      if (!blocked) graph[a].push_back(b);
    }
  return graph;
}

std::vector<std::uint32_t> all_of(const SecretSpace& space) {
  std::vector<std::uint32_t> all(space.points.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

TEST(SecretSpace, DistanceIsRanksOfNumbersStepsOfCellsAndOneForNames) {
  SecretSpace space;
  space.axes = {
      {.column = "age", .kind = AxisKind::Ordered, .values = {{.number = 1}, {.number = 50}, {.number = 51}}},
      {.column = "home", .kind = AxisKind::Spatial, .values = {{.cell = {0, 0}}, {.cell = {3, -4}}}},
      {.column = "job",
       .kind = AxisKind::Categorical,
       .values = {{.name = "a"}, {.name = "b"}, {.name = "c"}}}};
  EXPECT_EQ(squared_distance(space, {0, 0, 0}, {0, 0, 0}), 0);
  EXPECT_EQ(squared_distance(space, {0, 0, 0}, {2, 0, 0}), 4);
  EXPECT_EQ(squared_distance(space, {0, 0, 0}, {0, 1, 0}), 25);
  EXPECT_EQ(squared_distance(space, {0, 0, 2}, {0, 0, 0}), 1);
  EXPECT_EQ(squared_distance(space, {0, 1, 2}, {1, 0, 0}), 27);
}

TEST(SecretSpace, DistancesOfFarCellsAreExact) {
  const SecretSpace far = cells({{0, 0}, {1'000'000'000, 999'999'999}});
  EXPECT_EQ(squared_distance(far, {0}, {1}), 1'999'999'998'000'000'001);
  EXPECT_THAT(neighbours_of_points(far), ElementsAre(ElementsAre(1), ElementsAre(0)));
}

TEST(SecretSpace, NumbersFollowEachOther) {
  EXPECT_THAT(neighbours_of_points(one_axis(AxisKind::Ordered, 4)),
              ElementsAre(ElementsAre(1), ElementsAre(0, 2), ElementsAre(1, 3), ElementsAre(2)));
}

TEST(SecretSpace, NamesAreAllNeighbours) {
  EXPECT_THAT(neighbours_of_points(one_axis(AxisKind::Categorical, 3)),
              ElementsAre(ElementsAre(1, 2), ElementsAre(0, 2), ElementsAre(0, 1)));
  EXPECT_EQ(neighbours_of_points(one_axis(AxisKind::Categorical, 20)),
            by_definition(one_axis(AxisKind::Categorical, 20)));
}

TEST(SecretSpace, CellsOfAFullGridAreNeighboursAcrossEdgesAlone) {
  std::vector<GridCell> square;
  for (int row = 0; row < 6; ++row)
    for (int column = 0; column < 7; ++column) square.push_back({row, column});
  const Graph graph = neighbours_of_points(cells(square));
  for (std::size_t a = 0; a < square.size(); ++a)
    for (std::size_t b = 0; b < square.size(); ++b) {
      const int steps =
          std::abs(square[a].row - square[b].row) + std::abs(square[a].column - square[b].column);
      EXPECT_EQ(std::ranges::binary_search(graph[a], b), steps == 1) << a << " " << b;
    }
}

TEST(SecretSpace, CellsThatShareACornerAreNeighboursWhereNothingElseIs) {
  EXPECT_THAT(neighbours_of_points(cells({{0, 0}, {1, 1}})), ElementsAre(ElementsAre(1), ElementsAre(0)));
  EXPECT_THAT(neighbours_of_points(cells({{0, 0}, {0, 1}, {1, 1}})),
              ElementsAre(ElementsAre(1), ElementsAre(0, 2), ElementsAre(1)));
}

TEST(SecretSpace, AnIslandIsANeighbourOfWhatIsNearestAcrossTheWater) {
  // a strip on the shore, an island opposite its third cell
  const Graph graph = neighbours_of_points(cells({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {9, 2}}));
  EXPECT_THAT(graph[4], ElementsAre(2));
}

TEST(SecretSpace, NeighboursAreThoseOfTheDefinition) {
  expect_always(400, [] {
    const SecretSpace space = any_space();
    RC_ASSERT(neighbours_of_points(space) == by_definition(space));
  });
}

TEST(SecretSpace, NeighboursOfManyPointsAreThoseOfTheDefinition) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    SecretSpace space;
    space.axes = {{.column = "home", .kind = AxisKind::Spatial, .values = {}},
                  {.column = "age", .kind = AxisKind::Ordered, .values = {}},
                  {.column = "job", .kind = AxisKind::Categorical, .values = {}}};
    const unsigned side = 5 * seed;
    for (unsigned i = 0; i < 12; ++i) {
      space.axes[1].values.push_back({.number = 1.0 * i});
      space.axes[2].values.push_back({.name = std::string(1, static_cast<char>('a' + i))});
    }
    std::set<GridCell> homes;
    for (int i = 0; i < 100; ++i)
      homes.insert({static_cast<std::int32_t>(random() % side), static_cast<std::int32_t>(random() % side)});
    for (const GridCell& home : homes) space.axes[0].values.push_back({.cell = home});
    std::set<SecretSpace::Point> points;
    for (int i = 0; i < 150; ++i)
      points.insert({static_cast<std::uint32_t>(random() % homes.size()),
                     static_cast<std::uint32_t>(random() % (2 * seed)),
                     static_cast<std::uint32_t>(random() % seed)});
    space.points.assign(points.begin(), points.end());
    EXPECT_EQ(neighbours_of_points(space), by_definition(space)) << seed;
  }
}

TEST(SecretSpace, TheGraphIsConnectedAndItsEdgesGoBothWays) {
  expect_always(300, [] {
    const SecretSpace space = any_space();
    const Graph graph = neighbours_of_points(space);
    RC_ASSERT(connected(graph, all_of(space)));
    for (std::uint32_t a = 0; a < graph.size(); ++a)
      for (const std::uint32_t b : graph[a]) RC_ASSERT(std::ranges::binary_search(graph[b], a));
  });
}

TEST(SecretSpace, TheOrderOfThePointsChangesNothing) {
  expect_always(200, [] {
    const SecretSpace space = any_space();
    SecretSpace turned = space;
    std::ranges::reverse(turned.points);
    const Graph graph = neighbours_of_points(space);
    Graph back(graph.size());
    const auto last = static_cast<std::uint32_t>(graph.size() - 1);
    const Graph of_turned = neighbours_of_points(turned);
    for (std::uint32_t a = 0; a <= last; ++a) {
      for (const std::uint32_t b : of_turned[a]) back[last - a].push_back(last - b);
      std::ranges::sort(back[last - a]);
    }
    RC_ASSERT(back == graph);
  });
}

TEST(SecretSpace, ValuesAreNeighboursWherePointsOfTheirsAre) {
  SecretSpace strip = cells({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}});
  strip.value_of_point = {0, 0, 1, 1, 2};
  EXPECT_THAT(neighbours_of_values(strip), ElementsAre(ElementsAre(1), ElementsAre(0, 2), ElementsAre(1)));
  SecretSpace names = one_axis(AxisKind::Categorical, 4);
  names.value_of_point = {0, 1, 0, 2};
  EXPECT_THAT(neighbours_of_values(names),
              ElementsAre(ElementsAre(1, 2), ElementsAre(0, 2), ElementsAre(0, 1)));
}

TEST(SecretSpace, SomePointsAreOnePieceOrSeveral) {
  const Graph strip = neighbours_of_points(cells({{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
  using Some = std::vector<std::uint32_t>;
  EXPECT_TRUE(connected(strip, Some{}));
  EXPECT_TRUE(connected(strip, Some{2}));
  EXPECT_TRUE(connected(strip, Some{2, 1}));
  EXPECT_TRUE(connected(strip, Some{3, 0, 2, 1}));
  EXPECT_FALSE(connected(strip, Some{0, 2}));
  EXPECT_FALSE(connected(strip, Some{0, 1, 3}));
}

TEST(SecretSpace, AGreatCityIsQuick) {
  std::vector<GridCell> city;
  for (int row = 0; row < 80; ++row)
    for (int column = 0; column < 60; ++column)
      if ((row * 7 + column * 13) % 11 < 7) city.push_back({row, column});
  ASSERT_GT(city.size(), 3000u);
  const Stopwatch watch;
  EXPECT_TRUE(connected(neighbours_of_points(cells(city)), all_of(cells(city))));
  EXPECT_LT(watch.seconds(), 20);  // a twentieth of a second, without sanitisers and on an idle machine
}

TEST(SecretSpace, NobodyHasNoNeighbours) {
  EXPECT_THAT(neighbours_of_points(cells({})), IsEmpty());
  EXPECT_THAT(neighbours_of_values(cells({})), IsEmpty());
}

}  // namespace
}  // namespace hyobscure::data
