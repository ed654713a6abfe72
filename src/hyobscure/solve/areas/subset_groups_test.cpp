#include "hyobscure/solve/areas/subset_groups.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "hyobscure/solve/groups/test_values.h"

namespace hyobscure::solve {
namespace {

/// Every way to divide the values into groups, by putting one value after the other.
void for_each_grouping(const OrderedValues& values, int groups,
                       const std::function<void(const std::vector<double>& people,
                                                const std::vector<double>& distinct)>& visit) {
  std::vector<double> people, distinct;
  const std::function<void(int)> put = [&](int value) {
    if (value == values.count()) {
      if (static_cast<int>(people.size()) == groups) visit(people, distinct);
      return;
    }
    for (std::size_t g = 0; g <= people.size(); ++g) {
      const bool fresh = g == people.size();
      if (fresh) people.push_back(0), distinct.push_back(0);
      people[g] += values.people[value], distinct[g] += values.distinct[value];
      put(value + 1);
      people[g] -= values.people[value], distinct[g] -= values.distinct[value];
      if (fresh) {
        people.pop_back(), distinct.pop_back();
        break;
      }
    }
  };
  put(0);
}

TEST(SubsetGroups, AreThoseOfEveryGrouping) {
  std::mt19937 rng(11);
  for (int trial = 0; trial < 40; ++trial) {
    const OrderedValues values = random_values(rng, 8);
    const GroupLimits limits = random_limits(rng);
    const auto found = SubsetGroups::of(values, 4);
    ASSERT_TRUE(found);
    for (int groups = 1; groups <= 4; ++groups) {
      double k = 0, alpha = std::numeric_limits<double>::infinity(), l = 0, beta = alpha, count = 0;
      for_each_grouping(values, groups, [&](const auto& people, const auto& distinct) {
        k = std::max(k, std::ranges::min(people)), alpha = std::min(alpha, std::ranges::max(people));
        l = std::max(l, std::ranges::min(distinct)), beta = std::min(beta, std::ranges::max(distinct));
        bool within = true;
        for (std::size_t g = 0; g < people.size(); ++g)
          within = within && limits.allow(people[g], distinct[g]);
        count += within;
      });
      EXPECT_EQ(found->largest_least_people(groups), k);
      EXPECT_EQ(found->smallest_most_people(groups), alpha);
      EXPECT_EQ(found->largest_least_values(groups), l);
      EXPECT_EQ(found->smallest_most_values(groups), beta);
      EXPECT_EQ(found->count(limits, groups), count);
    }
  }
}

/// Along the alphabet the large ones lie side by side.
TEST(SubsetGroups, AreMoreThanRuns) {
  const OrderedValues values = people_at({50, 40, 5, 5});
  EXPECT_EQ(SubsetGroups::of(values, 2)->largest_least_people(2), 50);
  EXPECT_FALSE(SubsetGroups::of(people_at(std::vector<double>(SubsetGroups::kMostValues + 1, 10)), 2));
}

}  // namespace
}  // namespace hyobscure::solve
