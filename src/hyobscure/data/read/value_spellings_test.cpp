#include "hyobscure/data/read/value_spellings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace hyobscure::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

TEST(PlainDecimal, HasNoExponentAndNoDigitTooMany) {
  EXPECT_EQ(plain_decimal(4), "4");
  EXPECT_EQ(plain_decimal(-100000), "-100000");
  EXPECT_EQ(plain_decimal(0.1), "0.1");
  EXPECT_EQ(plain_decimal(1e-7), "0.0000001");
  EXPECT_EQ(plain_decimal(1e20), "100000000000000000000");
}

TEST(ValueSpellings, RemembersWhatIsNotPlain) {
  ValueSpellings seen;
  for (const auto* text : {"1", "2.50", "1", "2.50", "1e3"}) seen.see(text, std::stod(text));
  EXPECT_THAT(seen.unusual(), Optional(ElementsAre(Pair(2.5, "2.50"), Pair(1000, "1e3"))));
}

TEST(ValueSpellings, OneNumberInTwoWaysIsTold) {
  ValueSpellings seen, elsewhere;
  seen.see("2.50", 2.5);
  elsewhere.see("2.5", 2.5);
  EXPECT_TRUE(seen.unusual());
  seen.add(elsewhere);
  EXPECT_FALSE(seen.unusual());
}

TEST(ValueSpellings, OfManyNumbersAllMustBePlain) {
  ValueSpellings plain, other;
  for (int n = 0; n < 10'000; ++n) {
    plain.see(fmt::format("{}.25", n), n + 0.25);
    other.see(fmt::format("{}.250", n), n + 0.25);
  }
  EXPECT_THAT(plain.unusual(), Optional(IsEmpty()));
  EXPECT_FALSE(other.unusual());
  plain.see("7.0", 7);
  EXPECT_FALSE(plain.unusual());
}

}  // namespace
}  // namespace hyobscure::data
