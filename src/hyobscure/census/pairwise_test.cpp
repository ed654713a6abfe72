#include "hyobscure/census/pairwise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

Eigen::MatrixXd all_pairs_by_definition(Distance distance, const data::SparseRows& rows,
                                        const std::vector<std::uint32_t>& labels, Eigen::Index cells) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(cells, cells);
  for (std::size_t u = 0; u < rows.size(); ++u)
    for (std::size_t v = 0; v < rows.size(); ++v)
      sums(labels[u], labels[v]) += distance_between(distance, rows[u], rows[v], rows.columns);
  return sums;
}

TEST(PairwiseSums, AreTheDefinitionOverMoreThanOneWave) {
  // 300 rows are two waves of 256; small whole numbers give ties, equal rows and empty ones.
  const data::SparseRows rows = sparse(small_numbers(1, 300, 9));
  const auto labels = random_labels(2, rows.size(), 7);
  for (const Distance distance : {Distance::Euclidean, Distance::Jaccard}) {
    const Eigen::MatrixXd sums = pairwise_sums(distance, rows, labels, 7, {});
    EXPECT_TRUE(sums.isApprox(all_pairs_by_definition(distance, rows, labels, 7), 1e-12));
    EXPECT_EQ(sums, sums.transpose());
  }
}

TEST(PairwiseSums, KeepTheDigitsOfRowsThatAreNearlyEqual) {
  // |x|^2 + |y|^2 - 2 <x,y> has no digit left of a difference of 1e-9 in 1e6: such pairs go the long way.
  const data::SparseRows rows = sparse({{1e6, 1}, {1e6, 1 + 1e-9}, {1e6, 1 + 3e-9}});
  const Eigen::MatrixXd sums =
      pairwise_sums(Distance::Euclidean, rows, std::vector<std::uint32_t>{0, 1, 2}, 3, {});
  EXPECT_NEAR(sums(0, 1), 1e-9, 1e-15);
  EXPECT_NEAR(sums(1, 2), 2e-9, 1e-15);
  EXPECT_EQ(sums.diagonal().cwiseAbs().maxCoeff(), 0);
}

TEST(PairwiseSums, HaveTheSameBitsForAnyNumberOfThreads) {
  const data::SparseRows rows = skewed_rows(3, 300, 30);
  const auto labels = random_labels(4, rows.size(), 5);
  const auto on_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return pairwise_sums(Distance::Euclidean, rows, labels, 5, {});
  };
  EXPECT_EQ(on_threads(1), on_threads(2));
}

TEST(PairwiseSums, OfOnePersonAndOfNobodyAreZero) {
  EXPECT_EQ(pairwise_sums(Distance::Jaccard, sparse({{1, 0}}), std::vector<std::uint32_t>{0}, 2, {}),
            Eigen::MatrixXd::Zero(2, 2));
  EXPECT_EQ(pairwise_sums(Distance::Jaccard, sparse({}), {}, 2, {}), Eigen::MatrixXd::Zero(2, 2));
}

}  // namespace
}  // namespace hyobscure::census
