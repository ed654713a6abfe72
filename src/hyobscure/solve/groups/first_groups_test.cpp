#include "hyobscure/solve/groups/first_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_places.h"
#include "hyobscure/solve/groups/test_values.h"

namespace hyobscure::solve {
namespace {

/// Calls visit for every partition into contiguous groups.
void for_each_partition(int count, int groups, const std::function<void(const Partition&)>& visit) {
  Partition partition{.starts = {0}};
  const std::function<void()> extend = [&] {
    if (partition.groups() + 1 == groups) {
      partition.starts.push_back(count);
      visit(partition);
      partition.starts.pop_back();
      return;
    }
    for (int next = partition.starts.back() + 1; next < count; ++next) {
      partition.starts.push_back(next);
      extend();
      partition.starts.pop_back();
    }
  };
  extend();
}

double spread_by_definition(const OrderedValues& values, const Partition& partition) {
  double sum = 0;
  for (int g = 0; g < partition.groups(); ++g) {
    double people = 0, moment = 0;
    for (int y = partition.first(g); y < partition.end(g); ++y) {
      people += values.people(y);
      moment += values.people(y) * values.positions(y);
    }
    for (int y = partition.first(g); y < partition.end(g); ++y)
      if (people > 0) sum += values.people(y) * std::pow(values.positions(y) - moment / people, 2);
  }
  return sum;
}

TEST(FirstGroups, FindTheGapsBetweenCrowds) {
  auto values = people_at({5, 5, 5, 5, 5, 5});
  values.positions << 1, 2, 3, 50, 51, 90;
  EXPECT_EQ(optimal_groups(values, {}, 3), (Partition{{0, 3, 5, 6}}));
  EXPECT_EQ(optimal_groups(values, {.least_values = 2}, 3), (Partition{{0, 2, 4, 6}}));
}

TEST(FirstGroups, AgreeWithExhaustiveSearchAndProveThatNoneExists) {
  std::mt19937 rng(1);
  int feasible = 0, infeasible = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto values = random_values(rng, 8);
    const auto limits = random_limits(rng);
    for (int groups = 1; groups <= 5; ++groups) {
      double best = std::numeric_limits<double>::infinity();
      double count = 0;
      for_each_partition(8, groups, [&](const Partition& partition) {
        if (!satisfies(values, limits, partition)) return;
        count += 1;
        best = std::min(best, spread_by_definition(values, partition));
      });
      EXPECT_EQ(count_groupings(values, limits, groups), count);
      const auto counts = feasible_counts(values, limits);
      EXPECT_EQ(std::count(counts.begin(), counts.end(), groups), count > 0);
      const auto found = optimal_groups(values, limits, groups);
      ASSERT_EQ(found.has_value(), count > 0);
      ++(found ? feasible : infeasible);
      if (!found) continue;
      EXPECT_TRUE(satisfies(values, limits, *found));
      EXPECT_NEAR(spread_by_definition(values, *found), best, 1e-9);
      EXPECT_NEAR(spread(values, *found), best, 1e-9);
    }
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 100);
}

TEST(FirstGroups, RefuseNonsense) {
  EXPECT_THROW((void)optimal_groups(people_at({1, 2}), {}, 0), InputError);
  EXPECT_THROW((void)optimal_groups(people_at({1, 2}), {.least_people = 5, .most_people = 4}, 1), InputError);
  auto unsorted = people_at({1, 2});
  unsorted.positions << 5, 4;
  EXPECT_THROW((void)optimal_groups(unsorted, {}, 1), InputError);
  EXPECT_EQ(optimal_groups(people_at({1, 2}), {}, 3), std::nullopt);
}

// ---- MovieLens ----

std::optional<OrderedValues> movielens_ages() {
  std::ifstream file(shared_folder("HYOBSCURE_DATA", "data") / "movielens-100k" / "u.user");
  std::map<int, double> people;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    std::string id, age;
    std::getline(cells, id, '|');
    std::getline(cells, age, '|');
    if (std::stoi(age) >= 18 && std::stoi(age) <= 50) people[std::stoi(age)] += 1;
  }
  if (people.empty()) return std::nullopt;
  std::vector<double> counts;
  for (const auto& [age, count] : people) counts.push_back(count);
  OrderedValues values = people_at(counts);
  int i = 0;
  for (const auto& [age, count] : people) values.positions(i++) = age;
  return values;
}

class MovieLensAges : public testing::Test {
 protected:
  void SetUp() override {
    const auto ages = movielens_ages();
    if (!ages) GTEST_SKIP() << "no MovieLens data; set HYOBSCURE_DATA to the folder with movielens-100k";
    ages_ = *ages;
  }
  OrderedValues ages_;
};

TEST_F(MovieLensAges, HaveTheKnownNumberOfGroupings) {
  EXPECT_EQ(ages_.people.sum(), 802);
  EXPECT_EQ(ages_.count(), 33);
  EXPECT_EQ(count_groupings(ages_, {100, 400, 4, 12}, 4), 346);
}

TEST_F(MovieLensAges, AdmitNoGroupingAtThePapersDefaultsAndTheNearestAreKnown) {
  const GroupLimits paper{100, 200, 4, 8};
  EXPECT_EQ(optimal_groups(ages_, paper, 4), std::nullopt);
  const auto infeasibility = explain_infeasible(ages_, paper, 4);
  EXPECT_EQ(infeasibility.reason, "4 groups of at most 200 people hold at most 800 of 802 people");
  EXPECT_THAT(
      infeasibility.nearest,
      testing::ElementsAre(Suggestion{4, {100, 236, 4, 9}}, Suggestion{4, {100, 223, 4, 10}},
                           Suggestion{4, {100, 214, 4, 11}}, Suggestion{5, paper}, testing::_, testing::_));
  EXPECT_TRUE(optimal_groups(ages_, {100, 176, 4, 8}, 5).has_value());
  EXPECT_FALSE(optimal_groups(ages_, {100, 175, 4, 8}, 5).has_value());
  EXPECT_TRUE(optimal_groups(ages_, {100, 144, 4, 7}, 6).has_value());
}

TEST_F(MovieLensAges, GetContiguousPaperGroupsFromEverySeed) {
  const GroupLimits limits{100, 400, 4, 12};
  int replaced = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(Key::from_seed(seed));
    const auto result = paper_groups(ages_, limits, 4, random);
    EXPECT_TRUE(satisfies(ages_, limits, result.partition)) << seed;
    EXPECT_EQ(result.partition.groups(), 4);
    replaced += result.replaced ? 1 : 0;
  }
  EXPECT_LT(replaced, 100);
}

}  // namespace
}  // namespace hyobscure::solve
