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
  // |x|^2 + |y|^2 - 2 <x,y> is 2e6 less 2e6: of a squared distance of 4e-10 hardly a digit is left.
  const data::SparseRows rows = sparse({{1000.1, 1}, {1000.1, 1 + 2e-5}, {1000.1, 1 + 7e-5}});
  const std::vector<std::uint32_t> labels{0, 1, 2};
  const Eigen::MatrixXd sums = pairwise_sums(Distance::Euclidean, rows, labels, 3, {});
  EXPECT_NEAR(sums(0, 1), 2e-5, 1e-14);
  EXPECT_NEAR(sums(1, 2), 5e-5, 1e-14);
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
