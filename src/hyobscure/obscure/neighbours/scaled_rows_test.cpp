#include "hyobscure/obscure/neighbours/scaled_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hyobscure::obscure {
namespace {

/// Row 0 {3: 4}, row 1 {0: 1, 3: 3}, row 2 {1: 0.25, 2: 0.25, 4: 0.5}, row 3 empty.
data::SparseRows four_rows() {
  data::SparseRows rows;
  rows.columns = 5;
  const auto add = [&](const std::vector<std::pair<std::uint32_t, double>>& entries) {
    for (const auto& [item, value] : entries) {
      rows.items.push_back(item);
      rows.values.push_back(value);
    }
    rows.end_row();
  };
  add({{3, 4}});
  add({{0, 1}, {3, 3}});
  add({{1, 0.25}, {2, 0.25}, {4, 0.5}});
  add({});
  return rows;
}

const std::vector<std::uint32_t> kMembers = {3, 1, 2};  // row 0, with the largest entry, is not of the pool

std::vector<float> features_of(const ScaledRows& pool, std::size_t i) {
  return {pool.feature(i), pool.feature(i) + pool.entries(i)};
}

TEST(ScaledRows, ForJensenShannonAreRootsOfShares) {
  const data::SparseRows rows = four_rows();
  const ScaledRows pool = scaled_rows(census::Distance::JensenShannon, rows, kMembers);
  ASSERT_EQ(pool.size(), 3u);
  EXPECT_EQ(pool.entries(0), 0u);
  EXPECT_EQ(pool.items(1)[1], 3u);
  EXPECT_EQ(features_of(pool, 1), (std::vector<float>{0.5F, std::sqrt(0.75F)}));
  float square = 0;  // every row has length 1, as a point of the Hellinger distance
  for (const float feature : features_of(pool, 2)) square += feature * feature;
  EXPECT_NEAR(square, 1, 1e-6);
  EXPECT_EQ(pool.length_scale[2], 1);
}

TEST(ScaledRows, ForEuclideanAreSharesOfTheLargestEntryOfThePool) {
  const data::SparseRows rows = four_rows();
  const ScaledRows pool = scaled_rows(census::Distance::Euclidean, rows, kMembers);
  EXPECT_NEAR(pool.feature(1)[0], 1.0 / 3, 1e-7);
  EXPECT_EQ(pool.feature(1)[1], 1) << "the entry of somebody outside of the pool counts for nothing";
  EXPECT_NEAR(pool.feature(2)[2], 0.5 / 3, 1e-7);
}

TEST(ScaledRows, ForSetsAreOnesAndForJaccardOfTheSameLength) {
  const data::SparseRows rows = four_rows();
  const ScaledRows jaccard = scaled_rows(census::Distance::Jaccard, rows, kMembers),
                   hamming = scaled_rows(census::Distance::Hamming, rows, kMembers);
  EXPECT_EQ(features_of(jaccard, 2), (std::vector<float>{1, 1, 1}));
  EXPECT_NEAR(jaccard.length_scale[1], 1 / std::sqrt(2.0), 1e-7);
  EXPECT_NEAR(jaccard.length_scale[2], 1 / std::sqrt(3.0), 1e-7);
  EXPECT_EQ(jaccard.length_scale[0], 1) << "an empty set has no length";
  EXPECT_EQ(hamming.length_scale[2], 1);
}

}  // namespace
}  // namespace hyobscure::obscure
