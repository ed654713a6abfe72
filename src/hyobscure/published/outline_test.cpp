#include "hyobscure/published/outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace hyobscure::published {
namespace {

using data::GridCell;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// From a drawing, north above; its last line is row 0.
std::vector<GridCell> drawn(const std::vector<std::string>& lines) {
  std::vector<GridCell> cells;
  for (std::size_t line = 0; line < lines.size(); ++line)
    for (std::size_t column = 0; column < lines[line].size(); ++column)
      if (lines[line][column] == '#')
        cells.push_back({static_cast<int>(lines.size() - 1 - line), static_cast<int>(column)});
  return cells;
}

/// Shoelace, in floating point.
double signed_area(const Ring& ring) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ring.size(); ++i)
    sum += 0.5 * (ring[i].column - ring[i + 1].column) * (ring[i].row + ring[i + 1].row);
  return sum;
}

/// Even-odd, along a ray eastwards from the middle of a cell.
bool is_inside(const Polygon& polygon, GridCell cell) {
  int crossings = 0;
  const auto count = [&](const Ring& ring) {
    for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
      const auto [low, high] = std::minmax(ring[i].row, ring[i + 1].row);
      crossings += ring[i].column > cell.column && low <= cell.row && cell.row < high ? 1 : 0;
    }
  };
  count(polygon.outside);
  for (const Ring& hole : polygon.holes) count(hole);
  return crossings % 2 == 1;
}

TEST(Outline, ACellIsASquareCounterclockwise) {
  const auto polygons = outline(std::vector<GridCell>{{3, 5}});
  ASSERT_THAT(polygons, SizeIs(1));
  EXPECT_THAT(polygons[0].outside,
              ElementsAre(GridCell{3, 5}, GridCell{3, 6}, GridCell{4, 6}, GridCell{4, 5}, GridCell{3, 5}));
  EXPECT_THAT(polygons[0].holes, IsEmpty());
}

TEST(Outline, StraightSidesHaveNoCornersBetween) {
  const auto polygons = outline(drawn({"####", "####", "##.."}));
  ASSERT_THAT(polygons, SizeIs(1));
  EXPECT_THAT(polygons[0].outside, ElementsAre(GridCell{0, 0}, GridCell{0, 2}, GridCell{1, 2}, GridCell{1, 4},
                                               GridCell{3, 4}, GridCell{3, 0}, GridCell{0, 0}));
}

TEST(Outline, AHoleRunsClockwise) {
  const auto polygons = outline(drawn({"###", "#.#", "###"}));
  ASSERT_THAT(polygons, SizeIs(1));
  ASSERT_THAT(polygons[0].holes, SizeIs(1));
  EXPECT_EQ(signed_area(polygons[0].outside), 9);
  EXPECT_EQ(signed_area(polygons[0].holes[0]), -1);
}

TEST(Outline, AnIslandInAHoleIsAPolygonOfItsOwn) {
  const auto polygons = outline(drawn({"#####", "#...#", "#.#.#", "#...#", "#####"}));
  ASSERT_THAT(polygons, SizeIs(2));
  EXPECT_EQ(signed_area(polygons[0].outside) + signed_area(polygons[0].holes[0]), 16);
  EXPECT_EQ(signed_area(polygons[1].outside), 1);
}

TEST(Outline, CellsThatTouchByACornerArePolygonsOfTheirOwn) {
  const auto polygons = outline(drawn({"#.", ".#"}));
  ASSERT_THAT(polygons, SizeIs(2));
  for (const Polygon& polygon : polygons) EXPECT_EQ(signed_area(polygon.outside), 1);
}

TEST(Outline, HolesThatTouchByACornerAreTwoAndAHoleMayTouchTheOutside) {
  const auto two_holes = outline(drawn({"####", "#.##", "##.#", "####"}));
  ASSERT_THAT(two_holes, SizeIs(1));
  EXPECT_THAT(two_holes[0].holes, SizeIs(2));
  const auto at_the_corner = outline(drawn({".##", "#.#", "###"}));
  ASSERT_THAT(at_the_corner, SizeIs(1));
  ASSERT_THAT(at_the_corner[0].holes, SizeIs(1));
  EXPECT_EQ(signed_area(at_the_corner[0].outside), 8);
}

class OutlineProperty : public testing::TestWithParam<unsigned> {};

TEST_P(OutlineProperty, HoldsJustTheCellsAndNoRingMeetsItself) {
  std::mt19937 rng(GetParam());
  const unsigned filled = 20 + GetParam() * 7 % 75;  // percent
  std::set<GridCell> cells;
  for (int row = -6; row < 6; ++row)
    for (int column = -6; column < 6; ++column)
      if (rng() % 100 < filled) cells.insert({row, column});
  std::vector<GridCell> any_order(cells.begin(), cells.end());
  std::ranges::shuffle(any_order, rng);
  const auto polygons = outline(any_order);

  double area = 0;
  const auto check_ring = [&](const Ring& ring) {
    area += signed_area(ring);
    EXPECT_EQ(ring.front(), ring.back());
    EXPECT_EQ(ring.front(), *std::ranges::min_element(ring));
    EXPECT_EQ(std::set<GridCell>(ring.begin(), ring.end()).size(), ring.size() - 1);
  };
  for (const Polygon& polygon : polygons) {
    EXPECT_GT(signed_area(polygon.outside), 0);
    check_ring(polygon.outside);
    for (const Ring& hole : polygon.holes) {
      EXPECT_LT(signed_area(hole), 0);
      check_ring(hole);
    }
  }
  EXPECT_EQ(area, static_cast<double>(cells.size()));
  for (int row = -7; row < 7; ++row)
    for (int column = -7; column < 7; ++column) {
      const auto holding = std::ranges::count_if(
          polygons, [&](const Polygon& polygon) { return is_inside(polygon, {row, column}); });
      EXPECT_EQ(holding, cells.contains({row, column}) ? 1 : 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, OutlineProperty, testing::Range(1u, 60u));

}  // namespace
}  // namespace hyobscure::published
