#include "hyobscure/learn/linear.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::learn {
namespace {

using Dense = std::vector<std::vector<double>>;

/// Rows of rank 3 and little noise, in `columns` columns.
Dense low_rank(unsigned seed, std::size_t rows, std::size_t columns) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  Dense directions(3, std::vector<double>(columns));
  std::mt19937 fixed(7);  // the same directions for every seed
  for (auto& direction : directions)
    for (double& x : direction) x = normal(fixed);
  Dense dense(rows, std::vector<double>(columns));
  for (auto& row : dense)
    for (const auto& direction : directions) {
      const double strength = normal(random);
      for (std::size_t c = 0; c < columns; ++c) row[c] += strength * direction[c] + 0.05 * normal(random);
    }
  return dense;
}

TEST(Reduction, HasTheSingularVectorsOfTheScaledRows) {
  const Dense dense = low_rank(1, 80, 60);
  Eigen::MatrixXd matrix(80, 60);
  for (Eigen::Index r = 0; r < 80; ++r)
    for (Eigen::Index c = 0; c < 60; ++c)
      matrix(r, c) = dense[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  const Eigen::RowVectorXd scales = (matrix.colwise().squaredNorm() / 80).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd scaled = matrix * scales.asDiagonal();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(scaled, Eigen::ComputeThinV);
  const Eigen::MatrixXd found =
      Reduction::of(census::sparse(dense), 3, Key::from_seed(1))(census::sparse(dense));
  ASSERT_EQ(found.cols(), 3);
  const Eigen::MatrixXd expected = scaled * svd.matrixV().leftCols(3);
  for (Eigen::Index k = 0; k < 3; ++k)  // a direction has no sign
    EXPECT_NEAR(std::abs(found.col(k).dot(expected.col(k))), expected.col(k).squaredNorm(),
                1e-4 * expected.col(k).squaredNorm());
}

TEST(Reduction, KeepsFewColumnsAsTheyAreButForTheirScale) {
  const Dense dense = {{3, 0, 1}, {0, 0, 1}, {4, 0, -1}};
  const Eigen::MatrixXd found =
      Reduction::of(census::sparse(dense), 3, Key::from_seed(1))(census::sparse(dense));
  const double scale = std::sqrt(25.0 / 3);
  EXPECT_NEAR(found(0, 0), 3 / scale, 1e-12);
  EXPECT_NEAR(found(2, 0), 4 / scale, 1e-12);
  EXPECT_EQ(found.col(1).cwiseAbs().maxCoeff(), 0);  // never used: no scale
  EXPECT_NEAR(found(2, 2), -1, 1e-12);
}

struct Labelled {
  data::SparseRows rows;
  std::vector<std::uint32_t> cells;
  std::vector<double> numbers;
  Predictions guesses;
};

/// Two cells that differ in their rows and numbers, which the guess knows, and inside them a number that goes
/// with the first of two columns.
Labelled labelled(unsigned seed, std::size_t count, double signal) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  Dense dense;
  Labelled made{
      .rows = {}, .cells = {}, .numbers = {}, .guesses = Predictions(static_cast<Eigen::Index>(count), 1)};
  for (std::size_t r = 0; r < count; ++r) {
    const std::uint32_t cell = r % 2;
    const double x = normal(random);
    dense.push_back({x + 20 * cell, normal(random) - 10 * cell});
    made.cells.push_back(cell);
    made.guesses(static_cast<Eigen::Index>(r), 0) = 30 + 20 * cell;
    made.numbers.push_back(30 + 20 * cell + signal * x + normal(random));
  }
  made.rows = census::sparse(dense);
  return made;
}

double error_of(const Linear& model, const Labelled& tested) {
  const Predictions predicted = model.predict(tested.rows, tested.cells, tested.guesses);
  double sum = 0;
  for (std::size_t r = 0; r < tested.numbers.size(); ++r)
    sum += std::abs(predicted(static_cast<Eigen::Index>(r), 0) - tested.numbers[r]);
  return sum / static_cast<double>(tested.numbers.size());
}

TEST(Linear, LearnsWhatRowsAddInsideTheirCell) {
  const Labelled known = labelled(1, 400, 3), tested = labelled(2, 1000, 3);
  const Linear model =
      Linear::of_numbers(known.rows, known.cells, 2, known.numbers, known.guesses, {}, Key::from_seed(1));
  EXPECT_FALSE(model.is_guess());
  EXPECT_LT(error_of(model, tested), 0.9);  // |N(0, 1)|: 0.8; the guess: |N(0, 3.2)|: 2.5
}

TEST(Linear, OfNoiseIsHardlyWorseThanTheGuess) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Labelled known = labelled(seed, 300, 0), tested = labelled(50 + seed, 3000, 0);
    const Linear model = Linear::of_numbers(known.rows, known.cells, 2, known.numbers, known.guesses, {},
                                            Key::from_seed(seed));
    double of_guess = 0;
    for (std::size_t r = 0; r < 3000; ++r)
      of_guess += std::abs(tested.guesses(static_cast<Eigen::Index>(r), 0) - tested.numbers[r]) / 3000;
    EXPECT_LT(error_of(model, tested), 1.02 * of_guess);
  }
}

TEST(Linear, ClassesHaveThePosteriorOfNormalRows) {
  // Two classes in one cell, N(-1, 1) and N(1, 1), shares 3 : 1: P(1 | x) = 1 / (1 + 3 exp(-2 x)).
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 1);
  constexpr Eigen::Index kRows = 4000;
  Dense dense;
  std::vector<std::uint32_t> classes;
  Predictions guesses(kRows, 2);
  for (Eigen::Index r = 0; r < kRows; ++r) {
    classes.push_back(r % 4 == 0 ? 1 : 0);
    dense.push_back({(classes.back() == 1 ? 1 : -1) + normal(random)});
    guesses.row(r) << 0.75, 0.25;
  }
  const data::SparseRows rows = census::sparse(dense);
  const std::vector<std::uint32_t> cells(kRows, 0);
  const Linear model = Linear::of_classes(rows, cells, 1, classes, guesses, {}, Key::from_seed(1));
  ASSERT_FALSE(model.is_guess());
  const Predictions predicted = model.predict(rows, cells, guesses);
  for (Eigen::Index r = 0; r < 200; ++r) {
    const double x = dense[static_cast<std::size_t>(r)][0];
    EXPECT_NEAR(predicted(r, 1), 1 / (1 + 3 * std::exp(-2 * x)), 0.06);
    EXPECT_NEAR(predicted.row(r).sum(), 1, 1e-12);
  }
}

TEST(Linear, AClassThatNobodyHasKeepsItsGuess) {
  const Labelled some = labelled(3, 60, 1);
  std::vector<std::uint32_t> classes;
  for (const std::uint32_t cell : some.cells) classes.push_back(cell);
  Predictions guesses(60, 3);
  guesses.rowwise() = Eigen::RowVector3d(0.4, 0.4, 0.2);
  const Linear model = Linear::of_classes(some.rows, some.cells, 2, classes, guesses, {}, Key::from_seed(1));
  EXPECT_TRUE(model.predict(some.rows, some.cells, guesses).allFinite());
}

TEST(Linear, RefusesSettingsOutOfRange) {
  const Labelled some = labelled(1, 30, 1);
  const auto learn = [&](const LinearSettings& settings) {
    return Linear::of_numbers(some.rows, some.cells, 2, some.numbers, some.guesses, settings,
                              Key::from_seed(1));
  };
  EXPECT_THROW((void)learn({.components = 0}), InputError);
  EXPECT_THROW((void)learn({.parts = 1}), InputError);
}

}  // namespace
}  // namespace hyobscure::learn
