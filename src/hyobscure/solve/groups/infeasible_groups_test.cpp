#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "hyobscure/solve/groups/first_groups.h"
#include "hyobscure/solve/groups/test_values.h"

namespace hyobscure::solve {
namespace {

using testing::HasSubstr;

void expect_suggestions_work(const OrderedValues& values, const Infeasibility& infeasibility) {
  EXPECT_LE(infeasibility.nearest.size(), 6u);
  for (const auto& suggestion : infeasibility.nearest)
    EXPECT_TRUE(optimal_groups(values, suggestion.limits, suggestion.groups).has_value());
}

TEST(InfeasibleGroups, NameTheFirstCause) {
  const auto values = people_at({10, 10, 40, 10, 10, 10});
  const auto reason = [&](const GroupLimits& limits, int groups) {
    const auto infeasibility = explain_infeasible(values, limits, groups);
    EXPECT_FALSE(infeasibility.nearest.empty());
    expect_suggestions_work(values, infeasibility);
    return infeasibility.reason;
  };
  EXPECT_EQ(reason({.most_people = 39}, 3),
            "the value 22 alone has 40 people, and a group may hold at most 39");
  EXPECT_EQ(reason({.most_people = 40}, 2), "2 groups of at most 40 people hold at most 80 of 90 people");
  EXPECT_EQ(reason({.most_values = 2}, 2), "2 groups of at most 2 values hold at most 4 of 6 values");
  EXPECT_EQ(reason({.least_people = 31}, 3),
            "3 groups of at least 31 people need 93 people, and there are 90");
  EXPECT_EQ(reason({.least_values = 3}, 3), "3 groups of at least 3 values need 9 values, and there are 6");
  EXPECT_EQ(reason({.least_people = 25, .most_people = 45}, 3),
            "every way to form groups gets stuck between the values 20 and 21");
}

TEST(InfeasibleGroups, SayWhichNumbersOfGroupsWork) {
  const auto values = people_at({10, 10, 10, 10});
  const auto infeasibility = explain_infeasible(values, {.least_people = 20, .most_people = 30}, 1);
  EXPECT_THAT(infeasibility.reason, HasSubstr("at most 30"));
  const auto odd = people_at({10, 20, 10});
  EXPECT_THAT(explain_infeasible(odd, {.least_people = 10, .most_people = 25}, 2).reason,
              HasSubstr("into 3 groups, but not into 2"));
}

TEST(InfeasibleGroups, AlwaysLeadToSettingsThatWork) {
  std::mt19937 rng(3);
  int explained = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const auto values = random_values(rng, 9);
    const auto limits = random_limits(rng);
    for (int groups = 2; groups <= 4; ++groups) {
      if (optimal_groups(values, limits, groups)) continue;
      const auto infeasibility = explain_infeasible(values, limits, groups);
      EXPECT_FALSE(infeasibility.reason.empty());
      expect_suggestions_work(values, infeasibility);
      ++explained;
    }
  }
  EXPECT_GT(explained, 100);
}

/// A suggestion changes nothing without need: any one of its changes taken back by one person or value, all
/// numbers being whole, leaves no grouping.
TEST(InfeasibleGroups, SuggestionsChangeNoMoreThanTheyMust) {
  std::mt19937 rng(5);
  int raised = 0, lowered = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const auto values = random_values(rng, 8);
    const auto asked = random_limits(rng);
    for (int groups = 2; groups <= 3; ++groups) {
      if (optimal_groups(values, asked, groups)) continue;
      for (const Suggestion& suggestion : explain_infeasible(values, asked, groups).nearest) {
        const bool has_lowered = suggestion.limits.least_people < asked.least_people ||
                                 suggestion.limits.least_values < asked.least_values;
        const bool has_raised = suggestion.limits.most_people > asked.most_people ||
                                suggestion.limits.most_values > asked.most_values;
        if (suggestion.groups != groups || (has_lowered && has_raised)) continue;  // one kind is not enough
        const auto works_with = [&](double GroupLimits::* limit, double change) {
          GroupLimits limits = suggestion.limits;
          limits.*limit += change;
          return optimal_groups(values, limits, groups).has_value();
        };
        for (const auto most : {&GroupLimits::most_people, &GroupLimits::most_values})
          if (suggestion.limits.*most > asked.*most) {
            EXPECT_FALSE(works_with(most, -1));
            ++raised;
          }
        for (const auto least : {&GroupLimits::least_people, &GroupLimits::least_values})
          if (suggestion.limits.*least < asked.*least) {
            EXPECT_FALSE(works_with(least, 1));
            ++lowered;
          }
      }
    }
  }
  EXPECT_GT(raised, 100);
  EXPECT_GT(lowered, 5);
}

TEST(InfeasibleGroups, NamesOfValuesStandInTheReason) {
  auto values = people_at({10, 40, 10});
  values.names = {"North", "Centre", "South"};
  EXPECT_EQ(explain_infeasible(values, {.most_people = 30}, 2).reason,
            "the value Centre alone has 40 people, and a group may hold at most 30");
}

}  // namespace
}  // namespace hyobscure::solve
