#include "hyobscure/verify/row_distance.h"

#include <gtest/gtest.h>

#include <random>

#include "hyobscure/census/distance.h"

namespace hyobscure::verify {
namespace {

constexpr std::size_t kColumns = 9;

data::SparseRows random_rows(std::mt19937& random, std::size_t count) {
  data::SparseRows rows;
  rows.columns = kColumns;
  for (std::size_t r = 0; r < count; ++r) {
    std::vector<std::uint32_t> items;
    std::vector<double> values;
    for (std::uint32_t item = 0; item < kColumns; ++item)
      if (random() % 2 == 0 || (item + 1 == kColumns && items.empty())) {
        items.push_back(item);
        values.push_back(1 + static_cast<double>(random() % 5));
      }
    rows.append_row({items, values});
  }
  return rows;
}

// Two statements of one definition: that of the census, and this one.
TEST(RowDistance, AgreesWithTheCensus) {
  std::mt19937 random(5);
  const data::SparseRows rows = random_rows(random, 40);
  for (const auto kind : {data::Distance::JensenShannon, data::Distance::SquaredEuclidean,
                          data::Distance::Euclidean, data::Distance::Jaccard, data::Distance::Hamming})
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = 0; b < rows.size(); ++b)
        EXPECT_NEAR(row_distance(kind, rows[a], rows[b], kColumns),
                    census::distance_between(kind, rows[a], rows[b], kColumns), 1e-12)
            << data::word(kind);
}

TEST(RowDistance, NoDistanceIsAboveItsBound) {
  std::mt19937 random(6);
  const data::SparseRows rows = random_rows(random, 40);
  double greatest = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) greatest = std::max(greatest, norm_of(rows[r]));
  for (const auto kind : {data::Distance::JensenShannon, data::Distance::SquaredEuclidean,
                          data::Distance::Euclidean, data::Distance::Jaccard, data::Distance::Hamming})
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = 0; b < rows.size(); ++b)
        EXPECT_LE(row_distance(kind, rows[a], rows[b], kColumns),
                  greatest_distance(kind, norm_of(rows[a]), greatest) + 1e-12);
}

}  // namespace
}  // namespace hyobscure::verify
