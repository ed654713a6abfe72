#include "hyobscure/obscure/groups/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::obscure {
namespace {

using testing::HasSubstr;

data::Spec spec_of(const std::string& groups) {
  return data::parse_spec(
      "[people]\nfile = \"unread\"\nid = \"id\"\nsecret = \"home\"\nfeatures = [\"x\"]\n[groups]\n" + groups,
      "spec.toml", ".");
}

/// `people` of each of the points, whose features are their number.
data::People people_of(data::SecretSpace space, std::uint32_t each) {
  data::People people;
  people.features.columns = space.points.size();
  for (std::uint32_t p = 0; p < space.points.size(); ++p) {
    space.value_of_point.push_back(p);
    people.values.push_back({double(p), double(p), double(p)});
    for (std::uint32_t i = 0; i < each; ++i) {
      people.ids.push_back(std::to_string(1000 * p + i));
      people.secrets.push_back(p);
      people.features.items.push_back(i % 2 == 0 ? p
                                                 : (p + 1) % static_cast<std::uint32_t>(space.points.size()));
      people.features.values.push_back(1);
      people.features.end_row();
    }
  }
  people.space = std::move(space);
  return people;
}

/// Cities of two states, one of which has two counties.
data::People cities() {
  data::SecretSpace space;
  data::Axis axis{.column = "city", .kind = data::AxisKind::Categorical, .values = {}};
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) axis.values.push_back({.name = name});
  space.axes = {axis};
  for (std::uint32_t i = 0; i < 7; ++i) space.points.push_back({i});
  space.hierarchy = {{"all", 0, 7, {1, 4}},
                     {"north", 0, 4, {2, 3}},
                     {"upper", 0, 2, {5, 6}},
                     {"lower", 2, 4, {7, 8}},
                     {"south", 4, 7, {9, 10, 11}},
                     {"a", 0, 1},
                     {"b", 1, 2},
                     {"c", 2, 3},
                     {"d", 3, 4},
                     {"e", 4, 5},
                     {"f", 5, 6},
                     {"g", 6, 7}};
  return people_of(std::move(space), 10);
}

/// Ages 20 to 25 of two sexes.
data::People ages_and_sexes() {
  data::SecretSpace space;
  data::Axis age{.column = "age", .kind = data::AxisKind::Ordered, .values = {}},
      sex{.column = "sex", .kind = data::AxisKind::Categorical, .values = {}};
  for (int a = 20; a < 26; ++a) age.values.push_back({.number = double(a)});
  for (const char* name : {"F", "M"}) sex.values.push_back({.name = name});
  space.axes = {age, sex};
  for (std::uint32_t a = 0; a < 6; ++a)
    for (std::uint32_t s = 0; s < 2; ++s) space.points.push_back({a, s});
  return people_of(std::move(space), 10);
}

const solve::AreaValues& areas_of(const Terms& terms) {
  return dynamic_cast<const solve::AreaLayout&>(*terms.layout).areas();
}

TEST(Terms, GroupsAlongAHierarchyAreBranchesOfOneNode) {
  const solve::OrderedValues values = ordered_values(cities());
  std::set<std::pair<int, int>> joinable;
  for (int first = 0; first < 7; ++first)
    for (int end = first + 1; end <= 7; ++end)
      if (values.joinable(first, end)) joinable.insert({first, end});
  const std::set<std::pair<int, int>> expected = {{0, 1}, {1, 2}, {2, 3}, {3, 4},
                                                  {4, 5}, {5, 6}, {6, 7},  // cities
                                                  {0, 2}, {2, 4},          // counties
                                                  {0, 4}, {4, 7}, {0, 7},  // states and all
                                                  {4, 6}, {5, 7}};         // neighbouring cities of a state
  EXPECT_EQ(joinable, expected);
  EXPECT_EQ(values.name(2), "c");
  EXPECT_TRUE(layout_of(cities(), false)->search_is_exact());
}

TEST(Terms, WhatAHierarchyDoesNotAllowIsRefusedWithWhatItDoes) {
  // Six cities of one state and county cannot be two groups of 30 to 40: north has 40, south 30.
  const data::People people = cities();
  EXPECT_EQ(first_terms_of(people, spec_of("people = [30, 40]\nvalues = [2, 5]\n")).first_groups,
            (solve::Partition{{0, 4, 7}}));
  try {
    (void)first_terms_of(people, spec_of("count = 2\npeople = [31, 39]\nvalues = [2, 5]\n"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no grouping meets the limits"));
    EXPECT_THAT(error.what(), HasSubstr("Settings near yours that work"));
  }
}

TEST(Terms, SeveralSecretsAreGroupedInBoxesUnlessTheLimitsForbidIt) {
  const data::People people = ages_and_sexes();
  const auto boxes = first_terms_of(people, spec_of("count = 4\npeople = [20, 40]\nvalues = [2, 4]\n"));
  ASSERT_TRUE(areas_of(boxes).may_be_group);
  const auto is_box = [&](const std::vector<int>& values) {
    std::set<std::uint32_t> ages, sexes;
    for (const int v : values) {
      ages.insert(people.space->points[static_cast<std::size_t>(v)][0]);
      sexes.insert(people.space->points[static_cast<std::size_t>(v)][1]);
    }
    return values.size() == (*ages.rbegin() - *ages.begin() + 1) * sexes.size();
  };
  for (int g = 0; g < boxes.first_groups.groups(); ++g) EXPECT_TRUE(is_box(boxes.first_groups.members(g)));
  for (const std::vector<int>& values : {std::vector{0, 2, 4}, {0, 1, 2, 3}, {0, 1, 2}, {0, 4}, {3, 5, 7}})
    EXPECT_EQ(areas_of(boxes).may_be_group(values), is_box(values));

  const auto connected = first_terms_of(people, spec_of("count = 4\npeople = [20, 40]\nvalues = [2, 4]\n"
                                                        "shape = \"connected\"\n"));
  EXPECT_FALSE(areas_of(connected).may_be_group);
}

TEST(Terms, WhereNoBoxesMeetTheLimitsNeighboursDo) {
  // Eighty more women of 21: halves of a hundred are they and a neighbour, and all the others,
  // which are no box.
  data::People people = ages_and_sexes();
  for (int i = 0; i < 80; ++i) {
    people.ids.push_back(std::to_string(100'000 + i));
    people.secrets.push_back(2);
    people.features.items.push_back(2);
    people.features.values.push_back(1);
    people.features.end_row();
  }
  const std::string halves = "count = 2\npeople = [100, 100]\nvalues = [2, 10]\n";
  const auto terms = first_terms_of(people, spec_of(halves));
  EXPECT_FALSE(areas_of(terms).may_be_group);
  EXPECT_EQ(std::min(terms.first_groups.members(0).size(), terms.first_groups.members(1).size()), 2u);
  EXPECT_THROW((void)first_terms_of(people, spec_of(halves + "shape = \"boxes\"\n")), InputError);
}

TEST(Terms, GivenGroupsStayWhateverTheMethod) {
  const data::People people = ages_and_sexes();
  data::Spec spec =
      spec_of("count = 2\npeople = [40, 80]\nvalues = [4, 8]\n[channel]\nclusters = 3\nbudget_share = 0.5\n");
  const solve::Partition given = solve::Partition::of({0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
  for (const char* method : {"exact", "hyobscure", "fine"}) {
    spec.method.name = method;
    EXPECT_EQ(fit(people, spec, {}, given).partition(), given) << method;
  }
}

}  // namespace
}  // namespace hyobscure::obscure
