#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/areas/test_areas.h"

namespace hyobscure::solve {
namespace {

using testing::Contains;
using testing::Each;

AreaValues cube(int side) {
  AreaValues areas{.positions = Eigen::MatrixXi(side * side * side, 3),
                   .people = Eigen::VectorXd::Ones(side * side * side),
                   .distinct = Eigen::VectorXd::Ones(side * side * side),
                   .neighbours = std::vector<std::vector<int>>(static_cast<std::size_t>(side * side * side))};
  for (int v = 0; v < areas.count(); ++v)
    areas.positions.row(v) << v / (side * side), v / side % side, v % side;
  return areas;
}

std::vector<int> steps(const AreaValues& areas, const std::vector<int>& curve) {
  std::vector<int> result;
  for (std::size_t i = 1; i < curve.size(); ++i)
    result.push_back((areas.positions.row(curve[i]) - areas.positions.row(curve[i - 1])).cwiseAbs().sum());
  return result;
}

TEST(Curves, OfAFullGridTakeSingleStepsThroughEveryCell) {
  for (const AreaValues& areas : {grid_map(8, 8, Eigen::VectorXd::Ones(64)), cube(4)}) {
    const auto curves = curves_through(areas);
    EXPECT_EQ(curves.size(), areas.positions.cols() == 2 ? 6u : 9u);
    for (const auto& curve : curves) {
      EXPECT_EQ(std::set<int>(curve.begin(), curve.end()).size(), static_cast<std::size_t>(areas.count()));
      EXPECT_THAT(steps(areas, curve), Each(1));
    }
  }
}

TEST(Curves, RunsAreJoinableWhereTheyAreOnePiece) {
  AreaValues areas = grid_map(3, 4, Eigen::VectorXd::LinSpaced(12, 1, 12));
  // A hole in the map: value 5 is joined to its neighbours no more but for one.
  for (const int other : {1, 4, 9}) {
    std::erase(areas.neighbours[5], other);
    std::erase(areas.neighbours[static_cast<std::size_t>(other)], 5);
  }
  int cut = 0;
  for (const auto& curve : curves_through(areas)) {
    const OrderedValues values = along(areas, curve);
    for (int first = 0; first < 12; ++first)
      for (int end = first + 1; end <= 12; ++end) {
        const bool one = is_one_piece(areas, {curve.begin() + first, curve.begin() + end});
        EXPECT_EQ(values.joinable(first, end), one);
        cut += one ? 0 : 1;
      }
    EXPECT_EQ(values.people(3), areas.people(curve[3]));
  }
  EXPECT_GT(cut, 0);
}

TEST(Curves, RunsComeBackAsGroupsOfValues) {
  const std::vector<int> curve = {2, 0, 1, 3};
  EXPECT_EQ(from_curve_order({{0, 2, 4}}, curve), Partition::of({0, 1, 0, 1}));
}

/// The curve, or the same from its other end.
MATCHER_P(RunsAlong, curve, "") {
  return std::ranges::equal(arg, curve) ||
         std::ranges::equal(arg, std::vector<int>(curve.rbegin(), curve.rend()));
}

TEST(Curves, HaveTheSerpentinesOfEachDimension) {
  const auto curves = curves_through(grid_map(3, 4, Eigen::VectorXd::Ones(12)));
  const std::vector<int> by_rows = {0, 1, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11};
  const std::vector<int> by_columns = {0, 4, 8, 9, 5, 1, 2, 6, 10, 11, 7, 3};
  EXPECT_THAT(curves, Contains(RunsAlong(by_rows)));
  EXPECT_THAT(curves, Contains(RunsAlong(by_columns)));
}

TEST(Curves, HaveHilbertsCurveOfFourByFour) {
  // As it is drawn everywhere: up the first quarter, along two, down the last; and the same transposed.
  const std::vector<std::pair<int, int>> places = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 3},
                                                   {1, 3}, {1, 2}, {2, 2}, {2, 3}, {3, 3}, {3, 2},
                                                   {3, 1}, {2, 1}, {2, 0}, {3, 0}};
  std::vector<int> curve, transposed;
  for (const auto& [row, column] : places) {
    curve.push_back(4 * row + column);
    transposed.push_back(4 * column + row);
  }
  const auto curves = curves_through(grid_map(4, 4, Eigen::VectorXd::Ones(16)));
  EXPECT_THAT(curves, Contains(RunsAlong(curve)));
  EXPECT_THAT(curves, Contains(RunsAlong(transposed)));
}

TEST(Curves, DifferAndDependOnHowPlacesLieToEachOtherOnly) {
  AreaValues areas = grid_map(3, 5, Eigen::VectorXd::Ones(15));
  const auto curves = curves_through(areas);
  for (std::size_t a = 0; a < curves.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) EXPECT_THAT(curves[a], testing::Not(RunsAlong(curves[b])));
  areas.positions.col(0).array() += 1000;
  areas.positions.col(1).array() -= 77;
  EXPECT_EQ(curves_through(areas), curves);
}

}  // namespace
}  // namespace hyobscure::solve
