#include "hyobscure/census/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace hyobscure::census {
namespace {

TEST(FixedPoint, RoundsToTheNearestMultipleOfItsUnit) {
  std::mt19937 random(1);
  for (const double largest : {1e-12, 0.7, 1.0, 3.0, 1e9}) {
    const FixedPoint fixed(largest, 1000);
    std::uniform_real_distribution<double> any(-largest, largest);
    for (int i = 0; i < 200; ++i) {
      const double x = any(random);
      EXPECT_EQ(fixed(x), std::llrint(x / fixed.unit())) << x;
    }
    EXPECT_EQ(fixed(0), 0);
    EXPECT_EQ(fixed(2.5 * fixed.unit()), 2) << "halves go to the even one";
  }
}

TEST(FixedPoint, HasTheUnitThatItPromises) {
  EXPECT_LE(FixedPoint(1.0, 1).unit(), 0x1p-49);
  EXPECT_LE(FixedPoint(1.0, 1'000'000'000).unit(), 0x1p-31);
  EXPECT_LE(FixedPoint(5.0, 100).unit(), 5 * 0x1p-49);
}

TEST(FixedPoint, SumsNeverOverflowAndDoNotDependOnTheirOrder) {
  for (const std::uint64_t count : {1ULL, 1000ULL, 1'000'000'000ULL, 1ULL << 40}) {
    const double largest = 0.999999;
    __extension__ using Wide = __int128;
    const Wide sum = static_cast<Wide>(FixedPoint(largest, count)(largest)) * static_cast<Wide>(count);
    EXPECT_LE(sum, static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) << count;
  }
  const std::vector<double> numbers = {0.1, 0.7, 1e-9, 0.3, 0.1, 1e-16};
  const FixedPoint fixed(0.7, numbers.size());
  std::int64_t forwards = 0, backwards = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    forwards += fixed(numbers[i]);
    backwards += fixed(numbers[numbers.size() - 1 - i]);
  }
  EXPECT_EQ(forwards, backwards);
  EXPECT_NEAR(static_cast<double>(forwards) * fixed.unit(), 1.2 + 1e-9, 6 * fixed.unit());
}

}  // namespace
}  // namespace hyobscure::census
