#include "hyobscure/published/coarse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/base/numeric.h"

namespace hyobscure::published {
namespace {

TEST(Coarse, LeakagesGoUpToTheNextStepOfTheGrid) {
  EXPECT_EQ(rounded_up_bits(0.0002, 802), 0.2);
  EXPECT_EQ(rounded_up_bits(0.2, 802), 0.2);
  EXPECT_EQ(rounded_up_bits(0.2001, 802), 0.5);
  EXPECT_EQ(rounded_up_bits(3.1, 802), 5);
  EXPECT_EQ(rounded_up_bits(7, 802), 10);
  EXPECT_EQ(rounded_up_bits(0, 802), 0.2);
  EXPECT_EQ(rounded_up_bits(-1e-17, 802), 0.2) << "the difference of two figures may be below 0 by a hair";
  EXPECT_TRUE(std::isnan(rounded_up_bits(kUnset, 802)));
}

TEST(Coarse, TheFirstStepShrinksWithTheNumberOfPeople) {
  EXPECT_EQ(coarse_step(60), 1);
  EXPECT_EQ(coarse_step(300), 0.5);
  EXPECT_EQ(coarse_step(802), 0.2);
  EXPECT_EQ(coarse_step(10'000), 0.02);
  EXPECT_EQ(coarse_step(100'000'000), 0.001);
  EXPECT_EQ(coarse_step(1), coarse_step(2));
}

TEST(Coarse, FinerFiguresAreFound) {
  EXPECT_TRUE(is_coarse_bits(0.2, 802));
  EXPECT_FALSE(is_coarse_bits(0.1, 802)) << "below the first step";
  EXPECT_FALSE(is_coarse_bits(0.3, 802));
  EXPECT_FALSE(is_coarse_bits(INFINITY, 802));
  EXPECT_TRUE(is_coarse_bits(kUnset, 802)) << "nothing is stated";
  EXPECT_TRUE(is_coarse_distance(0.5));
  EXPECT_TRUE(is_coarse_distance(0));
  EXPECT_FALSE(is_coarse_distance(0.418));
  EXPECT_FALSE(is_coarse_distance(-0.5));
}

TEST(Coarse, DistancesGoUpToTheNextStep) {
  EXPECT_EQ(rounded_up_distance(0.418), 0.5);
  EXPECT_EQ(rounded_up_distance(0.02), 0.02);
  EXPECT_EQ(rounded_up_distance(3.99), 5);
  EXPECT_EQ(rounded_up_distance(1234), 2000);
  EXPECT_EQ(rounded_up_distance(0), 0);
}

TEST(Coarse, TheEntropyOfGroupsFollowsFromTheirPeople) {
  std::vector<Group> groups(3);
  groups[0].people = groups[1].people = groups[2].people = 7;
  EXPECT_EQ(bits_of_groups(groups), 1.5850);  // log2 3 = 1.58496
  groups.resize(2);
  EXPECT_EQ(bits_of_groups(groups), 1);
  EXPECT_EQ(sum_of_published(bits_of_groups(groups), 0.001), 1.001);
}

}  // namespace
}  // namespace hyobscure::published
