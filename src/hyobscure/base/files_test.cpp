#include "hyobscure/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <stdexcept>
#include <tuple>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  inline static const OurFolder kOurs{.marker = "marker", .says = "ours", .files = {"table", "parts/"}};

  void make_ours(const std::string& name) const {
    fs::create_directory(folder_ / name);
    folder_.write(name + "/marker", "this is ours");
  }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

  TestFolder folder_;
};

TEST_F(Files, AreWrittenWholeAndReplacedWhole) {
  write_file(folder_ / "a", "first", FileAccess::Everyone);
  write_file(folder_ / "a", "second", FileAccess::Everyone);
  EXPECT_EQ(read_file(folder_ / "a"), "second");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, AreWrittenFromPieces) {
  write_file(
      folder_ / "a",
      [](const TakePiece& take) {
        take("one ");
        take("");
        take(std::string(3'000'000, 'x'));
      },
      FileAccess::Everyone);
  EXPECT_EQ(read_file(folder_ / "a"), "one " + std::string(3'000'000, 'x'));
  const auto fails = [](const TakePiece& take) {
    take("half");
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(write_file(folder_ / "a", fails, FileAccess::Everyone), std::runtime_error);
  EXPECT_EQ(read_file(folder_ / "a").size(), 3'000'004u);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, APrivateFolderIsForItsOwnerOnly) {
  for (const auto& [name, access, mode] : {std::tuple("open", FileAccess::Everyone, 0755u),
                                           std::tuple("closed", FileAccess::OwnerOnly, 0700u)}) {
    StagedFolder staged(folder_ / name, false, kOurs, access);
    const mode_t before = ::umask(0022);
    staged.commit();
    ::umask(before);
    struct stat status;
    ASSERT_EQ(::stat((folder_ / name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, mode);
  }
}

TEST_F(Files, PrivateOnesAreForTheirOwnerOnly) {
  write_file(folder_ / "key", "secret", FileAccess::OwnerOnly);
  struct stat status;
  ASSERT_EQ(::stat((folder_ / "key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Files, ANewOneReplacesNothing) {
  write_new_file(folder_ / "key", "first", FileAccess::OwnerOnly);
  EXPECT_EQ(fs::status(folder_ / "key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THROW(write_new_file(folder_ / "key", "second", FileAccess::OwnerOnly), InputError);
  EXPECT_EQ(read_file(folder_ / "key"), "first");
  fs::create_symlink(folder_ / "nowhere", folder_ / "link");
  EXPECT_THROW(write_new_file(folder_ / "link", "second", FileAccess::OwnerOnly), InputError);
  EXPECT_EQ(entries(), 2);
}

TEST_F(Files, AMissingFolderOrFileIsAnInputError) {
  EXPECT_THROW(write_file(folder_ / "no" / "a", "x", FileAccess::Everyone), InputError);
  EXPECT_THROW((void)read_file(folder_ / "no"), InputError);
  EXPECT_THROW((void)read_file(folder_.path()), InputError);
}

TEST_F(Files, AnExistingOutputNeedsForce) {
  write_file(folder_ / "a", "x", FileAccess::Everyone);
  EXPECT_THROW(check_output_file(folder_ / "a", false), InputError);
  EXPECT_NO_THROW(check_output_file(folder_ / "a", true));
  EXPECT_THROW(check_output_file(folder_ / "no" / "a", true), InputError);
}

TEST_F(Files, AStagedFolderLeavesNothingUnlessCommitted) {
  {
    const StagedFolder staged(folder_ / "release", false, kOurs);
  }
  EXPECT_EQ(entries(), 0);
  {
    StagedFolder staged(folder_ / "release", false, kOurs);
    std::ofstream(staged.path() / "people.csv") << "id\n";
    staged.commit();
  }
  EXPECT_EQ(read_file(folder_ / "release" / "people.csv"), "id\n");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, AStagedFolderReplacesTheOldOneOnlyWhenForcedAndCommitted) {
  make_ours("release");
  EXPECT_THROW(StagedFolder(folder_ / "release", false, kOurs), InputError);
  {
    const StagedFolder abandoned(folder_ / "release/", true, kOurs);
  }
  EXPECT_TRUE(fs::exists(folder_ / "release" / "marker"));
  {
    StagedFolder staged(folder_ / "release/", true, kOurs);
    staged.commit();
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "release"));
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, AFolderThatAppearsMeanwhileStays) {
  for (const bool force : {false, true}) {
    {
      StagedFolder staged(folder_ / "release", force, kOurs);
      fs::create_directory(folder_ / "release");
      folder_.write("release/thesis", "years of work");
      EXPECT_THROW(staged.commit(), InputError);
    }
    EXPECT_EQ(read_file(folder_ / "release" / "thesis"), "years of work");
    EXPECT_EQ(entries(), 1);
    fs::remove_all(folder_ / "release");
  }
}

TEST_F(Files, WhatIsPutIntoOurFolderMeanwhileStays) {
  make_ours("release");
  {
    StagedFolder staged(folder_ / "release", true, kOurs);
    folder_.write("release/thesis", "years of work");
    EXPECT_THROW(staged.commit(), InputError);
  }
  EXPECT_EQ(read_file(folder_ / "release" / "thesis"), "years of work");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, ForceReplacesAnEmptyFolderOrOurOwnAndNothingElse) {
  const auto refusal = [&](const fs::path& folder) -> std::string {
    try {
      check_output_folder(folder, true, kOurs);
    } catch (const InputError& error) {
      return error.problem();
    }
    return "";
  };
  fs::create_directory(folder_ / "home");
  EXPECT_EQ(refusal(folder_ / "home"), "");
  folder_.write("home/marker", "the marker of another program");
  EXPECT_NE(refusal(folder_ / "home").find("nothing that this command wrote"), std::string::npos);
  make_ours("home");
  EXPECT_EQ(refusal(folder_ / "home"), "");
  EXPECT_THROW(check_output_folder(folder_ / "home", false, kOurs), InputError);
  folder_.write("home/table", "1");
  fs::create_directories(folder_ / "home" / "parts" / "deep");
  folder_.write("home/parts/deep/one", "1");
  EXPECT_EQ(refusal(folder_ / "home"), "");
  folder_.write("home/diary", "dear diary");
  EXPECT_NE(refusal(folder_ / "home").find("holds 1 file that"), std::string::npos);
  fs::create_directory(folder_ / "home" / "letters");
  folder_.write("home/letters/table", "dear friend");
  EXPECT_NE(refusal(folder_ / "home").find("holds 2 files that"), std::string::npos);
  EXPECT_NE(refusal(folder_ / "home" / "diary"), "");  // a file
  EXPECT_THROW(check_output_file(folder_ / "home", true), InputError);
}

TEST_F(Files, HashesAgreeWithThePublishedTestVector) {  // FIPS 180-2, "abc"
  constexpr auto kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  EXPECT_EQ(sha256("abc"), kAbc);
  write_file(folder_ / "abc", "abc", FileAccess::Everyone);
  EXPECT_EQ(sha256_of_file(folder_ / "abc"), kAbc);
}

}  // namespace
}  // namespace hyobscure
