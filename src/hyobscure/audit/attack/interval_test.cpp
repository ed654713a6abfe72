#include "hyobscure/audit/attack/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
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
  EXPECT_EQ(estimate(values, {.low = 0, .high = 5}).low, 0);  // cut to what the figure can be
  EXPECT_EQ(estimate(values, {.low = 0, .high = 5}).high, 5);
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

std::vector<std::uint32_t> numbered(std::size_t people) {
  std::vector<std::uint32_t> all(people);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

TEST(IntervalOverPeople, OfOneTrialIsStudentsOfItsPeople) {
  const std::vector<double> values = {1, 2, 6, 3, 3};
  const std::vector<TrialFigure> trial = {mean_figure(numbered(5), values)};
  const Estimate found = estimate(over_people(trial)), student = estimate(values);
  EXPECT_NEAR(found.mean, student.mean, 1e-12);
  EXPECT_NEAR(found.low, student.low, 1e-9);
  EXPECT_NEAR(found.high, student.high, 1e-9);
}

TEST(IntervalOverPeople, ThePersonCountsOnceHoweverOftenTested) {
  const std::vector<double> values = {1, 2, 6, 3, 3};
  const TrialFigure trial = mean_figure(numbered(5), values);
  const Estimate once = estimate(over_people(std::vector{trial}));
  const Estimate ten_times = estimate(over_people(std::vector(10, trial)));
  EXPECT_NEAR(once.low, ten_times.low, 1e-9);
  EXPECT_NEAR(once.high, ten_times.high, 1e-9);
}

// The figure of a split: the mean of its tested half of 100 people, whose true mean is 0. Ten splits of the
// same people agree with each other more than with the truth, which Student's interval of them does not know.
// 2000 trials at 5 %: 100 miss with a deviation of 10; five of them have odds below 1e-6.
TEST(IntervalOverPeople, CoversTheMeanNineteenTimesOfTwentyForAnyNumberOfSplits) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(0, 1);
  constexpr int kTrials = 2000;
  for (const int splits : {1, 2, 10}) {
    int missed = 0, student_missed = 0;
    for (int n = 0; n < kTrials; ++n) {
      std::vector<double> value_of_person(100);
      for (double& person : value_of_person) person = normal(random);
      std::vector<TrialFigure> trials;
      std::vector<double> means;
      std::vector<std::uint32_t> order = numbered(100);
      for (int split = 0; split < splits; ++split) {
        std::shuffle(order.begin(), order.end(), random);
        std::vector<double> values;
        for (std::size_t i = 0; i < 50; ++i) values.push_back(value_of_person[order[i]]);
        trials.push_back(mean_figure(std::span(order).first(50), values));
        means.push_back(trials.back().value);
      }
      const auto misses = [](const Estimate& e) { return e.low > 0 || e.high < 0 ? 1 : 0; };
      missed += misses(estimate(over_people(trials)));
      if (splits == 10) student_missed += misses(estimate(means));
    }
    EXPECT_LT(missed, 150) << splits;
    EXPECT_GT(missed, 20) << splits;  // nor does it promise too little
    if (splits == 10) {
      EXPECT_GT(student_missed, kTrials / 4);
    }
  }
}

// Every trial has a luck of its own that all of its people share, as a better model would be.
TEST(IntervalOverPeople, CountsWhatTheTrialsShare) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0, 1);
  int missed = 0;
  constexpr int kTrials = 1000;
  for (int n = 0; n < kTrials; ++n) {
    std::vector<TrialFigure> trials;
    for (int trial = 0; trial < 12; ++trial) {
      const double luck = normal(random);
      std::vector<double> values;
      for (int i = 0; i < 100; ++i) values.push_back(luck + normal(random));
      trials.push_back(mean_figure(numbered(100), values));
    }
    const Estimate found = estimate(over_people(trials));
    missed += found.low > 0 || found.high < 0 ? 1 : 0;
  }
  EXPECT_LT(missed, kTrials / 8);  // twelve trials estimate the luck with 11 degrees of freedom
}

/// Gains of people, a share of whom are seen as they are: those gain 1 +- 3 years, the others 0 +- 1.
std::vector<double> simulated_gains(double share, std::size_t people, std::mt19937& random) {
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> gains;
  for (std::size_t u = 0; u < people; ++u)
    gains.push_back(unit(random) < share ? 1 + 3 * normal(random) : normal(random));
  return gains;
}

// At the stated power nine of ten trials must find the gain: of 2000, 1800 with a deviation of 13.4; the
// power is computed from a sample that deviates too, so 5 % on either side.
TEST(Power, IsTheGainThatIsFoundNineTimesOfTen) {
  std::mt19937 random(4);
  constexpr std::size_t kPeople = 2000;
  const auto figure = [&](double share) {
    return over_people(std::vector{mean_figure(numbered(kPeople), simulated_gains(share, kPeople, random))});
  };
  MeanAndVariance nothing = figure(0);
  nothing.mean = 0;  // as it is on average
  const std::optional<double> power = smallest_found(nothing, figure(1));
  ASSERT_TRUE(power);
  EXPECT_GT(*power, 0);
  EXPECT_LT(*power, 0.3);
  int found = 0;
  constexpr int kTrials = 2000;
  for (int n = 0; n < kTrials; ++n)
    found += estimate(figure(*power)).above_zero() ? 1 : 0;  // gains of 1 each
  EXPECT_NEAR(found, 0.9 * kTrials, 0.05 * kTrials);
}

TEST(Power, OfPlantedLeaksIsWhereTheFirstIsLargeEnough) {
  const auto gain = [](double mean, double deviation) {
    return MeanAndVariance{.mean = mean, .variance = deviation * deviation, .people = 100'000};
  };
  // 1.96 + 1.28 = 3.24 deviations: 0.1 is short of it by 0.062, 0.3 above by 0.138
  const std::vector<MeanAndVariance> rising = {gain(0, 0.05), gain(0.1, 0.05), gain(0.3, 0.05),
                                               gain(1, 0.05)};
  const auto found = smallest_found(rising);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found, 3.242 * 0.05, 0.001);  // equal deviations: exactly what is needed
  EXPECT_FALSE(smallest_found(std::vector{gain(0, 0.1), gain(0.2, 0.1), gain(0.3, 0.1)}));
  // whoever fell back on the guess until 0.3 was not shown to see less
  EXPECT_EQ(smallest_found(std::vector{gain(0, 0), gain(0, 0), gain(0.3, 0.05), gain(1, 0.05)}), 0.3);
}

TEST(Power, IsNothingWhereNotEvenTrueFeaturesWouldBeSeen) {
  EXPECT_FALSE(
      smallest_found({.mean = 0, .variance = 1, .people = 50}, {.mean = 1, .variance = 1, .people = 50}));
  EXPECT_FALSE(
      smallest_found({.mean = -1, .variance = 1, .people = 50}, {.mean = -1, .variance = 0, .people = 50}));
  // An attacker who falls back on the group's guess has no variance, and is not all-seeing for that.
  const auto power = smallest_found({.mean = 0, .variance = 0, .people = 1000},
                                    {.mean = 1, .variance = 0.01, .people = 1000});
  ASSERT_TRUE(power);
  EXPECT_GT(*power, 0.005);
}

TEST(Interval, EqualValuesHaveNoWidth) {
  const std::vector<double> values = {2, 2, 2};
  const Estimate found = estimate(values);
  EXPECT_EQ(found.low, 2);
  EXPECT_EQ(found.high, 2);
}

TEST(Interval, OfAShareSaysSomethingWhereNobodyIsCounted) {
  std::vector<std::uint32_t> people(400);
  std::iota(people.begin(), people.end(), 0U);
  std::vector<double> found(400, 0);
  const auto of = [&] { return share_estimate(over_people(std::vector{mean_figure(people, found)})); };
  EXPECT_EQ(of().low, 0);
  EXPECT_NEAR(of().high, 0.0095, 1e-4);  // Wilson: z^2 / (n + z^2)
  found.assign(400, 1);
  EXPECT_NEAR(of().low, 1 - 0.0095, 1e-4);
  EXPECT_EQ(of().high, 1);
  for (std::size_t n = 0; n < 396; ++n) found[n] = 0;
  EXPECT_NEAR(of().low, 0.0039, 3e-4);  // 4 of 400 by Wilson's formula with z; here with t
  EXPECT_NEAR(of().high, 0.0254, 3e-4);
}

TEST(Interval, OfPeopleDrawnAgainIsThatOfTheNormalDistributionWhereThereAreMany) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(5, 2);
  std::vector<std::uint32_t> people(900);
  std::iota(people.begin(), people.end(), 0U);
  std::vector<TrialFigure> trials;
  for (int trial = 0; trial < 3; ++trial) {
    std::vector<double> values;
    for (std::size_t n = 0; n < people.size(); ++n) values.push_back(normal(random));
    trials.push_back(mean_figure(people, values));
  }
  // Both quantiles of 1000 draws deviate by 5 % of the half width; six times that.
  const Estimate drawn = resampled(trials, Key::from_seed(1)), half = estimate(over_people(trials));
  EXPECT_EQ(drawn.mean, half.mean);
  EXPECT_NEAR(drawn.high - drawn.mean, half.high - half.mean, 0.3 * (half.high - half.mean));
  EXPECT_NEAR(drawn.mean - drawn.low, half.high - half.mean, 0.3 * (half.high - half.mean));
  EXPECT_GE(resampled(trials, Key::from_seed(1), {.low = 5}).low, 5);
}

TEST(Interval, QuantilesAreInterpolated) {
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 0.25), 1.5);
  EXPECT_DOUBLE_EQ(quantile({3, 1, 2}, 1), 3);
}

}  // namespace
}  // namespace hyobscure::audit
