#include "hyobscure/data/secret/gabriel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace hyobscure::data {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

std::int64_t squared_between(const WholePoints& points, std::size_t a, std::size_t b) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < points.dimensions(); ++d) {
    const std::int64_t gap = points[a][d] - points[b][d];
    sum += d < points.lines ? gap * gap : std::int64_t{gap != 0};
  }
  return sum;
}

/// The definition: every pair against every third point.
Graph gabriel_by_definition(const WholePoints& points) {
  Graph graph(points.size());
  for (std::uint32_t a = 0; a < points.size(); ++a)
    for (std::uint32_t b = 0; b < points.size(); ++b) {
      bool blocked = a == b;
      for (std::uint32_t c = 0; c < points.size() && !blocked; ++c)
        blocked =
            c != a && c != b &&
            squared_between(points, a, c) + squared_between(points, c, b) <= squared_between(points, a, b);
      if (!blocked) graph[a].push_back(b);
    }
  return graph;
}

/// Distinct points whose coordinates on lines go from 0 to `extent` and whose names are among three.
WholePoints random_points(unsigned seed, std::size_t lines, std::size_t names, std::size_t count,
                          std::int64_t extent) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<std::int64_t> place(0, extent), name(0, 2);
  std::set<std::vector<std::int64_t>> distinct;
  for (std::size_t tries = 0; distinct.size() < count && tries < 20 * count; ++tries) {
    std::vector<std::int64_t> point;
    for (std::size_t d = 0; d < lines; ++d) point.push_back(place(rng));
    for (std::size_t d = 0; d < names; ++d) point.push_back(name(rng));
    distinct.insert(point);
  }
  std::vector<std::vector<std::int64_t>> shuffled(distinct.begin(), distinct.end());
  std::ranges::shuffle(shuffled, rng);
  WholePoints points{.lines = lines, .names = names, .coordinates = {}};
  for (const auto& point : shuffled)
    points.coordinates.insert(points.coordinates.end(), point.begin(), point.end());
  return points;
}

TEST(Gabriel, IsTheGraphOfItsDefinition) {
  for (const auto& [lines, names] : {std::pair(1, 0), std::pair(2, 0), std::pair(3, 0), std::pair(0, 3),
                                     std::pair(1, 1), std::pair(2, 1), std::pair(1, 3)})
    // a small extent makes most distances ties, a large one none
    for (const std::int64_t extent : {3, 12, 100'000})
      for (unsigned seed = 0; seed < 3; ++seed) {
        const WholePoints points =
            random_points(seed, static_cast<std::size_t>(lines), static_cast<std::size_t>(names), 60, extent);
        EXPECT_EQ(gabriel_graph(points), gabriel_by_definition(points))
            << lines << " lines, " << names << " names, extent " << extent << ", seed " << seed;
      }
}

TEST(Gabriel, IsSymmetricAndConnected) {
  const WholePoints points = random_points(7, 2, 1, 400, 30);
  const Graph graph = gabriel_graph(points);
  std::vector<bool> seen(graph.size(), false);
  std::vector<std::uint32_t> open{0};
  seen[0] = true;
  while (!open.empty()) {
    const std::uint32_t a = open.back();
    open.pop_back();
    EXPECT_TRUE(std::ranges::is_sorted(graph[a]));
    for (const std::uint32_t b : graph[a]) {
      EXPECT_TRUE(std::ranges::binary_search(graph[b], a)) << a << " " << b;
      if (!seen[b]) open.push_back(b);
      seen[b] = true;
    }
  }
  EXPECT_EQ(std::ranges::count(seen, false), 0);
}

TEST(Gabriel, AGridHasItsFourNeighboursAndNoDiagonals) {
  // The closed ball counts: the two other corners of a square lie on the circle of its diagonal.
  WholePoints points{.lines = 2, .names = 0, .coordinates = {}};
  constexpr std::int64_t kSide = 7;
  for (std::int64_t row = 0; row < kSide; ++row)
    for (std::int64_t column = 0; column < kSide; ++column)
      points.coordinates.insert(points.coordinates.end(), {row, column});
  const Graph graph = gabriel_graph(points);
  for (std::uint32_t a = 0; a < graph.size(); ++a)
    for (std::uint32_t b = 0; b < graph.size(); ++b)
      EXPECT_EQ(std::ranges::binary_search(graph[a], b), squared_between(points, a, b) == 1);
}

TEST(Gabriel, PointsOnALineFormAChainWhateverTheirGaps) {
  WholePoints points{.lines = 2, .names = 0, .coordinates = {}};
  for (std::int64_t k = 0; k < 20; ++k)  // 3 and 4 a step: whole distances, all on one line
    points.coordinates.insert(points.coordinates.end(), {3 * k * k, 4 * k * k});
  const Graph graph = gabriel_graph(points);
  for (std::uint32_t a = 0; a < 20; ++a) {
    std::vector<std::uint32_t> chain;
    if (a > 0) chain.push_back(a - 1);
    if (a < 19) chain.push_back(a + 1);
    EXPECT_EQ(graph[a], chain);
  }
}

TEST(Gabriel, DoesNotSeeShiftsReflectionsOrTheOrderOfAxesAndPoints) {
  const WholePoints points = random_points(8, 2, 1, 50, 9);
  WholePoints moved = points;
  const auto count = static_cast<std::uint32_t>(points.size());
  for (std::uint32_t a = 0; a < count; ++a) {
    // point a becomes the last but a; axes swap places, one is reflected, both are shifted; names are renamed
    std::int64_t* to = &moved.coordinates[(count - 1 - a) * 3];
    to[0] = 500 - points[a][1];
    to[1] = points[a][0] - 1'000'000;
    to[2] = 2 - points[a][2];
  }
  const Graph before = gabriel_graph(points), after = gabriel_graph(moved);
  for (std::uint32_t a = 0; a < count; ++a) {
    std::vector<std::uint32_t> renamed;
    for (const std::uint32_t b : after[count - 1 - a]) renamed.push_back(count - 1 - b);
    std::ranges::sort(renamed);
    EXPECT_EQ(renamed, before[a]);
  }
}

TEST(Gabriel, CoordinatesAThousandMillionApartDoNotOverflow) {
  const WholePoints points = random_points(9, 3, 0, 30, 1'000'000'000);
  EXPECT_EQ(gabriel_graph(points), gabriel_by_definition(points));
}

TEST(Gabriel, NoneOneAndTwoPoints) {
  EXPECT_TRUE(gabriel_graph({}).empty());
  EXPECT_EQ(gabriel_graph({.lines = 1, .names = 0, .coordinates = {5}}), Graph(1));
  EXPECT_EQ(gabriel_graph({.lines = 1, .names = 1, .coordinates = {5, 0, 5, 1}}), (Graph{{1}, {0}}));
}

}  // namespace
}  // namespace hyobscure::data
