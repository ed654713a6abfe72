#include "hyobscure/data/synth/synth_limits.h"

#include <gtest/gtest.h>

#include <functional>

namespace hyobscure::data {
namespace {

using Ages = std::map<std::int64_t, std::int64_t>;

/// By trying every way to cut the ages into runs.
bool can_be_cut(const Ages& ages, const AgeLimits& limits) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> list(ages.begin(), ages.end());
  const std::function<bool(std::size_t, int)> rest = [&](std::size_t from, int groups) {
    if (groups == 0) return from == list.size();
    std::int64_t people = 0;
    for (std::size_t end = from + 1; end <= list.size(); ++end) {
      people += list[end - 1].second;
      const auto values = static_cast<int>(end - from);
      if (people >= limits.least_people && people <= limits.most_people && values >= limits.least_values &&
          values <= limits.most_values && rest(end, groups - 1))
        return true;
    }
    return false;
  };
  return rest(0, limits.groups);
}

TEST(SynthLimits, AreTheUsualOnesWhereTheseFit) {
  Ages ages;
  for (int age = 20; age < 60; ++age) ages[age] = 10;
  const AgeLimits limits = limits_that_fit(ages);
  EXPECT_EQ(limits.groups, 4);
  EXPECT_EQ(limits.least_people, 40);
  EXPECT_EQ(limits.most_people, 200);
  EXPECT_EQ(limits.least_values, 4);
  EXPECT_EQ(limits.most_values, 20);
}

TEST(SynthLimits, TakeMoreAgesWhereOldPeopleAreFew) {
  Ages ages;
  for (int age = 20; age < 40; ++age) ages[age] = 100;
  for (int age = 40; age < 80; ++age) ages[age] = 1;
  const AgeLimits limits = limits_that_fit(ages);
  EXPECT_GT(limits.most_values, 20);
  EXPECT_TRUE(can_be_cut(ages, limits));
}

TEST(SynthLimits, FitWhateverTheAgesAre) {
  std::uint32_t state = 7;
  const auto random = [&](std::uint32_t below) {
    return ((state = state * 1664525u + 1013904223u) >> 16) % below;
  };
  for (int trial = 0; trial < 200; ++trial) {
    Ages ages;
    const std::uint32_t values = 2 + random(14);
    for (std::uint32_t i = 0; i < values; ++i)
      ages[static_cast<std::int64_t>(i)] = 1 + random(1 + random(40));
    EXPECT_TRUE(can_be_cut(ages, limits_that_fit(ages))) << trial;
  }
}

TEST(SynthLimits, OfTwoPeopleAreOneGroup) {
  const AgeLimits limits = limits_that_fit({{20, 1}, {30, 1}});
  EXPECT_EQ(limits.groups, 1);
  EXPECT_TRUE(can_be_cut({{20, 1}, {30, 1}}, limits));
}

}  // namespace
}  // namespace hyobscure::data
