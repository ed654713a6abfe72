#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/report/summary.h"

namespace hyobscure::report {
namespace {

using testing::HasSubstr;
using testing::Not;

verify::Verification with(std::vector<verify::Check> checks) {
  return {.checks = std::move(checks), .mode = verify::Mode::Files, .not_seen = {"what nobody sees"}};
}

const verify::Check kHolds{.name = "ids are unique", .detail = ""};
const verify::Check kFails{.name = "groups are apart", .passed = false, .detail = "two overlap"};
const verify::Check kNote{.name = "it is no trial", .passed = false, .detail = "", .warning = true};

TEST(VerificationText, ShowsWhatDidNotPassAndACount) {
  EXPECT_EQ(
      verification_text(with({kHolds, kHolds})),
      "Looked at the files alone. With --against SPEC and -m MECHANISM more of it is seen. -v lists all\n"
      "checks, and what this cannot see.\n"
      "Verified: all 2 checks passed.\n");
  const std::string failed = verification_text(with({kHolds, kFails, kNote}));
  EXPECT_THAT(failed, HasSubstr("  FAIL  groups are apart: two overlap\n  note  it is no trial\n"));
  EXPECT_THAT(failed, Not(HasSubstr("ids are unique")));
  EXPECT_THAT(failed, HasSubstr("NOT verified: 1 of 3 checks failed.\n"));
}

TEST(VerificationText, ANoteIsNoFailureAndIsNotCountedAsPassed) {
  EXPECT_THAT(verification_text(with({kHolds, kNote})),
              HasSubstr("Verified: 1 of 2 checks passed, the note above is for you to judge.\n"));
  EXPECT_THAT(verification_text(with({kHolds, kNote, kNote})),
              HasSubstr("Verified: 1 of 3 checks passed, the 2 notes above are for you to judge.\n"));
}

TEST(VerificationText, ShowsEverythingWhereAsked) {
  const std::string text = verification_text(with({kHolds, kFails}), true);
  EXPECT_THAT(text, HasSubstr("  ok    ids are unique\n  FAIL  groups are apart: two overlap\n"));
  EXPECT_THAT(text, HasSubstr("  - what nobody sees\n"));
}

}  // namespace
}  // namespace hyobscure::report
