#include "hyobscure/census/cell_products.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/census/jensen_shannon.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;

// The features 1 and x: simple enough to write P down from its definition.
FeatureMap one_and_itself() {
  return {.scale = Eigen::Vector2d(1, 2),
          .raw =
              [](double x, double* features) {
                features[0] = 1;
                features[1] = x;
              },
          .largest = 8};
}

MatrixXd slow_products(const SparseRows& rows, RowScale scaling, const std::vector<std::uint32_t>& cells,
                       Index count) {
  MatrixXd features = MatrixXd::Zero(static_cast<Index>(2 * rows.columns), count);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto [items, values] = rows[r];
    const double sum = scaling == RowScale::SumOne ? std::accumulate(values.begin(), values.end(), 0.0) : 1;
    for (std::size_t e = 0; e < items.size(); ++e) {
      if (values[e] == 0) continue;
      features(2 * static_cast<Index>(items[e]), cells[r]) += 1;
      features(2 * static_cast<Index>(items[e]) + 1, cells[r]) += 2 * values[e] / sum;
    }
  }
  return features.transpose() * features;
}

// Items of all kinds: rated by nearly all, by fewer people than there are cells, by nobody.
SparseRows rows_of_many_items() {
  SparseRows rows = rated_rows(3, 400, 300, 3);
  rows.columns += 5;
  auto values = rows.values.writable();
  for (std::size_t e = 0; e < values.size(); e += 17) values[e] = 0;  // stored, and yet not there
  return rows;
}

TEST(CellProducts, AgreeWithTheDefinitionWhateverIsHeldAtATime) {
  const SparseRows rows = rows_of_many_items();
  for (const std::uint32_t cells : {1u, 7u, 90u}) {
    const auto labels = random_labels(cells, rows.size(), cells);
    for (const RowScale scaling : {RowScale::AsTheyAre, RowScale::SumOne}) {
      const MatrixXd expected = slow_products(rows, scaling, labels, cells);
      const auto with = [&](const ProductLimits& limits) {
        return cell_products(rows, scaling, labels, cells, one_and_itself(), {}, limits);
      };
      const MatrixXd whole = with({});
      EXPECT_TRUE(whole.isApprox(expected, 1e-12)) << cells;
      for (const std::size_t entries : {1u, 100u, 5000u})
        EXPECT_TRUE(with({.segment_entries = entries}) == whole) << cells << ' ' << entries;
      for (const std::size_t bytes : {1u, 3000u, 40'000u})  // an item at a time, and some
        EXPECT_TRUE(with({.segment_entries = 700, .table_bytes = bytes}).isApprox(expected, 1e-12))
            << cells << ' ' << bytes;
    }
  }
}

TEST(CellProducts, AreTheSameForAnyNumberOfThreadsAndForMappedRows) {
  const TestFolder folder;
  const SparseRows rows = rows_of_many_items();
  const SparseRows in_files = mapped(rows, folder.path());
  const auto labels = random_labels(5, rows.size(), 90);
  const auto with = [&](int threads, const SparseRows& some) {
    const ThreadLimit limit(threads);
    return cell_products(some, RowScale::SumOne, labels, 90, jensen_shannon_features(), {},
                         {.segment_entries = 900, .table_bytes = 1 << 20});
  };
  const MatrixXd one = with(1, rows);
  EXPECT_TRUE(one == with(2, rows));
  EXPECT_TRUE(one == with(2, in_files));
}

TEST(CellProducts, CountsTheEntriesOfItems) {
  const SparseRows rows = rows_of_many_items();
  std::vector<std::size_t> expected(rows.columns, 0);
  for (const std::uint32_t item : rows.items) expected[item] += 1;
  EXPECT_EQ(entries_of_items(rows), expected);
  EXPECT_EQ(entries_of_items(sparse({{0, 0}})), (std::vector<std::size_t>{0, 0}));
}

TEST(CellProducts, HaveTheSameBitsInWhateverOrderThePeopleCome) {
  // Sums over people are exact: only the order of the items could change a bit, and it stays.
  const SparseRows rows = rows_of_many_items();
  const auto labels = random_labels(7, rows.size(), 40);
  SparseRows backwards;
  backwards.columns = rows.columns;
  for (std::size_t r = rows.size(); r-- > 0;) {
    for (const std::uint32_t item : rows[r].items) backwards.items.push_back(item);
    for (const double value : rows[r].values) backwards.values.push_back(value);
    backwards.end_row();
  }
  const std::vector<std::uint32_t> labels_backwards(labels.rbegin(), labels.rend());
  const auto with = [&](const SparseRows& some, std::span<const std::uint32_t> cells) {
    return cell_products(some, RowScale::SumOne, cells, 40, jensen_shannon_features(), {});
  };
  EXPECT_TRUE(with(rows, labels) == with(backwards, labels_backwards));
}

TEST(CellProducts, AddUpWhenTwoCellsBecomeOne) {
  const SparseRows rows = rows_of_many_items();
  const auto labels = random_labels(8, rows.size(), 12);
  std::vector<std::uint32_t> joined = labels;
  for (auto& label : joined) label = label == 11 ? 3 : label;
  const auto with = [&](std::span<const std::uint32_t> cells) {
    return cell_products(rows, RowScale::AsTheyAre, cells, 12, one_and_itself(), {});
  };
  MatrixXd expected = with(labels);
  expected.row(3) += expected.row(11);
  expected.col(3) += expected.col(11);
  expected.row(11).setZero();
  expected.col(11).setZero();
  const MatrixXd found = with(joined);
  EXPECT_TRUE(found.isApprox(expected, 1e-12));
  EXPECT_EQ(found.col(11).cwiseAbs().maxCoeff(), 0);  // a cell that nobody is in
}

TEST(CellProducts, OfSharesDoNotSeeHowMuchARowHasInAll) {
  SparseRows rows = rated_rows(9, 100, 40, 2);
  const auto labels = random_labels(10, rows.size(), 5);
  const auto products = [&] {
    return cell_products(rows, RowScale::SumOne, labels, 5, jensen_shannon_features(), {});
  };
  const MatrixXd before = products();
  auto values = rows.values.writable();
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e)
      values[e] *= r % 2 == 0 ? 8 : 0.25;  // powers of two: the shares keep their bits
  EXPECT_TRUE(products() == before);
}

TEST(CellProducts, AreThoseOfSumsThatOthersHaveAddedUp) {
  const SparseRows rows = rows_of_many_items();
  for (const std::uint32_t cells : {6u, 90u}) {  // most items frequent, and rare
    const auto labels = random_labels(11, rows.size(), cells);
    const FeatureMap map = one_and_itself();
    const FixedPoint fixed = fixed_features(map, rows.size());
    std::vector<ItemSums> all;
    for (std::uint32_t item = 0; item < rows.columns; ++item) {
      std::map<std::uint32_t, Eigen::Vector<std::int64_t, 2>> of_cell;
      std::size_t entries = 0;
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t e = 0; e < rows[r].items.size(); ++e) {
          if (rows[r].items[e] != item) continue;
          entries += 1;
          if (rows[r].values[e] == 0) continue;
          auto& sum = of_cell.try_emplace(labels[r], Eigen::Vector<std::int64_t, 2>::Zero()).first->second;
          sum += Eigen::Vector<std::int64_t, 2>(fixed(1), fixed(rows[r].values[e]));
        }
      if (entries == 0) continue;
      ItemSums sums{.item = item, .entries = entries, .cells = {}, .sums = {}};
      sums.sums.resize(2, static_cast<Index>(of_cell.size()));
      for (const auto& [cell, sum] : of_cell) {
        sums.sums.col(static_cast<Index>(sums.cells.size())) = sum;
        sums.cells.push_back(cell);
      }
      all.push_back(std::move(sums));
    }
    EXPECT_TRUE(products_of_sums(all, rows.columns, rows.entries(), rows.size(), cells, map) ==
                cell_products(rows, RowScale::AsTheyAre, labels, cells, map, {}));
  }
}

TEST(CellProducts, OfNobodyAreZero) {
  const SparseRows nobody = sparse({});
  const MatrixXd products = cell_products(nobody, RowScale::AsTheyAre, {}, 3, one_and_itself(), {});
  EXPECT_EQ(products.rows(), 3);
  EXPECT_EQ(products.cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace hyobscure::census
