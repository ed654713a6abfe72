#include "hyobscure/obscure/groups/space_labels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "hyobscure/obscure/groups/labels.h"

namespace hyobscure::obscure {
namespace {

using data::Axis;
using data::AxisKind;
using data::GridCell;
using data::SecretSpace;
using testing::ElementsAre;
using testing::IsEmpty;

// --- spaces made by hand: every point a value of its own

Axis ordered(const std::string& column, const std::vector<double>& numbers) {
  Axis axis{.column = column, .kind = AxisKind::Ordered, .values = {}};
  for (const double number : numbers) axis.values.push_back({.number = number});
  return axis;
}

Axis places(const std::vector<GridCell>& cells) {
  Axis axis{.column = "home", .kind = AxisKind::Spatial, .values = {}};
  for (const GridCell& cell : cells) axis.values.push_back({.cell = cell});
  return axis;
}

Axis categories(const std::vector<std::string>& names) {
  Axis axis{.column = "job", .kind = AxisKind::Categorical, .values = {}};
  for (const std::string& name : names) axis.values.push_back({.name = name});
  return axis;
}

SecretSpace space_of(std::vector<Axis> axes, std::vector<SecretSpace::Point> points) {
  SecretSpace space{.axes = std::move(axes),
                    .grid = {},
                    .hierarchy = {},
                    .points = std::move(points),
                    .value_of_point = {}};
  for (std::uint32_t p = 0; p < space.points.size(); ++p) space.value_of_point.push_back(p);
  return space;
}

SecretSpace space_of(Axis axis) {
  std::vector<SecretSpace::Point> points;
  for (std::uint32_t v = 0; v < axis.values.size(); ++v) points.push_back({v});
  return space_of({std::move(axis)}, std::move(points));
}

std::vector<GridCell> rectangle(int rows, int columns) {
  std::vector<GridCell> cells;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) cells.push_back({row, column});
  return cells;
}

std::vector<published::Group> label(const SecretSpace& space, const std::vector<int>& group_of_value,
                                    std::optional<data::Interval> keep = {}) {
  return label_space(space, solve::Partition::of(group_of_value), keep);
}

std::vector<std::string> labels(const std::vector<published::Group>& groups) {
  std::vector<std::string> result;
  for (const published::Group& group : groups) result.push_back(group.label);
  return result;
}

/// A group by what a cell is.
template <class GroupOf>
std::vector<int> by_cell(const std::vector<GridCell>& cells, GroupOf&& group_of) {
  std::vector<int> result;
  for (const GridCell& cell : cells) result.push_back(group_of(cell));
  return result;
}

// --- places

TEST(SpaceLabels, AreasAreCalledByTheirDirectionRowsCountNorthwards) {
  const auto cells = rectangle(9, 9);
  const auto groups =
      label(space_of(places(cells)), by_cell(cells, [](GridCell c) { return c.row / 3 * 3 + c.column / 3; }));
  EXPECT_THAT(labels(groups), ElementsAre("south-west: 9 cells", "south: 9 cells", "south-east: 9 cells",
                                          "west: 9 cells", "centre: 9 cells", "east: 9 cells",
                                          "north-west: 9 cells", "north: 9 cells", "north-east: 9 cells"));
  EXPECT_THAT(groups[1].covers[0].cells,
              ElementsAre(GridCell{0, 3}, GridCell{0, 4}, GridCell{0, 5}, GridCell{1, 3}, GridCell{1, 4},
                          GridCell{1, 5}, GridCell{2, 3}, GridCell{2, 4}, GridCell{2, 5}));
  EXPECT_EQ(groups[1].covers[0].label, groups[1].label);
  EXPECT_EQ(groups[1].values, 9);
}

TEST(SpaceLabels, AreasInTheSameDirectionAreNumberedAndOneCellIsSingular) {
  const auto cells = rectangle(1, 8);
  const auto groups = label(space_of(places(cells)),
                            by_cell(cells, [](GridCell c) { return c.column == 7 ? 2 : c.column / 4; }));
  EXPECT_THAT(labels(groups), ElementsAre("west: 4 cells", "east: 3 cells", "east 2: 1 cell"));
}

TEST(SpaceLabels, OneAreaOfAllCellsIsCalledAll) {
  const auto cells = rectangle(2, 3);
  EXPECT_THAT(labels(label(space_of(places(cells)), std::vector<int>(6, 0))), ElementsAre("all: 6 cells"));
}

TEST(SpaceLabels, AnAtomBringsAllItsCells) {
  auto space = space_of(places(rectangle(1, 4)));
  space.value_of_point = {0, 0, 1, 1};
  const auto groups = label(space, {0, 1});
  EXPECT_THAT(groups[0].covers[0].cells, ElementsAre(GridCell{0, 0}, GridCell{0, 1}));
  EXPECT_EQ(groups[0].values, 2);
  EXPECT_THAT(groups[0].members, ElementsAre(0));
}

// --- categories

TEST(SpaceLabels, CategoriesAreListedAndLongListsAreShortened) {
  std::vector<std::string> names = {"a", "b", "c"};
  std::vector<int> groups = {0, 0, 0};
  for (int i = 0; i < 14; ++i) {
    names.push_back(fmt::format("x{:02}", i));
    groups.push_back(1);
  }
  const auto labelled = label(space_of(categories(names)), groups);
  EXPECT_THAT(labels(labelled), ElementsAre("a, b, c", "x00, x01 and 12 more"));
  EXPECT_THAT(labelled[0].covers[0].names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(labelled[1].covers[0].names.size(), 14u);
}

TEST(SpaceLabels, GroupsThatReadAlikeAreNumbered) {
  EXPECT_THAT(labels(label(space_of(categories({"a", "b, c", "a, b", "c"})), {0, 0, 1, 1})),
              ElementsAre("a, b, c", "a, b, c (2)"));
}

TEST(SpaceLabels, SeveralCategoriesNeverReadAsOne) {
  EXPECT_THAT(labels(label(space_of(categories({"a", "a, b", "b", "b (2)"})), {0, 1, 0, 2})),
              ElementsAre("a, b (2)", "a, b", "b (2)"));
  auto space = space_of(categories({"flu", "cold", "sprain"}));
  space.hierarchy = {{.name = "", .first = 0, .end = 3, .children = {1}},
                     {.name = "sprain", .first = 0, .end = 2}};
  EXPECT_THAT(labels(label(space, {0, 0, 1})), ElementsAre("flu, cold", "sprain"));
}

TEST(SpaceLabels, AGroupThatIsANodeOfTheHierarchyHasItsName) {
  auto space = space_of(categories({"flu", "cold", "cough", "fracture", "sprain", "burn"}));
  space.hierarchy = {{.name = "", .first = 0, .end = 6, .children = {1, 4}},
                     {.name = "Inside", .first = 0, .end = 3, .children = {2}},
                     {.name = "Airways", .first = 0, .end = 3, .children = {3}},
                     {.name = "Virus", .first = 0, .end = 2},
                     {.name = "Injuries", .first = 3, .end = 6}};
  EXPECT_THAT(labels(label(space, {0, 0, 0, 1, 1, 1})), ElementsAre("Airways", "Injuries"));
  EXPECT_THAT(labels(label(space, {0, 0, 1, 2, 2, 1})),
              ElementsAre("Virus", "cough, burn", "fracture, sprain"));
  EXPECT_THAT(labels(label(space, {0, 0, 0, 0, 0, 0})), ElementsAre("flu, cold and 4 more"));
}

// --- several secrets

/// Ages 20, 21, 30, 31 by gender; every combination occurs.
SecretSpace ages_and_genders() {
  std::vector<SecretSpace::Point> points;
  for (std::uint32_t age = 0; age < 4; ++age)
    for (std::uint32_t gender = 0; gender < 2; ++gender) points.push_back({age, gender});
  return space_of({ordered("age", {20, 21, 30, 31}), categories({"f", "m"})}, points);
}

TEST(SpaceLabels, BoxesArePublishedByTheirSides) {
  const auto groups = label(ages_and_genders(), {0, 1, 0, 1, 2, 2, 2, 2});
  EXPECT_THAT(labels(groups), ElementsAre("29 or less, f", "29 or less, m", "30 or more, f, m"));
  for (const published::Group& group : groups) EXPECT_THAT(group.combinations, IsEmpty());
  EXPECT_EQ(groups[0].covers[0].high, 29);
  EXPECT_THAT(groups[0].covers[1].names, ElementsAre("f"));
  EXPECT_EQ(groups[2].values, 4);
}

TEST(SpaceLabels, TheKeptIntervalEndsTheRanges) {
  const auto groups = label(ages_and_genders(), {0, 1, 0, 1, 2, 2, 2, 2}, data::Interval{18, 40});
  EXPECT_THAT(labels(groups), ElementsAre("18-29, f", "18-29, m", "30-40, f, m"));
}

TEST(SpaceLabels, GroupsThatAreNoBoxesListTheirCombinations) {
  const auto groups = label(ages_and_genders(), {0, 1, 0, 0, 1, 1, 1, 1});
  EXPECT_THAT(labels(groups), ElementsAre("29 or less, f, m", "all, f, m"));
  EXPECT_THAT(groups[0].combinations,
              ElementsAre(ElementsAre("20", "f"), ElementsAre("21", "f"), ElementsAre("21", "m")));
  EXPECT_EQ(groups[1].combinations.size(), 5u);
}

TEST(SpaceLabels, EqualCoversOfGroupsThatAreNoBoxesAreNumbered) {
  const auto groups = label(ages_and_genders(), {0, 1, 1, 0, 1, 0, 0, 1});
  EXPECT_THAT(labels(groups), ElementsAre("all, f, m", "all, f, m (2)"));
}

TEST(SpaceLabels, TheSameAreaHasTheSameNameInEveryGroup) {
  const auto space = space_of({ordered("age", {20.5, 30.25}), places(rectangle(1, 4))},
                              {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {1, 3}});
  EXPECT_THAT(labels(label(space, {0, 0, 1, 1, 2, 2, 3, 3})),
              ElementsAre("under 30, west: 2 cells", "under 30, east: 2 cells", "30 or more, west: 2 cells",
                          "30 or more, east: 2 cells"));
}

class SpaceLabelsProperty : public testing::TestWithParam<unsigned> {};

/// Covers crossed hold each occupied point once, or combinations do: by asking covers() of every point.
TEST_P(SpaceLabelsProperty, EveryPointIsInItsGroupAndNoOther) {
  std::mt19937 rng(GetParam());
  const auto below = [&](unsigned n) { return static_cast<int>(rng() % n); };
  std::vector<SecretSpace::Point> points;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 6; ++b)
      for (std::uint32_t c = 0; c < 2; ++c)
        if (below(3) > 0) points.push_back({a, b, c});
  const auto space =
      space_of({ordered("age", {-1, 2.5, 3, 9}), places(rectangle(2, 3)), categories({"f", "m"})}, points);
  const bool boxes = GetParam() % 2 == 0;
  std::vector<int> group_of_value;
  for (const auto& point : points)
    group_of_value.push_back(
        boxes ? static_cast<int>(point[0] / 2 * 2 + (point[0] < 2 ? point[2] : point[1] / 3)) : below(4));
  const auto partition = solve::Partition::of(group_of_value);
  const auto groups = label_space(space, partition, {});

  const std::vector<AxisKind> kinds = {AxisKind::Ordered, AxisKind::Spatial, AxisKind::Categorical};
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::vector<data::Coordinate> secret = space.secret(p);
    for (int g = 0; g < partition.groups(); ++g)
      EXPECT_EQ(covers(groups[static_cast<std::size_t>(g)], secret, kinds),
                g == partition.group_of(static_cast<int>(p)));
  }
  std::set<std::string> different;
  for (const published::Group& group : groups) {
    different.insert(group.label);
    EXPECT_EQ(group.combinations.empty(), boxes);
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_FALSE(group.covers[axis].label.empty());
  }
  EXPECT_EQ(different.size(), groups.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, SpaceLabelsProperty, testing::Range(0u, 20u));

TEST(SpaceLabels, PeopleAreCounted) {
  data::People people;
  people.space = space_of(places(rectangle(1, 4)));
  people.values.resize(4);
  people.secrets = {0, 0, 1, 2, 3, 3, 3};
  const auto groups = label_groups(people, solve::Partition::of({0, 0, 1, 1}), {});
  EXPECT_EQ(groups[0].people, 3);
  EXPECT_EQ(groups[1].people, 4);
}

}  // namespace
}  // namespace hyobscure::obscure
