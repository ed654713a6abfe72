#include "hyobscure/base/base64.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace hyobscure {
namespace {

TEST(Base64, WritesTheTextsOfTheStandard) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, ReadsWhatItWrites) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{300},
                                 std::size_t{3} << 20, (std::size_t{3} << 20) + 1, std::size_t{7'000'001}}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 256);
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes) << size;
  }
}

TEST(Base64, RefusesEverythingElse) {
  for (const char* text :
       {"Z", "Zg=", "Zg", "Zh==", "Z===", "====", "Zg==Zg==", "Zm9v\n", " Zm9v   ", "Zm9%"})
    EXPECT_THROW((void)from_base64(text), std::out_of_range) << text;
}

}  // namespace
}  // namespace hyobscure
