#include "hyobscure/census/row_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/census/test_data.h"

namespace hyobscure::census {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(RowSegments, CoverAllRowsOnceAndHoldNoMoreEntriesThanAsked) {
  const data::SparseRows rows = skewed_rows(1, 80, 20);
  for (const std::size_t most : {1u, 7u, 30u, 100'000u}) {
    std::size_t next = 0;
    for_row_segments(
        rows,
        [&](std::size_t begin, std::size_t end) {
          EXPECT_EQ(begin, next);
          EXPECT_GT(end, begin);
          const std::size_t entries = rows.starts[end] - rows.starts[begin];
          EXPECT_TRUE(entries <= most || end == begin + 1) << entries << " entries in several rows";
          if (end < rows.size()) {
            EXPECT_GT(rows.starts[end + 1] - rows.starts[begin], most) << "too short";
          }
          next = end;
        },
        most);
    EXPECT_EQ(next, rows.size());
  }
}

TEST(RowSegments, TakeRowsWithoutEntriesAlong) {
  const data::SparseRows rows = sparse({{0, 0}, {0, 0}, {1, 2}, {0, 0}});
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for_row_segments(rows, [&](std::size_t begin, std::size_t end) { runs.emplace_back(begin, end); }, 2);
  EXPECT_THAT(runs, ElementsAre(Pair(0, 4)));
}

}  // namespace
}  // namespace hyobscure::census
