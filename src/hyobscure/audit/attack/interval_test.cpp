#include "hyobscure/audit/attack/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace hyobscure::audit {
namespace {

TEST(Interval, StudentsQuantilesAreThoseOfTheTables) {
  const std::vector<std::pair<int, double>> table = {{1, 12.7062}, {2, 4.3027},  {3, 3.1824},  {4, 2.7764},
                                                     {9, 2.2622},  {10, 2.2281}, {30, 2.0423}, {120, 1.9799}};
  for (const auto& [degrees, quantile] : table) EXPECT_NEAR(student_t_95(degrees), quantile, 1e-4) << degrees;
  EXPECT_NEAR(student_t_95(1'000'000), 1.960, 0.003);
}

TEST(Interval, IsTheFormulaWrittenOut) {
  const std::vector<double> values = {1, 2, 6};  // mean 3, variance 7
  const Estimate plain = estimate(values);
  EXPECT_DOUBLE_EQ(plain.mean, 3);
  EXPECT_NEAR(plain.high - plain.mean, 4.30265 * std::sqrt(7.0 / 3), 1e-4);
  EXPECT_NEAR(plain.mean - plain.low, plain.high - plain.mean, 1e-12);
  const Estimate corrected = estimate(values, 1);
  EXPECT_NEAR(corrected.high - corrected.mean, 4.30265 * std::sqrt(7.0 * (1.0 / 3 + 1)), 1e-4);
  EXPECT_FALSE(plain.above_zero());
}

TEST(Interval, CoversTheMeanOfIndependentValuesNineteenTimesOfTwenty) {
  // 4000 intervals: the number that miss deviates by 14; 4.5 times that has odds below 1e-5.
  std::mt19937 random(1);
  std::normal_distribution<double> normal(5, 2);
  int missed = 0;
  for (int n = 0; n < 4000; ++n) {
    std::vector<double> values(6);
    for (double& value : values) value = normal(random);
    const Estimate found = estimate(values);
    missed += found.low > 5 || found.high < 5 ? 1 : 0;
  }
  EXPECT_NEAR(missed, 200, 62);
}

TEST(Interval, RepeatedSplitsAreCoveredWithTheCorrectionAndNotWithout) {
  // The figure of a split: the mean of its tested half of 100 people, whose true mean is 0. Ten splits of the
  // same people agree with each other more than with the truth.
  std::mt19937 random(2);
  std::normal_distribution<double> normal(0, 1);
  int plain_missed = 0, corrected_missed = 0;
  constexpr int kTrials = 1000;
  for (int n = 0; n < kTrials; ++n) {
    std::vector<double> people(100);
    for (double& person : people) person = normal(random);
    std::vector<double> values;
    for (int split = 0; split < 10; ++split) {
      std::shuffle(people.begin(), people.end(), random);
      values.push_back(std::accumulate(people.begin(), people.begin() + 50, 0.0) / 50);
    }
    const auto misses = [](const Estimate& e) { return e.low > 0 || e.high < 0 ? 1 : 0; };
    plain_missed += misses(estimate(values));
    corrected_missed += misses(estimate(values, 1));
  }
  EXPECT_GT(plain_missed, kTrials / 4);  // promised: one of twenty
  EXPECT_LT(corrected_missed, kTrials / 12);
}

TEST(Interval, EqualValuesHaveNoWidth) {
  const std::vector<double> values = {2, 2, 2};
  const Estimate found = estimate(values, 0.5);
  EXPECT_EQ(found.low, 2);
  EXPECT_EQ(found.high, 2);
}

}  // namespace
}  // namespace hyobscure::audit
