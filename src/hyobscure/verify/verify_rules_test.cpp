#include "hyobscure/verify/verify_rules.h"

#include <gtest/gtest.h>

#include <set>

namespace hyobscure::verify {
namespace {

TEST(VerifyRules, EveryCheckHasANameAndAKeyOfItsOwnAndSaysWhatItCovers) {
  std::set<std::string_view> keys, names;
  for (const CheckRule& check : kChecks) {
    EXPECT_TRUE(keys.insert(check.key).second) << check.key;
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_FALSE(check.covers.empty() || check.on_failure.empty()) << check.key;
    EXPECT_EQ(check.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), check.key.npos) << check.key;
    EXPECT_EQ(check.name.back() == '.' || check.name.find('|') != check.name.npos, false) << check.key;
  }
}

TEST(VerifyRules, ASubjectStandsInPlaceOfTheBraces) {
  EXPECT_EQ(NamedCheck(rule("rows"), "people.csv").name, "people.csv has the declared number of rows");
  EXPECT_EQ(NamedCheck(rule("columns"), "people.csv").name,
            "the columns of people.csv are the declared ones");
}

TEST(VerifyRules, EveryModeHasChecksAndEachSeesMoreThanTheOneBefore) {
  const auto blind = [](Mode mode) {
    int spots = 0;
    for (const BlindSpot& spot : kBlindSpots) spots += is_blind(spot, mode) ? 1 : 0;
    return spots;
  };
  EXPECT_GT(blind(Mode::Files), blind(Mode::Original));
  EXPECT_GT(blind(Mode::Original), blind(Mode::Mechanism));
  EXPECT_GT(blind(Mode::Mechanism), 0) << "no mode sees everything";
}

}  // namespace
}  // namespace hyobscure::verify
