#include "hyobscure/obscure/neighbours/direction.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace hyobscure::obscure {
namespace {

/// Rows over 40 items; the first half of the rows has most of its entries among the first 20 items, the
/// second half among the others.
data::SparseRows two_tastes(unsigned seed, std::uint32_t count) {
  std::mt19937 random(seed);
  data::SparseRows rows;
  rows.columns = 40;
  for (std::uint32_t row = 0; row < count; ++row) {
    for (std::uint32_t item = 0; item < 40; ++item) {
      const bool own = (item < 20) == (2 * row < count);
      if (random() % 20 >= (own ? 10u : 1u)) continue;
      rows.items.push_back(item);
      rows.values.push_back(1);
    }
    rows.end_row();
  }
  return rows;
}

std::vector<std::uint32_t> first_numbers(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

TEST(Direction, SeparatesTheTastesThatMakeRowsDiffer) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const data::SparseRows rows = two_tastes(seed, 60);
    const auto members = first_numbers(60);
    const ScaledRows pool = scaled_rows(census::Distance::Jaccard, rows, members);
    Direction direction(pool);
    RandomStream random(Key::from_seed(seed));
    direction.learn(members, 6, random);
    float highest_first = -1e9F, lowest_first = 1e9F, highest_second = -1e9F, lowest_second = 1e9F;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const float at = direction.project(i);
      float& highest = i < 30 ? highest_first : highest_second;
      float& lowest = i < 30 ? lowest_first : lowest_second;
      highest = std::max(highest, at);
      lowest = std::min(lowest, at);
    }
    EXPECT_TRUE(highest_first < lowest_second || highest_second < lowest_first) << seed;
  }
}

TEST(Direction, LearnedAgainForgetsWhatItHadLearned) {
  const data::SparseRows rows = two_tastes(7, 40);
  const auto members = first_numbers(40);
  const ScaledRows pool = scaled_rows(census::Distance::Jaccard, rows, members);
  Direction again(pool), fresh(pool);
  RandomStream earlier(Key::from_seed(1)), one(Key::from_seed(2)), two(Key::from_seed(2));
  again.learn({1, 3, 5, 30, 31}, 4, earlier);
  again.learn({0, 2, 4, 33, 35, 37}, 4, one);
  fresh.learn({0, 2, 4, 33, 35, 37}, 4, two);
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(again.project(i), fresh.project(i)) << i;
}

TEST(Direction, IsNoneWhereAllRowsAreAlike) {
  data::SparseRows rows;
  rows.columns = 3;
  for (int row = 0; row < 6; ++row) {
    rows.items.push_back(1);
    rows.values.push_back(2);
    rows.end_row();
  }
  const auto members = first_numbers(6);
  const ScaledRows pool = scaled_rows(census::Distance::Euclidean, rows, members);
  Direction direction(pool);
  RandomStream random(Key::from_seed(1));
  direction.learn(members, 3, random);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_NEAR(direction.project(i), 0, 1e-6);
}

}  // namespace
}  // namespace hyobscure::obscure
