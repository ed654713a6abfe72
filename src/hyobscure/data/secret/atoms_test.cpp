#include "hyobscure/data/secret/atoms.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "hyobscure/data/secret/hierarchy.h"

namespace hyobscure::data {
namespace {

using testing::ElementsAre;

SecretSpace city(std::mt19937& random, int side, std::size_t cells) {
  std::set<GridCell> homes;
  while (homes.size() < cells)
    homes.insert({static_cast<std::int32_t>(random() % static_cast<unsigned>(side)),
                  static_cast<std::int32_t>(random() % static_cast<unsigned>(side))});
  SecretSpace space;
  space.axes.push_back({.column = "home", .kind = AxisKind::Spatial, .values = {}});
  for (const GridCell& home : homes) {
    space.points.push_back({static_cast<std::uint32_t>(space.points.size())});
    space.axes[0].values.push_back({.cell = home});
  }
  return space;
}

SecretSpace names(std::size_t count) {
  SecretSpace space;
  space.axes.push_back({.column = "job", .kind = AxisKind::Categorical, .values = {}});
  for (std::uint32_t i = 0; i < count; ++i) {
    space.points.push_back({i});
    space.axes[0].values.push_back({.name = fmt::format("{:06}", i)});
  }
  return space;
}

std::vector<std::int64_t> some_people(std::mt19937& random, std::size_t count, unsigned most = 5) {
  std::vector<std::int64_t> people(count);
  for (auto& number : people) number = 1 + random() % most;
  return people;
}

/// The same rule, step by step and from the start each time.
std::vector<std::uint32_t> slowly(const SecretSpace& space, const std::vector<std::int64_t>& people,
                                  std::size_t atoms) {
  const auto neighbours = neighbours_of_points(space);
  std::vector<std::uint32_t> of_point(people.size());
  std::iota(of_point.begin(), of_point.end(), 0u);
  while (std::set(of_point.begin(), of_point.end()).size() > atoms) {
    std::map<std::uint32_t, std::int64_t> size;
    for (std::size_t p = 0; p < people.size(); ++p) size[of_point[p]] += people[p];
    const auto fewest = [&](const std::set<std::uint32_t>& among) {
      return *std::ranges::min_element(among, {}, [&](auto v) { return std::pair{size.at(v), v}; });
    };
    const std::uint32_t least = fewest(std::set(of_point.begin(), of_point.end()));
    std::set<std::uint32_t> beside;
    for (std::size_t p = 0; p < people.size(); ++p)
      if (of_point[p] == least)
        for (const std::uint32_t q : neighbours[p])
          if (of_point[q] != least) beside.insert(of_point[q]);
    const std::uint32_t other = fewest(beside);
    for (std::uint32_t& value : of_point)
      if (value == least || value == other) value = std::min(least, other);
  }
  const std::set<std::uint32_t> left(of_point.begin(), of_point.end());
  for (std::uint32_t& value : of_point)
    value = static_cast<std::uint32_t>(std::distance(left.begin(), left.find(value)));
  return of_point;
}

TEST(JoinPoints, FewPointsStayAsTheyAre) {
  EXPECT_THAT(join_points(names(3), {5, 1, 1}, 3), ElementsAre(0, 1, 2));
}

TEST(JoinPoints, TheSmallestIsJoinedWithItsSmallestNeighbour) {
  SecretSpace strip = names(5);
  strip.axes[0].kind = AxisKind::Ordered;
  EXPECT_THAT(join_points(strip, {9, 4, 1, 3, 9}, 4), ElementsAre(0, 1, 2, 2, 3));
  EXPECT_THAT(join_points(strip, {9, 4, 1, 3, 9}, 3), ElementsAre(0, 1, 1, 1, 2));
  EXPECT_THAT(join_points(names(5), {9, 4, 1, 3, 2}, 4), ElementsAre(0, 1, 2, 3, 2));
}

class JoinPointsProperty : public testing::TestWithParam<unsigned> {};

TEST_P(JoinPointsProperty, AreasAreConnectedAndThoseOfTheRule) {
  std::mt19937 random(GetParam());
  const SecretSpace space = city(random, 9, 30);
  const auto people = some_people(random, space.points.size());
  const auto neighbours = neighbours_of_points(space);
  for (const int atoms : {2, 7, 20}) {
    const auto value = join_points(space, people, atoms);
    EXPECT_EQ(value, slowly(space, people, static_cast<std::size_t>(atoms)));
    for (std::uint32_t atom = 0; atom < static_cast<std::uint32_t>(atoms); ++atom) {
      std::vector<std::uint32_t> points;
      for (std::uint32_t p = 0; p < value.size(); ++p)
        if (value[p] == atom) points.push_back(p);
      EXPECT_FALSE(points.empty());
      EXPECT_TRUE(connected(neighbours, points));
    }
  }
}

TEST_P(JoinPointsProperty, NamesAreJoinedByTheSameRule) {
  std::mt19937 random(GetParam());
  const SecretSpace space = names(25);
  const auto people = some_people(random, 25);
  for (const int atoms : {2, 6, 24})
    EXPECT_EQ(join_points(space, people, atoms), slowly(space, people, static_cast<std::size_t>(atoms)));
}

TEST_P(JoinPointsProperty, AlongAHierarchyValuesAreWholeSiblings) {
  std::mt19937 random(GetParam());
  NamedTree tree;  // every node belongs to an earlier one
  for (std::uint32_t n = 0; n < 60; ++n) {
    tree.names.push_back(fmt::format("{}", n));
    tree.parents.push_back(n == 0 ? NamedTree::kNoParent : static_cast<std::uint32_t>(random() % n));
  }
  std::vector<std::uint32_t> leaves;
  const auto all = ordered_hierarchy(tree, leaves);
  SecretSpace space = names(leaves.size());
  space.hierarchy = prune(all, std::vector<bool>(leaves.size(), true));
  const auto people = some_people(random, leaves.size());
  for (const int atoms : {2, 5, 12}) {
    const auto value = join_points(space, people, atoms);
    EXPECT_TRUE(std::ranges::is_sorted(value));  // runs of leaves
    EXPECT_EQ(value.back() + 1, static_cast<std::uint32_t>(atoms));
    for (std::uint32_t atom = 0; atom <= value.back(); ++atom) {
      const auto [begin, end] = std::ranges::equal_range(value, atom);
      const auto first = static_cast<std::uint32_t>(begin - value.begin());
      const auto last = static_cast<std::uint32_t>(end - value.begin());
      for (const HierarchyNode& node : space.hierarchy) {
        const bool apart = node.end <= first || last <= node.first;
        const bool inside = first <= node.first && node.end <= last;
        const bool around = node.first <= first && last <= node.end;
        EXPECT_TRUE(apart || inside || around) << "a value that is half in a node";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, JoinPointsProperty, testing::Range(1u, 13u));

TEST(JoinPoints, SiblingsAreJoinedBeforeCousins) {
  SecretSpace space = names(4);
  space.hierarchy = {{"", 0, 4, {1, 4}},  {"x", 0, 2, {2, 3}}, {"a", 0, 1}, {"b", 1, 2},
                     {"y", 2, 4, {5, 6}}, {"c", 2, 3},         {"d", 3, 4}};
  EXPECT_THAT(join_points(space, {9, 1, 1, 9}, 3), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(join_points(space, {9, 1, 2, 9}, 2), ElementsAre(0, 0, 1, 1));
}

TEST(JoinPoints, AHundredThousandNamesAndThreeThousandCellsAreQuick) {
  std::mt19937 random(7);
  const auto of_names = join_points(names(100'000), some_people(random, 100'000, 50), 200);
  EXPECT_EQ(*std::ranges::max_element(of_names), 199u);
  const SecretSpace space = city(random, 70, 3000);
  const auto of_cells = join_points(space, some_people(random, 3000, 50), 200);
  EXPECT_EQ(*std::ranges::max_element(of_cells), 199u);
}

TEST(Atoms, FewValuesStayAsTheyAre) {
  const auto cut = cut_into_atoms({5, 1, 3}, 3);
  EXPECT_EQ(cut.atoms, 3u);
  EXPECT_THAT(cut.atom_of_value, ElementsAre(0, 1, 2));
}

TEST(Atoms, ManyValuesAreJoinedToNeighbourhoodsOfAboutEqualSize) {
  const auto cut = cut_into_atoms(std::vector<std::int64_t>(1000, 2), 10);
  EXPECT_EQ(cut.atoms, 10u);
  std::vector<int> size(10, 0);
  for (std::size_t v = 0; v < 1000; ++v) {
    size[cut.atom_of_value[v]] += 1;
    if (v > 0) {
      EXPECT_GE(cut.atom_of_value[v], cut.atom_of_value[v - 1]);
    }
  }
  for (const int values : size) EXPECT_EQ(values, 100);
}

TEST(Atoms, AFrequentValueMayFillSeveralQuantiles) {
  const auto cut = cut_into_atoms({1, 1, 1000, 1, 1}, 3);
  EXPECT_EQ(cut.atoms, 3u);
  EXPECT_THAT(cut.atom_of_value, ElementsAre(0, 0, 1, 2, 2));
}

}  // namespace
}  // namespace hyobscure::data
