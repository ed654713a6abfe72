#include "hyobscure/census/distance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/census/cell_products.h"
#include "hyobscure/census/jensen_shannon.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using testing::HasSubstr;

constexpr std::array kAllDistances = {Distance::JensenShannon, Distance::SquaredEuclidean,
                                      Distance::Euclidean, Distance::Jaccard, Distance::Hamming};

// From the definition, every pair by itself.
MatrixXd slow_pair_sums(Distance distance, const SparseRows& rows, const std::vector<std::uint32_t>& cells,
                        Index count) {
  MatrixXd sums = MatrixXd::Zero(count, count);
  for (std::size_t u = 0; u < rows.size(); ++u)
    for (std::size_t v = 0; v < rows.size(); ++v)
      sums(cells[u], cells[v]) += distance_between(distance, rows[u], rows[v], rows.columns);
  return sums;
}

// What the sums may be off by: the promised error of a mean for each pair, or rounding.
MatrixXd allowed_error(Distance distance, const SparseRows& rows, const std::vector<std::uint32_t>& cells,
                       Index count) {
  Eigen::VectorXd people = Eigen::VectorXd::Zero(count), squares = people;
  for (std::size_t u = 0; u < rows.size(); ++u) {
    people(cells[u]) += 1;
    for (const double x : rows[u].values) squares(cells[u]) += x * x;
  }
  const MatrixXd pairs = people * people.transpose();
  if (distance == Distance::JensenShannon) return kJensenShannonError * pairs;
  if (distance == Distance::SquaredEuclidean)
    return 1e-14 * (squares * people.transpose() + people * squares.transpose()) +
           0x1p-47 * squares.maxCoeff() * pairs;  // entries are multiples of a unit
  if (distance == Distance::Euclidean) return 1e-9 * pairs * std::sqrt(squares.maxCoeff());
  return 1e-13 * pairs;
}

void expect_close(const MatrixXd& found, const MatrixXd& expected, const MatrixXd& allowed) {
  ASSERT_EQ(found.rows(), expected.rows());
  for (Index b = 0; b < expected.cols(); ++b)
    for (Index a = 0; a < expected.rows(); ++a)
      EXPECT_NEAR(found(a, b), expected(a, b), allowed(a, b)) << "cells " << a << " and " << b;
}

double between(Distance distance, const std::vector<double>& a, const std::vector<double>& b) {
  const SparseRows rows = sparse({a, b});
  return distance_between(distance, rows[0], rows[1], rows.columns);
}

TEST(DistanceBetween, KnownAnswers) {
  EXPECT_DOUBLE_EQ(between(Distance::SquaredEuclidean, {3, 0, 1}, {0, 4, 1}), 25);
  EXPECT_DOUBLE_EQ(between(Distance::Euclidean, {3, 0, 1}, {0, 4, 1}), 5);
  EXPECT_DOUBLE_EQ(between(Distance::Jaccard, {3, 0, 1, 0}, {0, 4, 1, 0}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(between(Distance::Hamming, {3, 0, 1, 0}, {0, 4, 1, 0}), 0.5);
  // p = (1/2, 1/2), q = (1, 0), m = (3/4, 1/4)
  const double expected = (0.5 * std::log(2.0 / 3) + 0.5 * std::log(2.0)) / 2 + std::log(4.0 / 3) / 2;
  EXPECT_DOUBLE_EQ(between(Distance::JensenShannon, {7, 7}, {3, 0}), expected);
}

TEST(DistanceBetween, DisjointRowsAreAsFarApartAsRowsCanBe) {
  EXPECT_DOUBLE_EQ(between(Distance::JensenShannon, {2, 5, 0, 0}, {0, 0, 1, 1}), std::numbers::ln2);
  EXPECT_DOUBLE_EQ(between(Distance::Jaccard, {2, 5, 0, 0}, {0, 0, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(between(Distance::Hamming, {2, 5, 0, 0}, {0, 0, 1, 1}), 1);
}

TEST(DistanceBetween, EqualRowsAreAtDistanceZero) {
  for (const Distance distance : kAllDistances) EXPECT_EQ(between(distance, {1, 0, 0.3}, {1, 0, 0.3}), 0);
}

TEST(DistanceBetween, JensenShannonSeesSharesAndNotTotals) {
  EXPECT_NEAR(between(Distance::JensenShannon, {1, 2, 0}, {50, 100, 0}), 0, 1e-15);
}

TEST(DistanceBetween, TwoEmptySetsAreEqual) {
  EXPECT_EQ(between(Distance::Jaccard, {0, 0}, {0, 0}), 0);
  EXPECT_EQ(between(Distance::Hamming, {0, 0}, {0, 0}), 0);
}

class PairSums : public testing::TestWithParam<Distance> {};

TEST_P(PairSums, AgreeWithTheDefinitionOnRandomSkewedRows) {
  for (const unsigned seed : {1u, 2u, 3u, 4u, 5u}) {
    const SparseRows rows = skewed_rows(seed, 90, 23);
    const auto cells = random_labels(seed + 100, rows.size(), 12);
    expect_close(pair_sums(GetParam(), rows, cells, 12), slow_pair_sums(GetParam(), rows, cells, 12),
                 allowed_error(GetParam(), rows, cells, 12));
  }
}

TEST_P(PairSums, AgreeWhenEveryCellHoldsOnePerson) {
  const SparseRows rows = skewed_rows(6, 40, 15);
  std::vector<std::uint32_t> cells(rows.size());
  for (std::uint32_t u = 0; u < cells.size(); ++u) cells[u] = 39 - u;
  expect_close(pair_sums(GetParam(), rows, cells, 40), slow_pair_sums(GetParam(), rows, cells, 40),
               allowed_error(GetParam(), rows, cells, 40));
}

TEST_P(PairSums, AgreeOnRowsOfOneEntryThatAreDisjointOrEqual) {
  SparseRows rows = sparse({{1, 0, 0}, {0, 1, 0}, {0, 0, 1e-9}, {1, 0, 0}, {0, 1e9, 0}});
  const std::vector<std::uint32_t> cells = {0, 1, 2, 3, 0};
  expect_close(pair_sums(GetParam(), rows, cells, 4), slow_pair_sums(GetParam(), rows, cells, 4),
               allowed_error(GetParam(), rows, cells, 4));
}

// More than a stripe of cells and more entries of an item than are held at once.
TEST_P(PairSums, AgreeOnManyCellsAndPopularItems) {
  const SparseRows rows = skewed_rows(7, 700, 4);
  const auto cells = random_labels(8, rows.size(), 150);
  expect_close(pair_sums(GetParam(), rows, cells, 150), slow_pair_sums(GetParam(), rows, cells, 150),
               allowed_error(GetParam(), rows, cells, 150));
}

TEST_P(PairSums, OfEmptyCellsAreZero) {
  const SparseRows rows = skewed_rows(9, 20, 8);
  const std::vector<std::uint32_t> cells(rows.size(), 1);
  const MatrixXd sums = pair_sums(GetParam(), rows, cells, 3);
  EXPECT_GT(sums(1, 1), 0);
  EXPECT_EQ(sums.sum(), sums(1, 1));
}

TEST_P(PairSums, IgnoreZerosThatAreStored) {
  SparseRows plain = sparse({{1, 0, 2, 0}, {0, 3, 1, 0}, {1, 1, 1, 0}});
  SparseRows stored = plain;
  stored.starts = {0, 3, 5, 8};
  stored.items = {0, 1, 2, 1, 2, 0, 1, 2};
  stored.values = {1, 0, 2, 3, 1, 1, 1, 1};
  const std::vector<std::uint32_t> cells = {0, 1, 1};
  EXPECT_TRUE(
      pair_sums(GetParam(), stored, cells, 2).isApprox(pair_sums(GetParam(), plain, cells, 2), 1e-14));
}

TEST_P(PairSums, AreSymmetricNotNegativeAndTheSameForAnyNumberOfThreads) {
  const SparseRows rows = skewed_rows(10, 600, 30);
  const auto cells = random_labels(11, rows.size(), 200);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return pair_sums(GetParam(), rows, cells, 200);
  };
  const MatrixXd one = with_threads(1), two = with_threads(2);
  EXPECT_TRUE(one == two);
  EXPECT_TRUE(one == one.transpose());
  EXPECT_GE(one.minCoeff(), 0);
}

TEST_P(PairSums, OfMappedRowsHaveTheSameBits) {
  const TestFolder folder;
  const SparseRows rows = skewed_rows(12, 300, 30);
  const auto cells = random_labels(13, rows.size(), 40);
  EXPECT_TRUE(pair_sums(GetParam(), mapped(rows, folder.path()), cells, 40) ==
              pair_sums(GetParam(), rows, cells, 40));
}

TEST_P(PairSums, StopWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)pair_sums(GetParam(), sparse({{1, 2}, {2, 1}}), std::vector<std::uint32_t>{0, 1}, 2,
                               Progress({}, &stop)),
               Stopped);
}

TEST_P(PairSums, OfNobodyAreZero) {
  SparseRows rows;
  rows.columns = 3;
  EXPECT_TRUE(pair_sums(GetParam(), rows, {}, 2).isZero(0));
}

std::string name_of(const testing::TestParamInfo<Distance>& info) {
  constexpr std::array kNames = {"JensenShannon", "SquaredEuclidean", "Euclidean", "Jaccard", "Hamming"};
  return kNames[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Distances, PairSums, testing::ValuesIn(kAllDistances), name_of);

// |x|^2 + |y|^2 - 2 x.y alone keeps no digit here.
TEST(PairSums, EuclideanTellsNearlyEqualRowsApart) {
  for (const double difference : {1e-6, 0.01, 0.017, 0.02, 0.03}) {
    const SparseRows rows = sparse({{1e6, 1}, {1e6, 1 + difference}});
    const MatrixXd sums = pair_sums(Distance::Euclidean, rows, std::vector<std::uint32_t>{0, 1}, 2);
    EXPECT_NEAR(sums(0, 1), difference, 1e-12);
  }
}

TEST(PairSums, JensenShannonBearsSharesThatVanish) {
  const SparseRows rows = sparse({{1e300, 1e-300}, {1e-300, 1e-300}, {1e-307, 0}});
  const std::vector<std::uint32_t> cells = {0, 1, 2};
  expect_close(pair_sums(Distance::JensenShannon, rows, cells, 3),
               slow_pair_sums(Distance::JensenShannon, rows, cells, 3),
               allowed_error(Distance::JensenShannon, rows, cells, 3));
}

TEST(PairSumWork, GrowsWithTheSquareOfPeopleForPairwiseDistancesOnly) {
  const SparseRows small = skewed_rows(1, 1000, 50), large = skewed_rows(1, 4000, 50);
  const auto growth = [&](Distance distance) {
    return pair_sum_work(distance, large, 20) / pair_sum_work(distance, small, 20);
  };
  EXPECT_NEAR(growth(Distance::Jaccard), 16, 2);
  EXPECT_NEAR(growth(Distance::Euclidean), 16, 2);
  EXPECT_LT(growth(Distance::JensenShannon), 4.5);
  EXPECT_LT(growth(Distance::Hamming), 4.5);
}

void expect_refusal(Distance distance, const SparseRows& rows, std::size_t row, const char* text) {
  try {
    check_rows(distance, rows, "people.csv");
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().row, row);
    EXPECT_STREQ(error.what(), text);
  }
}

TEST(CheckRows, NegativeEntriesAreRefusedForJensenShannonOnly) {
  const SparseRows rows = sparse({{1, 2}, {3, -1}, {-1, 5}});
  expect_refusal(
      Distance::JensenShannon, rows, 2,
      "people.csv, row 2: 2 rows have a negative entry, which the Jensen-Shannon distance cannot use "
      "(this is the first). Correct these entries, or choose a Euclidean distance.");
  for (const Distance distance : {Distance::SquaredEuclidean, Distance::Euclidean, Distance::Jaccard})
    EXPECT_NO_THROW(check_rows(distance, rows));
}

TEST(CheckRows, RowsOfZerosAreRefusedForJensenShannonOnly) {
  const SparseRows rows = sparse({{1, 2}, {1, 1}, {0, 0}});
  expect_refusal(
      Distance::JensenShannon, rows, 3,
      "people.csv, row 3: 1 row has no positive entry, so the Jensen-Shannon distance is not defined "
      "(this is the first). Leave these rows out, or choose another distance.");
  EXPECT_NO_THROW(check_rows(Distance::Jaccard, rows));
  EXPECT_THROW(check_rows(Distance::JensenShannon, sparse({{1e-310, 0}})), InputError);
}

TEST(CheckRows, EntriesThatAreNotFiniteAreRefusedForAllDistances) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    for (const Distance distance : kAllDistances)
      expect_refusal(distance, sparse({{1, bad}}), 1,
                     "people.csv, row 1: 1 row has an entry that is not a finite number (this is the first). "
                     "Correct these entries or leave the rows out.");
}

// Every kind of fault, in many rows and blocks of rows: which is named, where, and how many there are.
TEST(CheckRows, NamesTheFirstOfTheRowsWithTheGravestFault) {
  std::vector<std::vector<double>> rows(5000, {1, 2, 3});
  const auto refusal = [&](const char* fault, std::size_t count, std::size_t first) {
    for (const int threads : {1, 2}) {
      const ThreadLimit limit(threads);
      try {
        check_rows(Distance::JensenShannon, sparse(rows));
        FAIL() << "expected InputError";
      } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr(std::to_string(count) + " rows have " + fault));
        EXPECT_EQ(error.place().row, first + 1);
      }
    }
  };
  rows[2] = rows[4001] = rows[4999] = {1e308, 1e308, 0};
  refusal("entries too large", 3, 2);
  rows[1] = rows[4000] = {0, 0, 0};
  refusal("no positive entry", 2, 1);
  rows[3500] = rows[3000] = {5, -1, 0};
  refusal("a negative entry", 2, 3000);
  rows[4500] = {1, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  rows[2200] = {std::nan(""), 1, 0};
  refusal("an entry that is not a finite number", 2, 2200);
}

TEST(CheckRows, EntriesTooLargeToAddUpAreRefusedForJensenShannon) {
  EXPECT_THROW(check_rows(Distance::JensenShannon, sparse({{1e308, 1e308}})), InputError);
}

}  // namespace
}  // namespace hyobscure::census
