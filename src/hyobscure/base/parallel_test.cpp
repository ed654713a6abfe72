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

}  // namespace
}  // namespace hyobscure
