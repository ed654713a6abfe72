#include "hyobscure/base/rename.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

class Rename : public testing::Test {
 protected:
  Rename() {
    for (const char* name : {"a", "b"}) {
      fs::create_directory(folder_ / name);
      folder_.write(std::string(name) + "/who", name);
    }
  }

  std::string in(const std::string& name) const { return read_file(folder_ / name / "who"); }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

  TestFolder folder_;
};

TEST_F(Rename, ToANewNameReplacesNothing) {
  EXPECT_EQ(rename_to_new(folder_ / "a", folder_ / "b"), EEXIST);
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(rename_to_new(folder_ / "a", folder_ / "empty"), EEXIST);
  EXPECT_EQ(in("a"), "a");
  EXPECT_EQ(in("b"), "b");
  EXPECT_EQ(rename_to_new(folder_ / "a", folder_ / "new"), 0);
  EXPECT_EQ(in("new"), "a");
}

TEST_F(Rename, ExchangeGivesEachTheNameOfTheOther) {
  EXPECT_EQ(exchange(folder_ / "a", folder_ / "b"), 0);
  EXPECT_EQ(in("a"), "b");
  EXPECT_EQ(in("b"), "a");
  EXPECT_EQ(exchange_by_renames(folder_ / "a", folder_ / "b", folder_ / "aside"), 0);
  EXPECT_EQ(in("a"), "a");
  EXPECT_EQ(in("b"), "b");
  EXPECT_EQ(entries(), 2);
}

TEST_F(Rename, AFailedExchangePutsEverythingBack) {
  EXPECT_EQ(exchange(folder_ / "none", folder_ / "b"), ENOENT);
  EXPECT_EQ(exchange_by_renames(folder_ / "none", folder_ / "b", folder_ / "aside"), ENOENT);
  EXPECT_EQ(exchange_by_renames(folder_ / "a", folder_ / "none", folder_ / "aside"), ENOENT);
  fs::create_directory(folder_ / "aside");
  EXPECT_EQ(exchange_by_renames(folder_ / "a", folder_ / "b", folder_ / "aside"), EEXIST);
  EXPECT_EQ(in("a"), "a");
  EXPECT_EQ(in("b"), "b");
}

}  // namespace
}  // namespace hyobscure
