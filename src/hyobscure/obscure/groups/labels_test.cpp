#include "hyobscure/obscure/groups/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyobscure::obscure {
namespace {

std::vector<data::SecretValue> exact(std::initializer_list<double> values) {
  std::vector<data::SecretValue> result;
  for (const double value : values) result.push_back({.low = value, .high = value, .centre = value});
  return result;
}

std::vector<std::string> labels(const std::vector<data::SecretValue>& values, std::vector<int> starts,
                                std::optional<data::Interval> keep = {}) {
  std::vector<std::string> result;
  for (const published::Group& group : label_ranges(values, {std::move(starts)}, keep))
    result.push_back(group.label);
  return result;
}

using testing::ElementsAre;

TEST(Labels, WholeNumbersCoverEverythingBetweenTheGroups) {
  EXPECT_THAT(labels(exact({18, 19, 24, 30, 31, 50}), {0, 2, 4, 6}, data::Interval{18, 50}),
              ElementsAre("18-23", "24-30", "31-50"));
}

TEST(Labels, OpenEndsDoNotTellTheSmallestAndTheLargestValue) {
  EXPECT_THAT(labels(exact({18, 19, 24, 107}), {0, 2, 4}), ElementsAre("23 or less", "24 or more"));
  EXPECT_THAT(labels(exact({1.5, 2.25, 9.75}), {0, 1, 3}), ElementsAre("under 2", "2 or more"));
}

TEST(Labels, RealNumbersAreCutAtShortNumbersThatAreNobodysValue) {
  EXPECT_THAT(labels(exact({100.17, 223.4, 231.9, 500.1}), {0, 2, 3, 4}, data::Interval{100, 1000}),
              ElementsAre("100 to under 230", "230 to under 300", "300 to 1000"));
}

TEST(Labels, NegativeNumbersStayReadable) {
  EXPECT_THAT(labels(exact({-5, -4, 0, 3}), {0, 2, 4}, data::Interval{-5, 3}),
              ElementsAre("-5 to -1", "0-3"));
}

TEST(Labels, AGroupOfOneValueAndAGroupOfAllAreCalledSo) {
  EXPECT_THAT(labels(exact({1, 2, 3}), {0, 1, 3}, data::Interval{1, 3}), ElementsAre("1", "2-3"));
  EXPECT_THAT(labels(exact({1, 2, 3}), {0, 3}), ElementsAre("all"));
}

TEST(Labels, CountTheExactValuesBehindAtoms) {
  const std::vector<data::SecretValue> atoms = {{.low = 1, .high = 9, .centre = 5, .distinct = 8},
                                                {.low = 12, .high = 15, .centre = 13, .distinct = 3}};
  const auto groups = label_ranges(atoms, {{0, 2}}, {});
  EXPECT_EQ(groups[0].values, 11);
}

TEST(Labels, ShortNumbersLieStrictlyBetween) {
  EXPECT_EQ(short_number_between(1.2, 3.7), 2);
  EXPECT_EQ(short_number_between(99.5, 1000.5), 1000);
  EXPECT_EQ(short_number_between(99.5, 999.5), 100);
  EXPECT_EQ(short_number_between(0.12345, 0.12349), 0.12346);
  EXPECT_EQ(short_number_between(-0.5, 0.5), 0);
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_EQ(short_number_between(1.0, next), next);
}

}  // namespace
}  // namespace hyobscure::obscure
