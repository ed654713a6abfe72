#include "hyobscure/base/scratch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryPath, IsGoneWithTheObject) {
  const TestFolder folder;
  fs::create_directories(folder / "a/b");
  std::ofstream(folder / "a/b/file") << "x";
  {
    const TemporaryPath guarded(folder / "a");
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(TemporaryPath, StaysUnderAnotherName) {
  const TestFolder folder;
  fs::create_directories(folder / "a");
  {
    const TemporaryPath guarded(folder / "a");
    fs::rename(folder / "a", folder / "kept");
  }
  EXPECT_TRUE(fs::exists(folder / "kept"));
}

TEST(TemporaryPath, IsGoneAfterAKill) {
  const TestFolder folder;
  fs::create_directories(folder / "-rf a's \"folder\"/b");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryPath guarded(folder / "-rf a's \"folder\"");
    if (::write(ready[1], "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(fs::is_empty(folder.path()));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int tries = 0; tries < 500 && !fs::is_empty(folder.path()); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(TemporaryFolder, IsNamedWhereItIsMissing) {
  const TestFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::optional<std::string> kept = before ? std::optional<std::string>(before) : std::nullopt;
  ::setenv("TMPDIR", (folder / "no-such").c_str(), 1);
  std::string refused;
  try {
    (void)make_temporary_folder("test");
  } catch (const InputError& error) {
    refused = error.what();
  }
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  const fs::path made = make_temporary_folder("test");
  kept ? ::setenv("TMPDIR", kept->c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_NE(refused.find("no-such"), std::string::npos);
  EXPECT_NE(refused.find("TMPDIR"), std::string::npos);
  EXPECT_EQ(made.parent_path(), folder.path());
  EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all);
}

TEST(ScratchFile, KeepsWhatWasAppendedForItsMapping) {
  std::vector<double> numbers(10'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.5 * static_cast<double>(i);
  std::optional<MappedFile> mapped;
  {
    ScratchFile file;
    file.append_numbers(std::span<const double>(numbers).first(7));
    file.append_numbers(std::span<const double>(numbers).subspan(7));
    EXPECT_EQ(file.size(), numbers.size() * sizeof(double));
    mapped.emplace(file.map());
  }
  const auto* first = reinterpret_cast<const double*>(mapped->bytes().data());
  EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), first));
}

}  // namespace
}  // namespace hyobscure
