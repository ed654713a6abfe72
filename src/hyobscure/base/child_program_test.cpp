#include "hyobscure/base/child_program.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "hyobscure/base/stopwatch.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

/// PATH for the length of a test.
class PathOfTest {
 public:
  explicit PathOfTest(const std::string& path) : before_(std::getenv("PATH")) {
    ::setenv("PATH", path.c_str(), 1);
  }
  ~PathOfTest() { ::setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

std::optional<int> shell(const std::string& script, double seconds = 20, const Progress& progress = {}) {
  return run_program("/bin/sh", {"-c", script}, seconds, progress);
}

TEST(ChildProgram, IsFoundByTheOrderOfNamesThenOfFolders) {
  const TestFolder one, other;
  const auto program = [](const std::filesystem::path& file) {
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  };
  one.write("second", "not to be run");
  const auto first = program(other.write("first", "")), second = program(other.write("second", ""));
  const PathOfTest path(one.path().string() + "::" + other.path().string());
  EXPECT_EQ(find_program({"second"}), second) << "the one before it is no program";
  EXPECT_EQ(find_program({"first", "second"}), first);
  EXPECT_EQ(find_program({"third", "second"}), second);
  EXPECT_FALSE(find_program({"third"}));
}

TEST(ChildProgram, ReturnsItsExitCodeAndTakesArgumentsAsTheyAre) {
  EXPECT_EQ(shell("exit 0"), 0);
  EXPECT_EQ(shell("exit 7"), 7);
  EXPECT_EQ(run_program("/bin/sh", {"-c", "test \"$0\" = 'a b; $(c)'", "a b; $(c)"}, 20), 0);
}

TEST(ChildProgram, OneThatIsNotThereOrDiesReturnsNothing) {
  EXPECT_FALSE(run_program("/nowhere/at/all", {}, 20).value_or(127) == 0);
  EXPECT_FALSE(shell("kill -9 $$"));
}

TEST(ChildProgram, OneThatTakesTooLongIsEndedWithWhatItStarted) {
  const TestFolder folder;
  const std::string file = (folder / "alive").string();
  const Stopwatch watch;
  EXPECT_FALSE(shell("(sleep 1; : > '" + file + "') & sleep 30", 0.2));
  EXPECT_LT(watch.seconds(), 20);
  EXPECT_EQ(shell("sleep 1.5; test -e '" + file + "'"), 1) << "its child went on";
}

TEST(ChildProgram, AStopEndsIt) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)shell("sleep 30", 60, Progress({}, &stop)), Stopped);
}

}  // namespace
}  // namespace hyobscure
