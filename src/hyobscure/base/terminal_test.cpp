#include "hyobscure/base/terminal.h"

#include <gtest/gtest.h>

namespace hyobscure {
namespace {

TEST(Terminal, ShowsControlCharactersInsteadOfObeyingThem) {
  EXPECT_EQ(for_terminal("a\x1b[2Jb"), "a\\u001b[2Jb");
  EXPECT_EQ(for_terminal("a\rb\x7f\a"), "a\\u000db\\u007f\\u0007");
  EXPECT_EQ(for_terminal("\xc2\x9b"
                         "31m"),
            "\\u009b31m");  // the same, in one letter
  EXPECT_EQ(for_terminal("\xe2\x80\xae"
                         "txt"),
            "\\u202etxt");  // written from right to left
  EXPECT_EQ(for_terminal(std::string_view("a\0b", 3)), "a\\u0000b");
}

TEST(Terminal, LeavesOtherTextAsItIs) {
  const std::string text = "Zürich, 東京, 😀: 18-24 \"f\"\n\tand so on\n";
  EXPECT_EQ(for_terminal(text), text);
}

TEST(Terminal, ShowsBytesThatAreNoLetters) {
  EXPECT_EQ(for_terminal("\xff\x9b"
                         "31m\xc3"),
            "\\xff\\x9b31m\\xc3");
  EXPECT_EQ(for_terminal("\xe6\x9d"), "\\xe6\\x9d");
  EXPECT_EQ(for_terminal("\xc0\x9b"), "\\xc0\\x9b");  // an escape in two bytes where one would do
}

TEST(Terminal, OneLineHasNoOther) {
  EXPECT_EQ(one_line("x\n  ok    all is well\t"), "x\\u000a  ok    all is well\\u0009");
  EXPECT_EQ(one_line("x\xe2\x80\xa8y"), "x\\u2028y");
}

}  // namespace
}  // namespace hyobscure
