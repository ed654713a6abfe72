#include "hyobscure/release/ledger.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::release {
namespace {

data::People people(int first, int end) {
  data::People result;
  for (int u = first; u < end; ++u) result.ids.push_back(fmt::format("person {}", u));
  return result;
}

Ledger after_publishing(const data::People& published, const Key& key) {
  Ledger ledger;
  ledger.add(published, key, "release", "mechanism.json");
  return ledger;
}

TEST(Ledger, SameDrawAgainIsNoEarlierDraw) {
  const Key key = Key::from_seed(1);
  Ledger ledger = after_publishing(people(0, 100), key);
  EXPECT_TRUE(ledger.earlier(people(0, 100), key).empty());
  ledger.add(people(0, 100), key, "elsewhere", "mechanism.json");
  EXPECT_EQ(ledger.entries().size(), 1u);
}

TEST(Ledger, AnotherDrawOfSomeOfThemIs) {
  const Ledger ledger = after_publishing(people(0, 100), Key::from_seed(1));
  const auto earlier = ledger.earlier(people(75, 500), Key::from_seed(2));
  ASSERT_EQ(earlier.size(), 1u);
  EXPECT_DOUBLE_EQ(earlier[0].share, 0.25);
  EXPECT_EQ(earlier[0].entry.people, 100);
  EXPECT_TRUE(ledger.earlier(people(100, 500), Key::from_seed(2)).empty());
}

TEST(Ledger, ManyPeopleAreKnownByASample) {
  const Ledger ledger = after_publishing(people(0, 100'000), Key::from_seed(1));
  EXPECT_EQ(ledger.entries()[0].sample.size(), Ledger::kSample);
  const auto half = ledger.earlier(people(50'000, 150'000), Key::from_seed(2));
  ASSERT_EQ(half.size(), 1u);
  // The deviation of a share of 4096 is 0.0078: five of them, one false alarm in 1.7 million.
  EXPECT_NEAR(half[0].share, 0.5, 0.04);
  // 2,000 of 100,000: missed with odds (1 - 0.02)^4096 < 1e-35.
  EXPECT_EQ(ledger.earlier(people(98'000, 120'000), Key::from_seed(2)).size(), 1u);
  EXPECT_TRUE(ledger.earlier(people(100'000, 300'000), Key::from_seed(2)).empty());
}

TEST(Ledger, SurvivesItsFileWhichIsPrivateAndQuotesNobody) {
  const TestFolder folder;
  const auto file = folder / "ledger.json";
  after_publishing(people(0, 50), Key::from_seed(1)).write(file);
  struct stat status{};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_THAT(read_file(file), testing::Not(testing::HasSubstr("person 7")));
  EXPECT_THAT(read_file(file), testing::Not(testing::HasSubstr(Key::from_seed(1).text())));
  const Ledger again = Ledger::read(file);
  EXPECT_EQ(again.earlier(people(0, 50), Key::from_seed(2)).size(), 1u);
  EXPECT_TRUE(again.earlier(people(0, 50), Key::from_seed(1)).empty());
}

TEST(Ledger, MissingFileIsAnEmptyLedgerAndADamagedOneIsRefused) {
  const TestFolder folder;
  EXPECT_TRUE(Ledger::read(folder / "none.json").entries().empty());
  for (const char* text : {"", "{}", "[]", R"({"kind": "hyobscure ledger", "format": 9})",
                           R"({"kind": "hyobscure ledger", "format": 1, "salt": "12", "draws": []})"}) {
    write_file(folder / "bad.json", text, FileAccess::OwnerOnly);
    EXPECT_THROW((void)Ledger::read(folder / "bad.json"), InputError) << text;
  }
}

}  // namespace
}  // namespace hyobscure::release
