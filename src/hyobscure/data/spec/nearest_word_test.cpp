#include "hyobscure/data/spec/nearest_word.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace hyobscure::data {
namespace {

/// From the definition: the fewest letters to insert, remove or change.
std::size_t edits(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  if (a[0] == b[0]) return edits(a.substr(1), b.substr(1));
  return 1 + std::min({edits(a.substr(1), b), edits(a, b.substr(1)), edits(a.substr(1), b.substr(1))});
}

TEST(NearestWord, IsTheOneOfFewestEditsIfAThirdOfTheLettersOrLessDiffer) {
  std::mt19937 random(1);
  const auto word = [&] {
    std::string text(1 + random() % 6, ' ');
    for (char& letter : text) letter = static_cast<char>('a' + random() % 3);
    return text;
  };
  int found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::string typed = word();
    const std::vector<std::string> known = {word(), word(), word()};
    std::size_t least = typed.size();
    for (const std::string& candidate : known) least = std::min(least, edits(typed, candidate));
    const auto nearest = nearest_word(typed, known);
    ASSERT_EQ(nearest.has_value(), least <= typed.size() / 3) << typed;
    if (!nearest) continue;
    ++found;
    EXPECT_EQ(edits(typed, *nearest), least) << typed << " " << *nearest;
  }
  EXPECT_GT(found, 30);
}

TEST(NearestWord, IsNeverANumber) {
  EXPECT_EQ(nearest_word("1234", {"1235", "12.4", "-124"}), std::nullopt);
  EXPECT_EQ(nearest_word("age1", {"1", "age2"}), "age2");
}

}  // namespace
}  // namespace hyobscure::data
