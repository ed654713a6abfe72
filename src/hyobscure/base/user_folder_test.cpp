#include "hyobscure/base/user_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

/// A variable of the environment for the length of a test; null: not there.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(UserFolder, IsInTheDataFolderOfTheUser) {
  const Variable home("HOME", "/home/anna");
  {
    const Variable data("XDG_DATA_HOME", "/data/anna");
    EXPECT_EQ(user_folder("x"), "/data/anna/hyobscure");
  }
  for (const char* none : {static_cast<const char*>(nullptr), "", "relative"}) {
    const Variable data("XDG_DATA_HOME", none);
    EXPECT_EQ(user_folder("x"), "/home/anna/.local/share/hyobscure");
  }
}

TEST(UserFolder, WithoutAHomeIsRefused) {
  const Variable home("HOME", nullptr), data("XDG_DATA_HOME", nullptr);
  EXPECT_THROW((void)user_folder("release.ledger"), InputError);
}

TEST(UserFolder, IsMadeForItsOwnerOnly) {
  const TestFolder folder;
  make_private_folder(folder / "a" / "b");
  make_private_folder(folder / "a" / "b");
  struct stat status{};
  ASSERT_EQ(::stat((folder / "a" / "b").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  folder.write("file", "");
  EXPECT_THROW(make_private_folder(folder / "file" / "c"), InputError);
}

}  // namespace
}  // namespace hyobscure
