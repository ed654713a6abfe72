#include "hyobscure/census/occupied.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyobscure::census {
namespace {

using testing::ElementsAre;

TEST(Occupied, TableOfOccupiedCellsComesBackAsOneOfAll) {
  Eigen::MatrixXd counts(2, 3);
  counts << 1, 0, 2,  //
      0, 0, 5;        // stored by columns: the cells 0, 4 and 5 hold people
  const Occupied occupied = occupied_cells(counts);
  EXPECT_THAT(occupied.cells, ElementsAre(0, 4, 5));
  EXPECT_THAT(occupied.number, ElementsAre(0, 1, 1, 1, 1, 2));
  Eigen::MatrixXd table(3, 3);
  table << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  const Eigen::MatrixXd all = spread(table, occupied, 6);
  double elsewhere = all.sum();
  for (Eigen::Index i = 0; i < 3; ++i)
    for (Eigen::Index j = 0; j < 3; ++j) {
      const double entry =
          all(occupied.cells[static_cast<std::size_t>(i)], occupied.cells[static_cast<std::size_t>(j)]);
      EXPECT_EQ(entry, table(i, j));
      elsewhere -= entry;
    }
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(spread(all, occupied, 6), all) << "it is one of all cells already";
}

}  // namespace
}  // namespace hyobscure::census
