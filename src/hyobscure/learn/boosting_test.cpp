#include "hyobscure/learn/boosting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::learn {
namespace {

TEST(Boosting, LearnsANumberFromItsRows) {
  std::mt19937 random(1);
  std::vector<std::vector<double>> dense;
  std::vector<double> numbers;
  for (int r = 0; r < 400; ++r) {
    const double a = static_cast<double>(random() % 3), b = static_cast<double>(random() % 4);
    dense.push_back({a, b, static_cast<double>(random() % 5)});
    numbers.push_back(1000 + 10 * a + 3 * b);
  }
  const Boosting model = Boosting::of_numbers(census::sparse(dense), numbers, {});
  const Predictions predicted = model.predict(census::sparse({{0, 0, 1}, {2, 3, 4}, {1, 2, 0}}));
  EXPECT_NEAR(predicted(0, 0), 1000, 0.1);
  EXPECT_NEAR(predicted(1, 0), 1029, 0.1);
  EXPECT_NEAR(predicted(2, 0), 1016, 0.1);
}

TEST(Boosting, StartsFromTheFrequenciesAndLearnsClasses) {
  std::vector<std::vector<double>> dense;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t r = 0; r < 300; ++r) {
    classes.push_back(r % 3);
    dense.push_back({r % 3 == 1 ? 2.0 : 0.0, r % 3 == 2 ? 1.0 : 0.0});
  }
  const Predictions predicted =
      Boosting::of_classes(census::sparse(dense), classes, 3, {}).predict(census::sparse(dense));
  for (Eigen::Index r = 0; r < 6; ++r) {
    EXPECT_GT(predicted(r, r % 3), 0.95);
    EXPECT_NEAR(predicted.row(r).sum(), 1, 1e-5);
  }
  // Rows that say nothing: one round at a small rate leaves the frequencies.
  const std::vector<std::uint32_t> uneven = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1};
  const Predictions prior = Boosting::of_classes(census::sparse(std::vector(10, std::vector<double>{1.0})),
                                                 uneven, 2, {.rounds = 1, .rate = 1e-6})
                                .predict(census::sparse({{1.0}}));
  EXPECT_NEAR(prior(0, 1), 3.5 / 11, 1e-3);
}

TEST(Boosting, RefusesSettingsOutOfRangeAndNothingToLearnFrom) {
  const std::vector<double> one = {1};
  EXPECT_THROW((void)Boosting::of_numbers(census::sparse({{1}}), one, {.rounds = 0}), InputError);
  EXPECT_THROW((void)Boosting::of_numbers(census::sparse({{1}}), one, {.rate = 0}), InputError);
  EXPECT_THROW((void)Boosting::of_numbers(census::sparse({}), {}, {}), InputError);
  EXPECT_THROW((void)Boosting::of_numbers(census::sparse({{INFINITY}}), one, {}), InputError);
}

}  // namespace
}  // namespace hyobscure::learn
