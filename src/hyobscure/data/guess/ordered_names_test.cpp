#include "hyobscure/data/guess/ordered_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyobscure::data {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(OrderedNames, FollowTheirNumbers) {
  EXPECT_THAT(ordered_by_numbers({"100K or more", "15-24K", "25-99K", "Under 15K"}),
              Optional(ElementsAre("Under 15K", "15-24K", "25-99K", "100K or more")));
  EXPECT_THAT(ordered_by_numbers({"65+", "18 to 24", "< 18", "25 to 64"}),
              Optional(ElementsAre("< 18", "18 to 24", "25 to 64", "65+")));
  EXPECT_THAT(ordered_by_numbers({"$100,000 - $149,999", "$9,000 - $24,999", "$25,000 - $99,999"}),
              Optional(ElementsAre("$9,000 - $24,999", "$25,000 - $99,999", "$100,000 - $149,999")));
  EXPECT_THAT(ordered_by_numbers({"1.5M and over", "800K-1M", "less than 800K"}),
              Optional(ElementsAre("less than 800K", "800K-1M", "1.5M and over")));
  EXPECT_THAT(ordered_by_numbers({"grade 10", "grade 9"}), Optional(ElementsAre("grade 9", "grade 10")));
}

TEST(OrderedNames, AreNotGuessedWhereSomethingIsOpen) {
  EXPECT_FALSE(ordered_by_numbers({"15-24", "25-34", "unknown"}));
  EXPECT_FALSE(ordered_by_numbers({"north", "south"}));
  EXPECT_FALSE(ordered_by_numbers({"15-24 men", "15-24 women"}));
  EXPECT_FALSE(ordered_by_numbers({"under 15", "under 25", "25-34"}));
  EXPECT_FALSE(ordered_by_numbers({"20+", "30-39"}));
}

}  // namespace
}  // namespace hyobscure::data
