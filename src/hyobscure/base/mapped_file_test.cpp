#include "hyobscure/base/mapped_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, ShowsTheBytesAlsoAfterItLetThemGo) {
  const TestFolder folder;
  std::string content(100'000, 'x');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>('a' + i % 23);
  write_file(folder.path() / "f", content, FileAccess::OwnerOnly);
  const MappedFile file(folder.path() / "f");
  EXPECT_EQ(text_of(file), content);
  file.release_pages(5, 50'000);
  file.release_pages(0, content.size());
  EXPECT_EQ(text_of(file), content);
}

TEST(MappedFile, OutlivesTheNameOfTheFile) {
  const TestFolder folder;
  write_file(folder.path() / "f", "content", FileAccess::OwnerOnly);
  MappedFile first(folder.path() / "f");
  std::filesystem::remove(folder.path() / "f");
  const MappedFile file = std::move(first);
  EXPECT_EQ(text_of(file), "content");
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const TestFolder folder;
  write_file(folder.path() / "f", "", FileAccess::OwnerOnly);
  EXPECT_TRUE(MappedFile(folder.path() / "f").bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNotThere) {
  EXPECT_THROW(MappedFile(std::filesystem::path("/nowhere/at all")), InputError);
}

}  // namespace
}  // namespace hyobscure
