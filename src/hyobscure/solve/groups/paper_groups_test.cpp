#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/first_groups.h"
#include "hyobscure/solve/groups/test_values.h"

namespace hyobscure::solve {
namespace {

TEST(PaperGroupsOfValues, AreContiguousAndAllowedWheneverSomeGroupingExists) {
  std::mt19937 rng(2);
  int found = 0, refused = 0, repaired = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto values = random_values(rng, 12);
    const auto limits = random_limits(rng);
    const auto counts = feasible_counts(values, limits);
    RandomStream random(Key::from_seed(seed));
    for (int groups = 2; groups <= 4; ++groups) {
      if (counts.empty() || counts.back() < groups) {
        EXPECT_THROW((void)paper_groups(values, limits, groups, random), InputError);
        ++refused;
        continue;
      }
      const auto result = paper_groups(values, limits, groups, random);
      EXPECT_TRUE(satisfies(values, limits, result.partition));
      EXPECT_EQ(result.partition.groups(), *std::lower_bound(counts.begin(), counts.end(), groups));
      ++found;
      repaired += result.repaired ? 1 : 0;
    }
  }
  EXPECT_GT(found, 100);
  EXPECT_GT(refused, 100);
  EXPECT_GT(repaired, 10);
}

TEST(PaperGroupsOfValues, WithoutLimitsAreOrdinaryKMeans) {
  auto values = people_at({5, 5, 5, 5, 5, 5});
  values.positions << 1, 2, 3, 50, 51, 52;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(Key::from_seed(seed));
    const auto result = paper_groups(values, {}, 2, random);
    EXPECT_EQ(result.partition, (Partition{{0, 3, 6}}));
    EXPECT_FALSE(result.repaired || result.replaced);
  }
}

TEST(PaperGroupsOfValues, TakeMoreGroupsOnlyWhereTheNumberIsImpossible) {
  // 10, 20, 10 people: two groups of at most 25 hold 10 + 20 > 25 or 20 + 10 > 25, three are possible.
  const auto values = people_at({10, 20, 10});
  const GroupLimits limits{.least_people = 10, .most_people = 25};
  RandomStream random(Key::from_seed(1));
  const auto more = paper_groups(values, limits, 2, random);
  EXPECT_EQ(more.partition, (Partition{{0, 1, 2, 3}}));
  EXPECT_GE(more.restarts, 1);
  const auto possible = paper_groups(values, {.least_people = 10}, 2, random);
  EXPECT_EQ(possible.partition.groups(), 2);
}

TEST(PaperGroupsOfValues, ThatAreReplacedAreTheOptimalOnes) {
  std::mt19937 rng(7);
  int replaced = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto values = random_values(rng, 12);
    const auto limits = random_limits(rng);
    const auto counts = feasible_counts(values, limits);
    if (counts.empty() || counts.back() < 3) continue;
    RandomStream random(Key::from_seed(seed));
    const auto result = paper_groups(values, limits, 3, random);
    if (!result.replaced) continue;
    ++replaced;
    EXPECT_EQ(result.partition, optimal_groups(values, limits, result.partition.groups()));
  }
  EXPECT_GT(replaced, 3);
}

TEST(PaperGroupsOfValues, AreTheSameForTheSameSeedAndRefuseNoGroups) {
  std::mt19937 rng(4);
  const auto values = random_values(rng, 20);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RandomStream random(Key::from_seed(seed)), again(Key::from_seed(seed));
    EXPECT_EQ(paper_groups(values, {}, 4, random).partition, paper_groups(values, {}, 4, again).partition);
  }
  RandomStream random(Key::from_seed(1));
  EXPECT_THROW((void)paper_groups(values, {}, 0, random), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
