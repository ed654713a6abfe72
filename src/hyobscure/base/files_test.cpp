#include "hyobscure/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

  TestFolder folder_;
};

TEST_F(Files, AreWrittenWholeAndReplacedWhole) {
  write_file(folder_ / "a", "first", FileAccess::Everyone);
  write_file(folder_ / "a", "second", FileAccess::Everyone);
  EXPECT_EQ(read_file(folder_ / "a"), "second");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, PrivateOnesAreForTheirOwnerOnly) {
  write_file(folder_ / "key", "secret", FileAccess::OwnerOnly);
  struct stat status;
  ASSERT_EQ(::stat((folder_ / "key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
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
    const StagedFolder staged(folder_ / "release", false, "marker");
  }
  EXPECT_EQ(entries(), 0);
  {
    StagedFolder staged(folder_ / "release", false, "marker");
    std::ofstream(staged.path() / "people.csv") << "id\n";
    staged.commit();
  }
  EXPECT_EQ(read_file(folder_ / "release" / "people.csv"), "id\n");
  EXPECT_EQ(entries(), 1);
}

TEST_F(Files, AStagedFolderReplacesTheOldOneOnlyWhenForcedAndCommitted) {
  fs::create_directory(folder_ / "release");
  std::ofstream(folder_ / "release" / "old") << "old";
  EXPECT_THROW(StagedFolder(folder_ / "release", false, "marker"), InputError);
  {
    const StagedFolder abandoned(folder_ / "release/", true, "old");
  }
  EXPECT_TRUE(fs::exists(folder_ / "release" / "old"));
  StagedFolder staged(folder_ / "release/", true, "old");
  staged.commit();
  EXPECT_TRUE(fs::is_empty(folder_ / "release"));
}

TEST_F(Files, ForceReplacesAnEmptyFolderOrOurOwnAndNothingElse) {
  fs::create_directory(folder_ / "home");
  EXPECT_NO_THROW(check_output_folder(folder_ / "home", true, "marker"));
  std::ofstream(folder_ / "home" / "diary") << "dear diary";
  EXPECT_THROW(check_output_folder(folder_ / "home", true, "marker"), InputError);
  EXPECT_NO_THROW(check_output_folder(folder_ / "home", true, "diary"));
  EXPECT_THROW(check_output_folder(folder_ / "home", false, "diary"), InputError);
  EXPECT_THROW(check_output_folder(folder_ / "home" / "diary", true, "marker"), InputError);  // a file
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
