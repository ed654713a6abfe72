#include "hyobscure/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace hyobscure {
namespace {

TEST(Parallel, CoversEveryIndexOnceInFixedBlocks) {
  std::vector<int> visits(1003, 0);
  std::vector<std::size_t> ends(block_count(visits.size(), 100), 0);
  parallel_blocks(visits.size(), 100, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) visits[i] += 1;
    ends[begin / 100] = end;
  });
  EXPECT_EQ(visits, std::vector<int>(1003, 1));
  EXPECT_EQ(ends.front(), 100u);
  EXPECT_EQ(ends.back(), 1003u);
}

TEST(Parallel, NothingToDoCallsNothing) {
  parallel_blocks(0, 10, [](std::size_t, std::size_t) { FAIL(); });
}

TEST(Parallel, AnExceptionOfABlockReachesTheCaller) {
  EXPECT_THROW(parallel_blocks(10, 1,
                               [](std::size_t i, std::size_t) {
                                 if (i == 7) throw std::runtime_error("seven");
                               }),
               std::runtime_error);
}

TEST(Parallel, TheThreadLimitEndsWithItsScope) {
  const int before = thread_count();
  {
    const ThreadLimit one(1);
    EXPECT_EQ(thread_count(), 1);
  }
  EXPECT_EQ(thread_count(), before);
}

TEST(MakeInOrder, TakesEveryPieceOnceAndInOrder) {
  std::string taken, expected;
  for (int n = 0; n < 500; ++n) expected += std::to_string(n) + " ";
  make_in_order(
      500, [](std::size_t piece) { return std::to_string(piece) + " "; },
      [&](const std::string& piece) { taken += piece; });
  EXPECT_EQ(taken, expected);
}

TEST(MakeInOrder, AnErrorOfAPieceEndsIt) {
  std::size_t taken = 0;
  EXPECT_THROW(make_in_order(
                   100,
                   [](std::size_t piece) -> std::string {
                     if (piece == 10) throw std::runtime_error("no piece");
                     return {};
                   },
                   [&](const std::string&) { ++taken; }),
               std::runtime_error);
  EXPECT_LE(taken, 10u);
}

}  // namespace
}  // namespace hyobscure
