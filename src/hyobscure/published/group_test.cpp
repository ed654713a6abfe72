#include "hyobscure/published/group.h"

#include <gtest/gtest.h>

namespace hyobscure::published {
namespace {

using data::AxisKind;
using data::Coordinate;

bool holds(const Group& group, const std::vector<Coordinate>& secret, const std::vector<AxisKind>& kinds) {
  return covers(group, secret, kinds);
}

Coordinate number(double x) { return {.number = x}; }
Coordinate cell(int row, int column) { return {.cell = {row, column}}; }
Coordinate name(const std::string& text) { return {.name = text}; }

TEST(Group, ARangeHoldsItsEndsAsItSays) {
  const std::vector<AxisKind> kinds = {AxisKind::Ordered};
  Group group{.label = "", .covers = {{.label = "", .low = 18, .high = 24}}};
  EXPECT_TRUE(holds(group, {number(18)}, kinds));
  EXPECT_TRUE(holds(group, {number(24)}, kinds));
  EXPECT_FALSE(holds(group, {number(17.9)}, kinds));
  EXPECT_FALSE(holds(group, {number(24.1)}, kinds));
  group.covers[0].high_included = false;
  EXPECT_TRUE(holds(group, {number(23.9)}, kinds));
  EXPECT_FALSE(holds(group, {number(24)}, kinds));
  group.covers[0].low.reset();
  EXPECT_TRUE(holds(group, {number(-1e9)}, kinds));
  group.covers[0].high.reset();
  EXPECT_TRUE(holds(group, {number(1e9)}, kinds));
}

TEST(Group, PlacesAndNamesAreHeldWhereTheyAreListed) {
  const Group area{.label = "", .covers = {{.label = "", .cells = {{-1, 2}, {0, 2}, {0, 5}}}}};
  EXPECT_TRUE(holds(area, {cell(-1, 2)}, {{AxisKind::Spatial}}));
  EXPECT_TRUE(holds(area, {cell(0, 5)}, {{AxisKind::Spatial}}));
  EXPECT_FALSE(holds(area, {cell(2, -1)}, {{AxisKind::Spatial}}));
  const Group list{.label = "", .covers = {{.label = "", .names = {"flu", "cold"}}}};
  EXPECT_TRUE(holds(list, {name("cold")}, {{AxisKind::Categorical}}));
  EXPECT_FALSE(holds(list, {name("col")}, {{AxisKind::Categorical}}));
}

TEST(Group, SeveralSecretsAreHeldWhereAllCoversHoldThem) {
  const std::vector<AxisKind> kinds = {AxisKind::Ordered, AxisKind::Categorical};
  const Group box{.label = "", .covers = {{.label = "", .high = 30}, {.label = "", .names = {"f"}}}};
  EXPECT_TRUE(holds(box, {number(20), name("f")}, kinds));
  EXPECT_FALSE(holds(box, {number(20), name("m")}, kinds));
  EXPECT_FALSE(holds(box, {number(31), name("f")}, kinds));
}

TEST(Group, ListedCombinationsCountAndNotWhatTheCoversCross) {
  const std::vector<AxisKind> kinds = {AxisKind::Ordered, AxisKind::Spatial};
  const Group group{.label = "",
                    .covers = {{.label = ""}, {.label = "", .cells = {{0, 0}, {0, 1}}}},
                    .combinations = {{"0.5", "0:1"}, {"20", "0:0"}}};
  EXPECT_TRUE(holds(group, {number(20), cell(0, 0)}, kinds));
  EXPECT_TRUE(holds(group, {number(0.5), cell(0, 1)}, kinds));
  EXPECT_FALSE(holds(group, {number(20), cell(0, 1)}, kinds));
}

}  // namespace
}  // namespace hyobscure::published
