#include "hyobscure/base/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "hyobscure/base/child_program.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure {
namespace {

const std::vector<ZipFile> kFiles = {{"README.txt", "read me\n"},
                                     {"empty", ""},
                                     {"folder/\xC3\xA4.bin", std::string("\0\xff PK\x03\x04 \r\n", 10)}};

TEST(Zip, IsTheSameBytesEveryTimeAndOtherBytesForOtherFiles) {
  EXPECT_EQ(zip_of(kFiles), zip_of(kFiles));
  EXPECT_NE(zip_of(kFiles), zip_of({kFiles[0], kFiles[1]}));
}

TEST(Zip, HoldsTheCheckSumThatEverybodyKnows) {
  // CRC-32 of "123456789", the check value of the catalogues.
  EXPECT_THAT(zip_of({{"x", "123456789"}}), testing::HasSubstr("\x26\x39\xF4\xCB"));
}

TEST(Zip, AnotherReaderFindsTheFilesUnchanged) {
  const auto python = find_program({"python3"});
  if (!python) GTEST_SKIP() << "there is no python3 to read archives with";
  const TestFolder folder;
  const auto archive = folder.write("a.zip", zip_of(kFiles));
  const std::string read =
      "import sys, zipfile\n"
      "a = zipfile.ZipFile(sys.argv[1])\n"
      "assert a.testzip() is None\n"
      "assert a.namelist() == ['README.txt', 'empty', 'folder/\\u00e4.bin'], a.namelist()\n"
      "assert [a.read(n) for n in a.namelist()] == [b'read me\\n', b'', b'\\0\\xff PK\\x03\\x04 \\r\\n']\n"
      "assert {i.date_time for i in a.infolist()} == {(1980, 1, 1, 0, 0, 0)}\n";
  EXPECT_EQ(run_program(*python, {"-c", read, archive.string()}, 60), 0);
}

}  // namespace
}  // namespace hyobscure
