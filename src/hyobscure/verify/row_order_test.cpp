#include "hyobscure/verify/row_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace hyobscure::verify {
namespace {

using Row = std::vector<std::string>;

bool in_order(RowOrder::Of of, const std::vector<Row>& rows) {
  RowOrder order(of);
  for (const Row& row : rows) order.add(row);
  return order.holds();
}

TEST(RowOrder, PeopleAscendByTheirIdsAsTexts) {
  EXPECT_TRUE(in_order(RowOrder::Of::People, {{"10"}, {"9"}, {"a"}}));
  EXPECT_FALSE(in_order(RowOrder::Of::People, {{"9"}, {"10"}}));
  EXPECT_FALSE(in_order(RowOrder::Of::People, {{"a"}, {"a"}})) << "twice";
  EXPECT_TRUE(in_order(RowOrder::Of::People, {}));
}

TEST(RowOrder, EventsOfAPersonAscendByTheirCells) {
  EXPECT_TRUE(
      in_order(RowOrder::Of::Events, {{"a", "x", "1"}, {"a", "x", "2"}, {"a", "y", "0"}, {"b", "x", "1"}}));
  EXPECT_FALSE(in_order(RowOrder::Of::Events, {{"a", "y", "1"}, {"a", "x", "1"}}));
  EXPECT_FALSE(in_order(RowOrder::Of::Events, {{"b", "x", "1"}, {"a", "x", "1"}}));
  EXPECT_TRUE(in_order(RowOrder::Of::Events, {{"a", "x"}, {"a", "x"}})) << "the same event twice";
}

TEST(RowOrder, AColumnAscendsAsTextsOrAsNumbersButNotAsEither) {
  EXPECT_TRUE(in_order(RowOrder::Of::Events, {{"a", "9"}, {"a", "10"}, {"b", "10"}, {"b", "11"}}));
  EXPECT_TRUE(in_order(RowOrder::Of::Events, {{"a", "10"}, {"a", "9"}}));
  EXPECT_FALSE(in_order(RowOrder::Of::Events, {{"a", "9"}, {"a", "10"}, {"b", "10"}, {"b", "9"}}));
}

TEST(RowOrder, EmptyCellsComeLast) {
  EXPECT_TRUE(in_order(RowOrder::Of::Events, {{"a", "x", "1"}, {"a", "x", ""}}));
  EXPECT_FALSE(in_order(RowOrder::Of::Events, {{"a", "x", ""}, {"a", "x", "1"}}));
}

// Pieces of a table, each looked at by itself, give what the whole gives.
TEST(RowOrder, PiecesJoinToTheWhole) {
  std::mt19937 random(3);
  int held = 0;
  for (int n = 0; n < 2'000; ++n) {
    std::vector<Row> rows(random() % 9);
    for (Row& row : rows)
      row = {std::string(1, static_cast<char>('a' + random() % 2)), std::to_string(random() % 12)};
    if (random() % 2 == 0) std::ranges::sort(rows);
    RowOrder whole(RowOrder::Of::Events);
    for (std::size_t begin = 0; begin < rows.size();) {
      RowOrder piece(RowOrder::Of::Events);
      for (const std::size_t end = std::min(rows.size(), begin + 1 + random() % 3); begin < end; ++begin)
        piece.add(rows[begin]);
      whole.join(piece);
    }
    EXPECT_EQ(whole.holds(), in_order(RowOrder::Of::Events, rows));
    held += whole.holds() ? 1 : 0;
  }
  EXPECT_GT(held, 500);
  EXPECT_LT(held, 1'900);
}

}  // namespace
}  // namespace hyobscure::verify
