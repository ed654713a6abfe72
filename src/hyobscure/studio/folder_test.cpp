#include "hyobscure/studio/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/studio/versions.h"

namespace hyobscure::studio {
namespace {

namespace fs = std::filesystem;

class StudioFolder : public testing::Test {
 protected:
  StudioFolder() {
    fs::create_directory(around_ / "mine");
    around_.write("secret.csv", "id,age\n1,30\n");
    around_.write("mine/people.csv", "id,age\n1,30\n");
    folder_.emplace(around_ / "mine");
  }

  data::Spec spec(const std::string& people, const std::string& rest = "") const {
    return data::parse_spec(
        "[people]\n" + people + "\nid = \"id\"\nsecret = \"age\"\nfeatures = [\"x\"]\n" + rest, "spec",
        folder_->path());
  }

  TestFolder around_;
  std::optional<Folder> folder_;
};

TEST_F(StudioFolder, IsAFolder) {
  EXPECT_THROW(Folder(around_ / "nothing"), InputError);
  EXPECT_THROW(Folder(around_ / "secret.csv"), InputError);
}

TEST_F(StudioFolder, KeepsWhatIsItsOwnForItsOwner) {
  EXPECT_EQ(fs::status(folder_->state()).permissions(), fs::perms::owner_all);
}

TEST_F(StudioFolder, HoldsItsFilesAndNothingOutside) {
  EXPECT_EQ(folder_->existing("people.csv"), folder_->path() / "people.csv");
  for (const std::string& name :
       {std::string("../secret.csv"), (around_ / "secret.csv").string(), std::string("/etc/passwd"),
        std::string("../mine/../secret.csv"), std::string(".."), std::string("/")})
    EXPECT_THROW((void)folder_->existing(name), InputError) << name;
  EXPECT_THROW((void)folder_->existing("missing.csv"), InputError);
}

TEST_F(StudioFolder, AFolderWhoseNameBeginsAlikeIsAnother) {
  fs::create_directory(around_ / "mine-too");
  around_.write("mine-too/people.csv", "");
  EXPECT_THROW((void)folder_->existing("../mine-too/people.csv"), InputError);
}

TEST_F(StudioFolder, ALinkCountsAsWhatItLeadsTo) {
  fs::create_symlink("../secret.csv", around_ / "mine/link.csv");
  fs::create_symlink("people.csv", around_ / "mine/inner.csv");
  fs::create_directory_symlink("..", around_ / "mine/up");
  EXPECT_THROW((void)folder_->existing("link.csv"), InputError);
  EXPECT_THROW((void)folder_->existing("up/secret.csv"), InputError);
  EXPECT_EQ(folder_->existing("inner.csv"), folder_->path() / "people.csv");
  EXPECT_THROW((void)folder_->to_write("link.csv"), InputError);
  EXPECT_THROW((void)folder_->to_write("up/new.csv"), InputError);
  EXPECT_THROW((void)folder_->to_write("../new.csv"), InputError);
  EXPECT_EQ(folder_->to_write("new.csv"), folder_->path() / "new.csv");
}

TEST_F(StudioFolder, ListsTablesAndNoOtherFiles) {
  fs::create_directories(around_ / "mine/sub/deeper");
  fs::create_directory(around_ / "mine/release-1");
  fs::create_symlink("../secret.csv", around_ / "mine/link.csv");
  for (const char* name :
       {"mine/notes.md", "mine/events.tsv.gz", "mine/sub/a.parquet", "mine/sub/deeper/b.csv",
        "mine/.hidden.csv", "mine/release-1/manifest.json", "mine/release-1/people.csv"})
    around_.write(name, "x");
  std::vector<std::string> names;
  for (const DataFile& file : folder_->tables()) names.push_back(file.name);
  EXPECT_THAT(names, testing::ElementsAre("events.tsv.gz", "people.csv", "sub/a.parquet"));
}

TEST_F(StudioFolder, ListsSpecsOfOthersInTheFolderItself) {
  fs::create_directory(around_ / "mine/sub");
  for (const char* name : {"mine/spec.toml", "mine/spec-1.toml", "mine/sub/other.toml"})
    around_.write(name, "");
  EXPECT_THAT(folder_->specs(), testing::ElementsAre("spec.toml"));
}

TEST_F(StudioFolder, ASpecNamesFilesInsideOnly) {
  EXPECT_NO_THROW(folder_->refuse_outside(spec("file = \"people.csv\"")));
  EXPECT_NO_THROW(folder_->refuse_outside(spec("file = \"missing.csv\"")));  // told where it is read
  EXPECT_THROW(folder_->refuse_outside(spec("file = \"../secret.csv\"")), InputError);
  EXPECT_THROW(folder_->refuse_outside(spec("file = \"/etc/passwd\"")), InputError);
  EXPECT_THROW(folder_->refuse_outside(spec("file = \"../*.csv\"")), InputError);
  EXPECT_THROW(
      folder_->refuse_outside(spec("file = \"people.csv\"", "[release]\nledger = \"../ledger.json\"\n")),
      InputError);
  EXPECT_THROW(
      folder_->refuse_outside(
          spec("file = \"people.csv\"", "[secret]\nkind = \"categorical\"\nhierarchy = \"../secret.csv\"\n")),
      InputError);
}

TEST_F(StudioFolder, AQueryOrAPatternMustNotMeetALinkThatLeadsOutside) {
  EXPECT_NO_THROW(folder_->refuse_outside(spec("query = \"SELECT 1\"")));
  EXPECT_NO_THROW(folder_->refuse_outside(spec("file = \"*.csv\"")));
  fs::create_symlink("people.csv", around_ / "mine/inner.csv");
  EXPECT_NO_THROW(folder_->refuse_outside(spec("file = \"*.csv\"")));
  fs::create_symlink("../secret.csv", around_ / "mine/link.csv");
  EXPECT_THROW(folder_->refuse_outside(spec("query = \"SELECT 1\"")), InputError);
  EXPECT_THROW(folder_->refuse_outside(spec("file = \"*.csv\"")), InputError);
  EXPECT_NO_THROW(folder_->refuse_outside(spec("file = \"people.csv\"")));
}

TEST_F(StudioFolder, HasOneStudioAndTellsTheSecondWhereItIs) {
  {
    FolderLock first(*folder_);
    first.write_address("http://127.0.0.1:4711/");
    try {
      const FolderLock second(*folder_);
      FAIL() << "expected InputError";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("http://127.0.0.1:4711/"));
    }
  }
  const FolderLock next(*folder_);
}

TEST_F(StudioFolder, EverySpecIsAVersionAndNoneIsChanged) {
  const Versions versions(*folder_);
  EXPECT_TRUE(versions.all().empty());
  EXPECT_EQ(versions.save("a = 1\n"), 1);
  EXPECT_EQ(versions.save("a = 2\n"), 2);
  EXPECT_EQ(versions.save("a = 1\n"), 1) << "the same text is the same version";
  EXPECT_EQ(versions.text(2), "a = 2\n");
  EXPECT_EQ(versions.find("a = 3\n"), std::nullopt);
  for (const char* name : {"mine/spec-01.toml", "mine/spec-x.toml", "mine/spec-.toml", "mine/spec-0.toml"})
    around_.write(name, "");
  EXPECT_THAT(versions.all(), testing::ElementsAre(1, 2));
  EXPECT_THROW((void)versions.text(3), InputError);
}

}  // namespace
}  // namespace hyobscure::studio
