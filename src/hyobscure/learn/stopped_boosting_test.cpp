#include "hyobscure/learn/stopped_boosting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::learn {
namespace {

/// A third column tells `signal` times the number; the other two are noise.
struct NumberRows {
  data::SparseRows rows;
  std::vector<double> numbers;
  Predictions guesses;
};

NumberRows number_rows(unsigned seed, std::size_t count, double signal) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<std::vector<double>> dense;
  NumberRows made{
      .rows = {}, .numbers = {}, .guesses = Predictions::Constant(static_cast<Eigen::Index>(count), 1, 40)};
  for (std::size_t r = 0; r < count; ++r) {
    const double x = normal(random);
    dense.push_back({normal(random), normal(random), x});
    made.numbers.push_back(40 + signal * x + 5 * normal(random));
  }
  made.rows = census::sparse(dense);
  return made;
}

double mean_error(const Predictions& predicted, const std::vector<double>& numbers) {
  double sum = 0;
  for (std::size_t r = 0; r < numbers.size(); ++r)
    sum += std::abs(predicted(static_cast<Eigen::Index>(r), 0) - numbers[r]);
  return sum / static_cast<double>(numbers.size());
}

TEST(StoppedBoosting, LearnsWhatTheRowAddsToTheGuess) {
  const NumberRows known = number_rows(1, 600, 8), tested = number_rows(2, 600, 8);
  const auto model =
      StoppedBoosting::of_numbers(known.rows, known.numbers, known.guesses, {}, Key::from_seed(1));
  EXPECT_GT(model.rounds(), 5);
  const double error = mean_error(model.predict(tested.rows, tested.guesses), tested.numbers);
  // |N(0, 5)| is 3.99 on average, |N(0, 9.4)| 7.5
  EXPECT_LT(error, 4.8);
  EXPECT_GT(mean_error(tested.guesses, tested.numbers), 6.8);
}

TEST(StoppedBoosting, OfNoiseStaysNearTheGuess) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const NumberRows known = number_rows(seed, 400, 0), tested = number_rows(100 + seed, 2000, 0);
    const auto model =
        StoppedBoosting::of_numbers(known.rows, known.numbers, known.guesses, {}, Key::from_seed(seed));
    EXPECT_LT(mean_error(model.predict(tested.rows, tested.guesses), tested.numbers),
              1.02 * mean_error(tested.guesses, tested.numbers));
  }
}

TEST(StoppedBoosting, LearnsClassesFromTheSharesOfEachRow) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::vector<double>> dense;
  std::vector<std::uint32_t> classes;
  Predictions guesses(500, 4);
  for (Eigen::Index r = 0; r < 500; ++r) {
    // two groups of two classes: the guess knows the group, the row the class in four of five cases
    const auto value = static_cast<std::uint32_t>(random() % 4);
    const std::uint32_t told = unit(random) < 0.8 ? value % 2 : 1 - value % 2;
    dense.push_back({told == 1 ? 1.0 : 0.0, unit(random)});
    classes.push_back(value);
    guesses.row(r).setZero();
    guesses(r, value / 2 * 2) = guesses(r, value / 2 * 2 + 1) = 0.5;
  }
  const data::SparseRows rows = census::sparse(dense);
  const auto model = StoppedBoosting::of_classes(rows, classes, guesses, {}, Key::from_seed(1));
  const Predictions predicted = model.predict(rows, guesses);
  double right = 0;
  for (Eigen::Index r = 0; r < 500; ++r) {
    EXPECT_NEAR(predicted.row(r).sum(), 1, 1e-9);
    Eigen::Index best = 0;
    predicted.row(r).maxCoeff(&best);
    right += best == classes[static_cast<std::size_t>(r)] ? 1 : 0;
  }
  EXPECT_GT(right, 0.74 * 500);
}

TEST(StoppedBoosting, WhereNothingCanBeLearnedTheGuessIsThePrediction) {
  const data::SparseRows alike = census::sparse(std::vector(40, std::vector<double>{1, 2}));
  Predictions guesses(40, 1);
  std::vector<double> numbers;
  for (Eigen::Index r = 0; r < 40; ++r) {
    guesses(r, 0) = static_cast<double>(r % 7);
    numbers.push_back(guesses(r, 0));  // no guess can be better
  }
  const auto model = StoppedBoosting::of_numbers(alike, numbers, guesses, {}, Key::from_seed(1));
  EXPECT_EQ(model.rounds(), 0);
  EXPECT_EQ(model.predict(alike, guesses), guesses);
}

TEST(StoppedBoosting, PartsAreOfTheSameSize) {
  std::map<std::uint32_t, int> sizes;
  for (const std::uint32_t part : random_parts(41, 4, Key::from_seed(1))) ++sizes[part];
  EXPECT_EQ(sizes, (std::map<std::uint32_t, int>{{0, 11}, {1, 10}, {2, 10}, {3, 10}}));
}

TEST(StoppedBoosting, RefusesSettingsOutOfRange) {
  const NumberRows some = number_rows(1, 30, 1);
  const auto learn = [&](const StoppedBoostingSettings& settings) {
    return StoppedBoosting::of_numbers(some.rows, some.numbers, some.guesses, settings, Key::from_seed(1));
  };
  EXPECT_THROW((void)learn({.most_rounds = 0}), InputError);
  EXPECT_THROW((void)learn({.patience = 0}), InputError);
  EXPECT_THROW((void)learn({.depth = 17}), InputError);
  EXPECT_THROW((void)learn({.rate = 0}), InputError);
  EXPECT_THROW((void)learn({.parts = 1}), InputError);
  EXPECT_THROW((void)StoppedBoosting::of_numbers(some.rows, some.numbers, Predictions::Zero(3, 1), {},
                                                 Key::from_seed(1)),
               InputError);
}

}  // namespace
}  // namespace hyobscure::learn
