#include "hyobscure/report/text_table.h"

#include <gtest/gtest.h>

#include <sstream>

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

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(Text, AWideTableGetsHeadingsOverSeveralLinesAndNarrowerWords) {
  TextTable table({"use", "measure", "release", "true features", "no features", "loss"});
  table.row({"rating prediction", "RMSE", "0.877 [0.851, 0.903]", "0.872", "0.883", "0.005 [0.001, 0.009]"});
  table.row({"recommendation", "mean average precision", "0.389 [0.332, 0.446]", "0.409", "0.342",
             "0.020 [0.012, 0.028]"});
  // clang-format off
  EXPECT_EQ(table.text(),
            "                                                                true        no\n"
            "  use                measure                       release  features  features                  loss\n"
            "  --------------------------------------------------------------------------------------------------\n"
            "  rating prediction  RMSE             0.877 [0.851, 0.903]     0.872     0.883  0.005 [0.001, 0.009]\n"
            "  recommendation     mean average     0.389 [0.332, 0.446]     0.409     0.342  0.020 [0.012, 0.028]\n"
            "                     precision\n");
  // clang-format on
  EXPECT_LE(widest_line(table.text()), kScreenColumns);
}

TEST(Text, ATableThatIsStillTooWideGoesOnBelowWithItsKeys) {
  TextTable table({"budget", "fine-free", "fine-informed", "fine-learned", "hyobscure", "privcheck", "random",
                   "exact", "xobf", "ygen", "simp", "frapp"});
  table.row(std::vector<std::string>(12, "0.1234"));
  const std::string text = table.text();
  EXPECT_LE(widest_line(text), kScreenColumns);
  std::size_t budgets = 0;
  for (std::size_t at = text.find("budget"); at != std::string::npos; at = text.find("budget", at + 1))
    ++budgets;
  EXPECT_EQ(budgets, 2U);
  for (const char* name : {"fine-free", "privcheck", "frapp"})
    EXPECT_NE(text.find(name), std::string::npos) << name;
}

TEST(Text, SentencesAreBrokenAtSpacesUnderTheirOwnIndentation) {
  const std::string word(31, 'x'), shorter(30, 'x');
  EXPECT_EQ(wrapped("  " + word + " " + word + " " + word + " end\n  short\n"),
            "  " + word + " " + word + " " + word + "\n  end\n  short\n");
  EXPECT_EQ(wrapped("  a   " + shorter + " " + shorter + " " + shorter + " end", 6),
            "  a   " + shorter + " " + shorter + " " + shorter + "\n      end");
  const std::string long_path(150, '/');
  EXPECT_EQ(wrapped("see " + long_path), "see\n" + long_path);
  EXPECT_EQ(wrapped(long_path), long_path);
  EXPECT_EQ(wrapped(""), "");
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
