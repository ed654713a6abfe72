#include "hyobscure/data/read/id_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hyobscure::data {
namespace {

TEST(IdNumbers, FindEveryIdAtItsPlaceAndNoOther) {
  for (const std::size_t count : {0u, 1u, 11u, 12u, 13u, 3000u}) {  // 12 of 16 slots are the most
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back("id" + std::to_string(7 * i));
    const IdNumbers numbers(ids);
    for (std::size_t i = 0; i < 7 * count + 7; ++i) {
      const std::string id = "id" + std::to_string(i);
      const auto at = std::ranges::find(ids, id);
      const auto found = numbers.find(id);
      ASSERT_EQ(found.has_value(), at != ids.end()) << id << " of " << count;
      if (found) {
        ASSERT_EQ(*found, static_cast<std::uint32_t>(at - ids.begin()));
      }
    }
    EXPECT_EQ(numbers.find(""), std::nullopt);
  }
}

}  // namespace
}  // namespace hyobscure::data
