#include "hyobscure/base/error.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hyobscure
