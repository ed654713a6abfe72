#include "hyobscure/base/freed_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace hyobscure {
namespace {

/// Of this process, in MB.
double resident() {
  std::ifstream status("/proc/self/statm");
  double pages = 0;
  status >> pages >> pages;
  return pages * 4096 / 1e6;
}

TEST(FreedMemory, GoesBackToTheSystem) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer has an allocator of its own";
#endif
  std::vector<std::string> pieces;
  for (int i = 0; i < 40'000; ++i) pieces.emplace_back(2'000, 'x');  // too small to be mapped each by itself
  const std::string last(2'000, 'y');                                // keeps the end of the heap
  const double full = resident();
  pieces = {};
  return_freed_memory();
  EXPECT_LT(resident(), full - 60);
  EXPECT_EQ(last.size(), 2'000u);
}

}  // namespace
}  // namespace hyobscure
