#include "hyobscure/base/json.h"

#include <gtest/gtest.h>

#include <string>

namespace hyobscure {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, RefusesWhatIsNestedTooDeeply) {
  EXPECT_NO_THROW((void)parse_json(nested(kDeepestJson)));
  EXPECT_THROW((void)parse_json(nested(kDeepestJson + 1)), Json::exception);
  EXPECT_THROW((void)parse_json(std::string(3'000'000, '[')), Json::exception);
  std::string objects;
  for (std::size_t i = 0; i <= kDeepestJson; ++i) objects += R"({"a":)";
  EXPECT_THROW((void)parse_json(objects), Json::exception);
}

TEST(ParseJson, CountsNoBracketsInsideStrings) {
  const std::string brackets(2 * kDeepestJson, '[');
  EXPECT_EQ(parse_json("[\"" + brackets + "\"]")[0], brackets);
  EXPECT_EQ(parse_json(R"(["\")" + brackets + R"(\\"])")[0], "\"" + brackets + "\\");
}

TEST(ParseJson, CountsDepthBehindAStringThatEndsInABackslash) {
  EXPECT_THROW((void)parse_json(R"(["\\",)" + nested(kDeepestJson) + "]"), Json::exception);
  EXPECT_NO_THROW((void)parse_json(R"(["\\",)" + nested(kDeepestJson - 1) + "]"));
}

TEST(ParseJson, RefusesWhatDoesNotEnd) {
  for (const char* text : {"", "\"", R"("\)", R"({"a": "b)", "[", "]", "{]"})
    EXPECT_THROW((void)parse_json(text), Json::exception) << text;
}

}  // namespace
}  // namespace hyobscure
