#include "hyobscure/census/additive.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

constexpr std::array kAdditiveDistances = {Distance::JensenShannon, Distance::SquaredEuclidean,
                                           Distance::Hamming};

/// P(A, B), the squares and the sizes of the cells, each from its definition and without any table.
struct SumsOfCells {
  Eigen::MatrixXd products;
  Eigen::VectorXd squares, people;
};

SumsOfCells sums_of_cells(const AdditiveDistance& distance, const data::SparseRows& rows,
                          const std::vector<std::uint32_t>& labels, Eigen::Index cells) {
  const Eigen::Index width = distance.map.scale.size();
  Eigen::MatrixXd features = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.columns) * width, cells);
  SumsOfCells sums{
      .products = {}, .squares = Eigen::VectorXd::Zero(cells), .people = Eigen::VectorXd::Zero(cells)};
  Eigen::VectorXd raw(width);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double scale = scale_of(rows[r], distance.scaling);
    sums.people(labels[r]) += 1;
    if (distance.weight != nullptr) sums.squares(labels[r]) += distance.square_of(rows[r]);
    for (std::size_t e = 0; e < rows[r].items.size(); ++e) {
      distance.map.raw(scale * rows[r].values[e], raw.data());
      features.col(labels[r]).segment(rows[r].items[e] * width, width) +=
          distance.map.scale.cwiseProduct(raw);
    }
  }
  sums.products = features.transpose() * features;
  return sums;
}

TEST(AdditiveDistance, SumsOverCellsAreTheDistancesOfAllPairs) {
  const data::SparseRows rows = rated_rows(1, 40, 25, 2);
  const auto labels = random_labels(2, rows.size(), 4);
  for (const Distance kind : kAdditiveDistances) {
    ASSERT_TRUE(is_additive(kind));
    const AdditiveDistance distance = additive_distance(kind, rows.columns, extent_of(rows));
    const auto [products, squares, people] = sums_of_cells(distance, rows, labels, 4);
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(4, 4);
    for (std::size_t u = 0; u < rows.size(); ++u)
      for (std::size_t v = 0; v < rows.size(); ++v)
        expected(labels[u], labels[v]) += distance_between(kind, rows[u], rows[v], rows.columns);
    const double error = kind == Distance::JensenShannon ? 2e-6 * 100 : 1e-9;  // of a cell of 10 x 10 pairs
    EXPECT_LE((distance.pair_sums(products, squares, people) - expected).cwiseAbs().maxCoeff(), error);
  }
}

TEST(AdditiveDistance, OfIdenticalRowsIsZeroAndNeverNegative) {
  const data::SparseRows rows = sparse({{1e-3, 7, 0}, {1e-3, 7, 0}, {1e-3, 7, 0}});
  const std::vector<std::uint32_t> labels{0, 1, 1};
  for (const Distance kind : kAdditiveDistances) {
    const AdditiveDistance distance = additive_distance(kind, rows.columns, extent_of(rows));
    const auto [products, squares, people] = sums_of_cells(distance, rows, labels, 2);
    const Eigen::MatrixXd sums = distance.pair_sums(products, squares, people);
    EXPECT_GE(sums.minCoeff(), 0);
    EXPECT_LE(sums.maxCoeff(), 1e-12);
    EXPECT_EQ(sums, sums.transpose());
  }
}

TEST(AdditiveDistance, ExtentsOfPartsMakeUpThatOfAll) {
  const data::SparseRows rows = sparse({{0, -5, 1}, {3, 3, 3}, {0, 0, 0}, {4.9, 0, 0}});
  const Extent all = extent_of(rows);
  EXPECT_EQ(all.entry, 5);
  EXPECT_EQ(all.square, 27);
  Extent joined;
  for (const auto& part : {sparse({{0, -5, 1}, {3, 3, 3}}), sparse({{0, 0, 0}, {4.9, 0, 0}})})
    joined.include(extent_of(part));
  EXPECT_EQ(joined.entry, all.entry);
  EXPECT_EQ(joined.square, all.square);
  EXPECT_EQ(extent_of(sparse({})).entry, 0);
  const data::SparseRows many = skewed_rows(3, 3000, 20);
  const auto on_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return extent_of(many).square;
  };
  EXPECT_EQ(on_threads(1), on_threads(2));
}

}  // namespace
}  // namespace hyobscure::census
