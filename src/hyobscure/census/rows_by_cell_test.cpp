#include "hyobscure/census/rows_by_cell.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

TEST(RowsByCell, KeepTheirOrderWithinACell) {
  const auto cell_of_row = random_labels(3, 200, 6);
  const RowsByCell rows(cell_of_row, 8);  // the cells 6 and 7 are empty
  for (std::uint32_t cell = 0; cell < 8; ++cell) {
    std::vector<std::uint32_t> expected;
    for (std::uint32_t row = 0; row < 200; ++row)
      if (cell_of_row[row] == cell) expected.push_back(row);
    EXPECT_TRUE(std::ranges::equal(rows.members(cell), expected)) << cell;
  }
}

}  // namespace
}  // namespace hyobscure::census
