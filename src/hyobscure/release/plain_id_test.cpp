#include "hyobscure/release/plain_id.h"

#include <gtest/gtest.h>

#include <random>

namespace hyobscure::release {
namespace {

TEST(PlainId, IsOneForAllWaysToWriteANumber) {
  for (const char* one : {"1", "01", "0001", " 1", "1\t", "\n1 ", "+1", "1.", "1.0", "1.000", "1e0", "10e-1",
                          "0.1E+1", "001.0e+00"})
    EXPECT_EQ(plain_id(one), "1") << one;
  for (const char* zero : {"0", "-0", "000", "0.0", ".0", "0e9"}) EXPECT_EQ(plain_id(zero), "0") << zero;
  for (const char* large : {"12000", "012000", "1.2e4", "1.2E+04", "12000.0"})
    EXPECT_EQ(plain_id(large), "12000") << large;
  for (const char* fraction : {"-2.50", "-02.5", "-25e-1", "-.25e1"})
    EXPECT_EQ(plain_id(fraction), "-25e-1") << fraction;
}

TEST(PlainId, KeepsWhatIsNoDecimalNumber) {
  for (const char* text : {"", "x01", "0x1", "1_000", "1,5", "a 1", "p007", "1e", "e1", "+", "-", ".", "--1",
                           "1.2.3", "NaN", "inf", "1e99999999999", "\u0661"})
    EXPECT_EQ(plain_id(text), text);
  EXPECT_EQ(plain_id("  Anna 01 "), "Anna 01");
}

TEST(PlainId, OfAWholeNumberIsTheNumberItselfHoweverManyDigits) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 1000; ++trial) {
    std::string digits(1, static_cast<char>('1' + random() % 9));
    for (std::size_t more = random() % 40; more > 0; --more)
      digits += static_cast<char>('0' + (random() % 3 == 0 ? 0 : random() % 10));
    EXPECT_EQ(plain_id(digits), digits);
    EXPECT_EQ(plain_id("00" + digits + ".00"), digits);
    EXPECT_EQ(plain_id(plain_id("-" + digits)), "-" + digits);
  }
}

}  // namespace
}  // namespace hyobscure::release
