#include "hyobscure/census/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Labels = std::vector<std::uint32_t>;

TEST(Entropy, KnownAnswersForCountsAndProbabilities) {
  EXPECT_NEAR(entropy(VectorXd::Constant(8, 0.125)), std::log(8), 1e-15);
  EXPECT_NEAR(entropy(VectorXd::Constant(8, 5)), std::log(8), 1e-15);
  EXPECT_EQ(entropy(VectorXd{{0.0, 7.0, 0.0}}), 0);
  EXPECT_EQ(entropy(VectorXd::Zero(3)), 0);
}

TEST(MutualInformation, IsZeroForIndependenceAndTheEntropyForACopy) {
  const VectorXd rows{{1.0, 2.0, 3.0}}, columns{{5.0, 1.0}};
  EXPECT_NEAR(mutual_information(rows * columns.transpose()), 0, 1e-15);
  EXPECT_NEAR(mutual_information(rows.asDiagonal()), entropy(rows), 1e-15);
}

TEST(MutualInformation, AgreesWithTheDefinition) {
  const MatrixXd counts{{3.0, 0.0, 1.0}, {2.0, 5.0, 0.0}};
  const MatrixXd p = counts / 11;
  double expected = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      if (p(i, j) > 0) expected += p(i, j) * std::log(p(i, j) / p.row(i).sum() / p.col(j).sum());
  EXPECT_NEAR(mutual_information(counts), expected, 1e-15);
}

MatrixXd count(const Labels& clusters, const Labels& values, const Labels& strata, std::uint32_t stratum) {
  MatrixXd counts = MatrixXd::Zero(20, 20);
  for (std::size_t u = 0; u < clusters.size(); ++u)
    if (strata[u] == stratum) counts(clusters[u], values[u]) += 1;
  return counts;
}

TEST(ConditionalInformation, IsTheMeanOverStrata) {
  const Labels clusters = random_labels(1, 200, 4), values = random_labels(2, 200, 7),
               strata = random_labels(3, 200, 3);
  double expected = 0;
  for (std::uint32_t s = 0; s < 3; ++s) {
    const MatrixXd counts = count(clusters, values, strata, s);
    expected += counts.sum() / 200 * mutual_information(counts);
  }
  EXPECT_NEAR(conditional_information(clusters, values, strata), expected, 1e-14);
}

TEST(ConditionalInformation, WithoutStrataIsMutualInformation) {
  const Labels clusters = random_labels(1, 200, 4), values = random_labels(2, 200, 7);
  EXPECT_NEAR(conditional_information(clusters, values, {}),
              mutual_information(count(clusters, values, Labels(200, 0), 0)), 1e-14);
  EXPECT_EQ(conditional_information({}, {}, {}), 0);
}

// Independent data: each of 20 seeds is within four deviations of the null, false alarm of the test below
// 0.01.
TEST(PermutationNull, CoversIndependentData) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Labels clusters = random_labels(seed, 500, 6), values = random_labels(seed + 100, 500, 12),
                 strata = random_labels(seed + 200, 500, 3);
    const double observed = conditional_information(clusters, values, strata);
    const auto null = permutation_null(clusters, values, strata, 200, Key::from_seed(seed));
    EXPECT_GT(null.mean_nats, 0.02);  // the bias is what this is for
    EXPECT_NEAR(observed, null.mean_nats, 4 * null.deviation_nats);
  }
}

TEST(PermutationNull, DoesNotCoverPlantedDependence) {
  const Labels clusters = random_labels(1, 500, 6);
  Labels values = random_labels(2, 500, 12);
  for (std::size_t u = 0; u < values.size(); u += 3) values[u] = clusters[u];
  const double observed = conditional_information(clusters, values, {});
  const auto null = permutation_null(clusters, values, {}, 200, Key::from_seed(1));
  EXPECT_GT(observed, null.mean_nats + 5 * null.deviation_nats);
}

TEST(PermutationNull, KeepsValuesInTheirStratum) {
  // The value says the stratum and so does the cluster: all dependence is between strata, none within.
  const Labels strata = random_labels(1, 300, 4);
  const auto null = permutation_null(strata, strata, strata, 10, Key::from_seed(1));
  EXPECT_NEAR(null.mean_nats, 0, 1e-12);
  EXPECT_GT(permutation_null(strata, strata, {}, 10, Key::from_seed(1)).mean_nats, 1e-4);
}

// Two people, two clusters, two values: either way I = log 2.  Three people, values a a b, clusters 0 0 1: b
// falls on cluster 1 once in three, I = H(1/3), else I = log 3 - 4/3 log 2 + ... by the definition.
TEST(PermutationNull, KnownMeanAndDeviation) {
  const auto pair = permutation_null(Labels{0, 1}, Labels{0, 1}, {}, 50, Key::from_seed(1));
  EXPECT_NEAR(pair.mean_nats, std::log(2), 1e-15);
  EXPECT_NEAR(pair.deviation_nats, 0, 1e-15);

  const double same = mutual_information(MatrixXd{{2.0, 0.0}, {0.0, 1.0}});
  const double other = mutual_information(MatrixXd{{1.0, 1.0}, {1.0, 0.0}});
  const int permutations = 20'000;
  const auto null = permutation_null(Labels{0, 0, 1}, Labels{0, 0, 1}, {}, permutations, Key::from_seed(2));
  const double deviation = std::abs(same - other) * std::sqrt(2.0) / 3;
  EXPECT_NEAR(null.mean_nats, same / 3 + other * 2 / 3,
              5 * deviation / std::sqrt(permutations));  // odds 6e-7
  EXPECT_NEAR(null.deviation_nats, deviation, 0.02 * deviation);
  EXPECT_EQ(null.permutations, permutations);
}

TEST(PermutationNull, IsTheSameWithOneThreadAndWithTwo) {
  const Labels clusters = random_labels(1, 300, 5), values = random_labels(2, 300, 9);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return permutation_null(clusters, values, {}, 64, Key::from_seed(1));
  };
  EXPECT_EQ(with_threads(1).mean_nats, with_threads(2).mean_nats);
  EXPECT_EQ(with_threads(1).deviation_nats, with_threads(2).deviation_nats);
}

TEST(PermutationNull, RefusesASinglePermutation) {
  EXPECT_THROW((void)permutation_null(Labels{0}, Labels{0}, {}, 1, Key::from_seed(1)), InputError);
}

double choose(int n, int k) {
  return std::round(std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0)));
}

// Chi-squared of 40,000 draws against the definition; beyond 5 deviations once in a million.
TEST(Hypergeometric, FollowsItsDefinition) {
  for (const auto& [kind, all, draws] : {std::tuple(5, 12, 6), std::tuple(1, 9, 3), std::tuple(20, 30, 25)}) {
    RandomStream random(Key::from_seed(1));
    constexpr int kDraws = 40'000;
    std::vector<double> found(static_cast<std::size_t>(draws) + 1, 0);
    for (int i = 0; i < kDraws; ++i)
      found[static_cast<std::size_t>(draw_hypergeometric(kind, all, draws, random))] += 1;
    double chi = 0;
    int cells = 0;
    for (int n = std::max(0, draws - (all - kind)); n <= std::min(kind, draws); ++n) {
      const double expected = kDraws * choose(kind, n) * choose(all - kind, draws - n) / choose(all, draws);
      const double seen = found[static_cast<std::size_t>(n)];
      if (expected < 5) continue;
      chi += (seen - expected) * (seen - expected) / expected;
      cells += 1;
    }
    EXPECT_LT(chi, cells + 5 * std::sqrt(2.0 * cells)) << kind << ' ' << all << ' ' << draws;
  }
}

TEST(Hypergeometric, OfVeryManyHasTheRightMeanAndDeviation) {
  constexpr std::int64_t kKind = 300'000'000, kAll = 1'000'000'000, kDraws = 40'000'000;
  RandomStream random(Key::from_seed(2));
  double sum = 0, squares = 0;
  constexpr int kTimes = 2000;
  const double mean = double(kKind) / kAll * kDraws;
  const double variance = mean * (1 - double(kKind) / kAll) * double(kAll - kDraws) / (kAll - 1);
  for (int i = 0; i < kTimes; ++i) {
    const double off = static_cast<double>(draw_hypergeometric(kKind, kAll, kDraws, random)) - mean;
    sum += off;
    squares += off * off;
  }
  EXPECT_NEAR(sum / kTimes, 0, 5 * std::sqrt(variance / kTimes));
  EXPECT_NEAR(squares / kTimes / variance, 1, 5 * std::sqrt(2.0 / kTimes));
}

TEST(PermutedTable, KeepsTheMarginsAndTellsAsMuchAsPermutedPeople) {
  const Labels clusters = random_labels(1, 300, 4), values = random_labels(2, 300, 7), all(300, 0);
  MatrixXd counts = MatrixXd::Zero(4, 7);
  for (std::size_t u = 0; u < clusters.size(); ++u) counts(clusters[u], values[u]) += 1;
  const auto null = permutation_null(clusters, values, all, 4000, Key::from_seed(3));
  RandomStream random(Key::from_seed(4));
  double sum = 0, squares = 0;
  for (int i = 0; i < 4000; ++i) {
    const MatrixXd table = permuted_table(counts, random);
    ASSERT_EQ(table.rowwise().sum(), counts.rowwise().sum());
    ASSERT_EQ(table.colwise().sum(), counts.colwise().sum());
    ASSERT_GE(table.minCoeff(), 0);
    const double bits = mutual_information(table);
    sum += bits;
    squares += bits * bits;
  }
  const double mean = sum / 4000, deviation = std::sqrt(squares / 4000 - mean * mean);
  EXPECT_NEAR(mean, null.mean_nats, 5 * null.deviation_nats * std::sqrt(2.0 / 4000));
  EXPECT_NEAR(deviation / null.deviation_nats, 1, 0.1);  // 5 deviations: sqrt(2 / (2 * 4000)) each
}

}  // namespace
}  // namespace hyobscure::census
