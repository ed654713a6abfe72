#include "hyobscure/census/singled_out.h"

#include <gtest/gtest.h>

#include <functional>

#include "hyobscure/base/parallel.h"

namespace hyobscure::census {
namespace {

data::SparseRows rows_of(std::size_t people,
                         const std::function<double(std::size_t person, std::uint32_t item)>& value,
                         std::uint32_t items) {
  data::SparseRows rows;
  rows.columns = items;
  for (std::size_t u = 0; u < people; ++u) {
    for (std::uint32_t item = 0; item < items; ++item)
      if (const double x = value(u, item); x != 0) {
        rows.items.append(std::span<const std::uint32_t>(&item, 1));
        rows.values.append(std::span<const double>(&x, 1));
      }
    rows.end_row();
  }
  return rows;
}

const Key kKey = Key::from_seed(3);

/// Person u is a number of four digits, an item each: four entries tell everybody apart, two at most hundred.
TEST(SingledOut, FourEntriesTellThoseApartWhoWereMadeSo) {
  const auto digits = rows_of(
      10'000,
      [](std::size_t u, std::uint32_t item) {
        constexpr std::size_t kPowers[] = {1, 10, 100, 1000};
        return 1 + static_cast<double>(u / kPowers[item] % 10);
      },
      4);
  const auto found = singled_out(digits, {1, 2, 3, 4}, 500, kKey);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].share, 0);
  EXPECT_EQ(found[1].share, 0);
  EXPECT_EQ(found[2].share, 0);
  EXPECT_EQ(found[3].share, 1);
  EXPECT_LT(found[3].low, 1);
  EXPECT_GT(found[0].high, 0);
}

TEST(SingledOut, NobodyIsWhereAllHaveATwin) {
  const auto twins = rows_of(
      400,
      [](std::size_t u, std::uint32_t item) {
        return (u / 2 * 7 + item * 13) % 5 == 0 ? 1.0 + static_cast<double>(u / 2) : 0.0;
      },
      30);
  for (const SingledOut& found : singled_out(twins, {2, 8, 64 - 1}, 400, kKey)) {
    EXPECT_EQ(found.share, 0);
    EXPECT_EQ(found.high, 0);  // all were tried
  }
}

/// By the definition, with all entries known: a row that no other row contains.
TEST(SingledOut, IsTheShareOfRowsThatNoOtherRowContains) {
  const auto rows = rows_of(
      60,
      [](std::size_t u, std::uint32_t item) { return (u * 2654435761u >> (item + 3)) % 3 == 0 ? 1.0 : 0.0; },
      6);
  double alone = 0;
  for (std::size_t u = 0; u < rows.size(); ++u) {
    bool contained = rows[u].items.empty();
    for (std::size_t v = 0; v < rows.size(); ++v)
      contained = contained || (v != u && std::ranges::includes(rows[v].items, rows[u].items));
    alone += contained ? 0 : 1;
  }
  const auto found = singled_out(rows, {2, 6}, 60, kKey);
  EXPECT_DOUBLE_EQ(found[1].share, alone / 60);
  EXPECT_LE(found[0].share, found[1].share);
}

TEST(SingledOut, DoesNotDependOnThreads) {
  const auto rows = rows_of(
      9'000,
      [](std::size_t u, std::uint32_t item) { return (u * 2654435761u >> (item % 20)) % 7 == 0 ? 1.0 : 0.0; },
      40);
  const auto many = singled_out(rows, {2, 4}, 300, kKey);
  const ThreadLimit one(1);
  const auto single = singled_out(rows, {2, 4}, 300, kKey);
  for (std::size_t m = 0; m < 2; ++m) EXPECT_EQ(many[m].share, single[m].share);
}

}  // namespace
}  // namespace hyobscure::census
