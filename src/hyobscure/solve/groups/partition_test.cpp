#include "hyobscure/solve/groups/partition.h"

#include <gtest/gtest.h>

namespace hyobscure::solve {
namespace {

OrderedValues five_values() {
  return {.positions = Eigen::VectorXd::LinSpaced(5, 1, 5),
          .people = Eigen::VectorXd::Constant(5, 10),
          .distinct = Eigen::VectorXd{{1, 1, 3, 1, 1}}};
}

TEST(Partition, KnowsTheGroupOfEachValue) {
  const Partition partition{{0, 2, 5}};
  EXPECT_EQ(partition.groups(), 2);
  EXPECT_EQ(partition.values(), 5);
  EXPECT_EQ(partition.group_of(1), 0);
  EXPECT_EQ(partition.group_of(2), 1);
  EXPECT_EQ(partition.group_of(4), 1);
}

TEST(Partition, LimitsCountPeopleAndDistinctValues) {
  const auto values = five_values();
  EXPECT_TRUE(allowed(values, {20, 20, 2, 2}, 0, 2));
  EXPECT_FALSE(allowed(values, {.least_people = 21}, 0, 2));
  EXPECT_FALSE(allowed(values, {.most_people = 19}, 0, 2));
  EXPECT_FALSE(allowed(values, {.least_values = 3}, 0, 2));
  EXPECT_TRUE(allowed(values, {.least_values = 4}, 1, 3));
  EXPECT_FALSE(allowed(values, {.most_values = 3}, 1, 3));
}

TEST(Partition, SatisfiesLimitsOnlyIfItCoversTheValuesInOrder) {
  const auto values = five_values();
  EXPECT_TRUE(satisfies(values, {}, {{0, 2, 5}}));
  EXPECT_FALSE(satisfies(values, {}, {{0, 2, 4}}));
  EXPECT_FALSE(satisfies(values, {}, {{1, 2, 5}}));
  EXPECT_FALSE(satisfies(values, {}, {{0, 3, 3, 5}}));
  EXPECT_FALSE(satisfies(values, {}, {{0, 9, 5}}));
  EXPECT_FALSE(satisfies(values, {}, {}));
  EXPECT_FALSE(satisfies(values, {.least_people = 30}, {{0, 2, 5}}));
}

}  // namespace
}  // namespace hyobscure::solve
