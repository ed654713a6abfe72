#include "hyobscure/obscure/neighbours/row_distances.h"

#include <gtest/gtest.h>

#include <random>

namespace hyobscure::obscure {
namespace {

/// Sparse rows with stored zeros, a row of one item, two equal rows.
data::SparseRows some_rows() {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  data::SparseRows rows;
  rows.columns = 30;
  for (int r = 0; r < 25; ++r) {
    if (r == 7) rng.seed(11);
    if (r == 8) rng.seed(11);  // rows 7 and 8 are equal
    bool any = false;
    for (std::uint32_t item = 0; item < 30; ++item) {
      if (uniform(rng) > 0.3) continue;
      const double value = any && uniform(rng) < 0.1 ? 0 : 1 + std::floor(5 * uniform(rng));
      rows.items.push_back(item);
      rows.values.push_back(value);
      any = true;
    }
    if (!any) {
      rows.items.push_back(4);
      rows.values.push_back(2);
    }
    rows.end_row();
  }
  return rows;
}

TEST(RowDistances, AgreesWithTheDefinition) {
  const auto rows = some_rows();
  const std::vector<std::uint32_t> members = {0, 3, 4, 7, 8, 12, 20, 24};
  for (const auto distance :
       {census::Distance::JensenShannon, census::Distance::SquaredEuclidean, census::Distance::Euclidean,
        census::Distance::Jaccard, census::Distance::Hamming}) {
    const RowDistances distances(distance, rows, members);
    ASSERT_EQ(distances.size(), members.size());
    std::vector<float> row(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      distances.row(i, row);
      EXPECT_EQ(row[i], 0);
      for (std::size_t j = 0; j < members.size(); ++j) {
        const double expected =
            census::distance_between(distance, rows[members[i]], rows[members[j]], rows.columns);
        EXPECT_NEAR(row[j], expected, 1e-6 * std::max(1.0, expected))
            << static_cast<int>(distance) << " " << i << " " << j;
      }
    }
  }
}

TEST(RowDistances, FromOneTableToAnotherAgreeWithTheDefinition) {
  const auto from = some_rows();
  data::SparseRows to;
  to.columns = from.columns;
  for (std::size_t r = 0; r < from.size(); ++r) to.append_row(from[(r * 7 + 3) % from.size()]);
  const std::vector<std::uint32_t> members = {0, 3, 4, 7, 8, 12, 20, 24};
  for (const auto distance :
       {census::Distance::JensenShannon, census::Distance::SquaredEuclidean, census::Distance::Euclidean,
        census::Distance::Jaccard, census::Distance::Hamming}) {
    const RowDistances distances(distance, from, to, members);
    const DistanceTable all = all_distances(distances);
    std::vector<std::uint32_t> places(members.size());
    for (std::uint32_t j = 0; j < places.size(); ++j) places[j] = j;
    std::vector<float> some(members.size());
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      distances.distances_to(i, places, some);
      for (std::uint32_t j = 0; j < members.size(); ++j) {
        const double expected =
            census::distance_between(distance, from[members[i]], to[members[j]], from.columns);
        EXPECT_NEAR(all(i, j), expected, 1e-6 * std::max(1.0, expected));
        EXPECT_EQ(some[j], all(i, j));
      }
    }
  }
}

TEST(RowDistances, SomeAreTheVeryNumbersOfTheRow) {
  const auto rows = some_rows();
  const std::vector<std::uint32_t> members = {0, 3, 4, 7, 8, 12, 20, 24};
  const std::vector<std::uint32_t> others = {4, 3, 7, 0, 4};
  for (const auto distance :
       {census::Distance::JensenShannon, census::Distance::SquaredEuclidean, census::Distance::Euclidean,
        census::Distance::Jaccard, census::Distance::Hamming}) {
    const RowDistances distances(distance, rows, members);
    std::vector<float> row(members.size()), some(others.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      distances.distances_to(i, others, some);
      distances.row(i, row);
      for (std::size_t k = 0; k < others.size(); ++k) EXPECT_EQ(some[k], row[others[k]]) << i << " " << k;
    }
  }
}

TEST(RowDistances, EmptySetsAreAlike) {
  data::SparseRows rows;
  rows.columns = 3;
  rows.end_row();
  rows.end_row();
  const RowDistances distances(census::Distance::Jaccard, rows, std::vector<std::uint32_t>{0, 1});
  std::vector<float> row(2);
  distances.row(0, row);
  EXPECT_EQ(row[1], 0);
}

}  // namespace
}  // namespace hyobscure::obscure
