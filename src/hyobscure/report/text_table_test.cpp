#include "hyobscure/report/text_table.h"

#include <gtest/gtest.h>

namespace hyobscure::report {
namespace {

TEST(Text, ATableAlignsWordsToTheLeftAndNumbersToTheRight) {
  TextTable table({"group", "people"});
  table.row({"18-24", "7"});
  table.row({"25-50", "1,200"});
  EXPECT_EQ(table.text(),
            "  group   people\n"
            "  --------------\n"
            "  18-24        7\n"
            "  25-50    1,200\n");
}

TEST(Text, NumbersAreReadable) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(bits_text(1.83456), "1.8346 bits");
  EXPECT_EQ(bits_text(0.0000123), "1.2e-05 bits");
  EXPECT_EQ(bits_text(1e-12), "below 1e-9 bits");
  EXPECT_EQ(bits_text(0), "0 bits");
  EXPECT_EQ(share_text(1, 3), "33 %");
  EXPECT_EQ(share_text(0.01, 1), "1.0 %");
  EXPECT_EQ(seconds_text(0.01), "less than 0.1 s");
  EXPECT_EQ(seconds_text(125), "2 min 5 s");
  EXPECT_EQ(seconds_text(7260), "2 h 1 min");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(2.5e9), "2.5 GB");
}

}  // namespace
}  // namespace hyobscure::report
