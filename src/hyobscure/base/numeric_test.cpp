#include "hyobscure/base/numeric.h"

#include <gtest/gtest.h>

namespace hyobscure {
namespace {

TEST(Numeric, XLogXIsContinuousAtZero) {
  EXPECT_EQ(x_log_x(0), 0);
  EXPECT_DOUBLE_EQ(x_log_x(0.5), 0.5 * std::log(0.5));
}

TEST(Numeric, CompensatedSumKeepsSmallTermsBesideLargeOnes) {
  CompensatedSum sum;
  for (const double term : {1e100, 1.0, -1e100, 1.0}) sum.add(term);
  EXPECT_EQ(sum.value(), 2.0);
}

}  // namespace
}  // namespace hyobscure
