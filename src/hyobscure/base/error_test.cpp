#include "hyobscure/base/error.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hyobscure {
namespace {

TEST(InputError, SaysWhereWhatAndHowToPutItRight) {
  const InputError error({.source = "people.csv", .row = 17, .column = "age"}, "expected a number",
                         "Correct the cell.");
  EXPECT_STREQ(error.what(), "people.csv, row 17, column \"age\": expected a number. Correct the cell.");
}

TEST(InputError, LeavesOutThePartsOfThePlaceThatDoNotApply) {
  EXPECT_STREQ(InputError({.source = "people.csv"}, "the file is empty", "Add rows.").what(),
               "people.csv: the file is empty. Add rows.");
  EXPECT_STREQ(InputError({.column = "age"}, "unknown", "Name one.").what(),
               "column \"age\": unknown. Name one.");
  EXPECT_STREQ(InputError({}, "no budget is given", "Set one.").what(), "no budget is given. Set one.");
}

TEST(Require, ThrowsOnlyWhereTheConditionFails) {
  EXPECT_NO_THROW(require(true, "folds", "expected at least 2", "Take at least 2."));
  try {
    require(false, "folds", "expected at least 2", "Take at least 2.");
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().source, "folds");
    EXPECT_EQ(error.place().row, 0U);
    EXPECT_EQ(error.problem(), "expected at least 2");
    EXPECT_EQ(error.remedy(), "Take at least 2.");
  }
}

TEST(InputError, TellsSeveralAtOnce) {
  const InputError first({.source = "people.csv", .row = 3, .column = "age"}, "expected a number",
                         "Correct it.");
  EXPECT_STREQ(InputError(std::vector{first}).what(), first.what());
  const InputError two(
      std::vector{first, InputError({.source = "events.csv"}, "the\nvalue is negative", "Correct it.")});
  EXPECT_STREQ(
      two.what(),
      "people.csv, row 3, column \"age\": expected a number. Correct it.\n1 more problem:\n  events.csv: "
      "the value is negative. Correct it.");
  EXPECT_EQ(two.place().row, 3u);
  const InputError many(std::vector<InputError>(25, first));
  EXPECT_EQ(std::ranges::count(std::string(many.what()), '\n'), 1 + 19 + 1);
  EXPECT_TRUE(std::string(many.what()).ends_with("\n  and 5 more"));
}

}  // namespace
}  // namespace hyobscure
