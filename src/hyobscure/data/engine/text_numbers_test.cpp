#include "hyobscure/data/engine/text_numbers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace hyobscure::data {
namespace {

TEST(TextNumbers, AreGivenInTheOrderInWhichTextsAreFirstSeen) {
  std::mt19937 random(1);
  TextNumbers numbers;
  std::map<std::string, std::uint32_t> expected;
  for (int i = 0; i < 5000; ++i) {  // many more than the first table has room for
    const std::string text(random() % 3, 'x' /* the empty text among them */);
    const std::string named = text + std::to_string(random() % 1500);
    const std::string& asked = random() % 50 == 0 ? text : named;
    const auto [at, is_new] = expected.emplace(asked, static_cast<std::uint32_t>(expected.size()));
    ASSERT_EQ(numbers.number(asked), at->second) << asked;
    ASSERT_EQ(numbers.size(), expected.size()) << is_new;
  }
  for (const auto& [text, number] : expected) EXPECT_EQ(numbers.text(number), text);
}

}  // namespace
}  // namespace hyobscure::data
