#include "hyobscure/release/ledger.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

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

/// A row of features each, another for each seed.
data::People with_rows(data::People people, int seed, std::size_t same = 0) {
  people.features.columns = 1'000'000;
  for (std::size_t u = 0; u < people.size(); ++u) {
    const std::uint32_t item =
        static_cast<std::uint32_t>(u < same ? u : 100'000 * static_cast<std::size_t>(seed) + u);
    const double value = 1.5;
    people.features.append_row({std::span(&item, 1), std::span(&value, 1)});
  }
  return people;
}

TEST(Ledger, RowsSayWhetherEqualIdsMayBeOtherPeople) {
  const TestFolder folder;
  after_publishing(with_rows(people(0, 3000), 0), Key::from_seed(1)).write(folder / "ledger.json");
  const Ledger ledger = Ledger::read(folder / "ledger.json");
  EXPECT_EQ(ledger.entries()[0].rows.size(), 1024u);
  const auto draw_of = [&](const data::People& others) {
    return ledger.earlier(others, Key::from_seed(2)).at(0);
  };

  const EarlierDraw same = draw_of(with_rows(people(0, 3000), 0));
  EXPECT_EQ(same.rows_compared, 1024u);
  EXPECT_EQ(same.rows_same, 1024u);
  EXPECT_FALSE(same.may_be_others());

  const EarlierDraw other = draw_of(with_rows(people(0, 3000), 3));
  EXPECT_EQ(other.rows_compared, 1024u);
  EXPECT_EQ(other.rows_same, 0u);
  EXPECT_TRUE(other.may_be_others());
  EXPECT_EQ(other.share, 1) << "it is refused all the same unless somebody says so";

  // A third of the rows are as they were: an edited table of the same people.
  EXPECT_FALSE(draw_of(with_rows(people(0, 3000), 3, 1000)).may_be_others());
}

TEST(Ledger, WithoutRowsNothingSaysThatPeopleAreOthers) {
  const Ledger ledger = after_publishing(people(0, 100), Key::from_seed(1));
  EXPECT_TRUE(ledger.entries()[0].rows.empty());
  EXPECT_FALSE(ledger.earlier(with_rows(people(0, 100), 1), Key::from_seed(2)).at(0).may_be_others());
  data::People empty = people(0, 100);
  for (int u = 0; u < 100; ++u) empty.features.end_row();
  const Ledger of_nothing = after_publishing(empty, Key::from_seed(1));
  EXPECT_FALSE(of_nothing.earlier(empty, Key::from_seed(2)).at(0).may_be_others());
}

TEST(Ledger, OneOfManyPeopleIsNotMissed) {
  const Ledger ledger = after_publishing(people(0, 100'000), Key::from_seed(1));
  const auto half = ledger.earlier(people(50'000, 150'000), Key::from_seed(2));
  ASSERT_EQ(half.size(), 1u);
  EXPECT_DOUBLE_EQ(half[0].share, 0.5);
  for (const int one : {0, 31'415, 92'653, 99'999}) {
    const auto earlier = ledger.earlier(people(one, one + 1), Key::from_seed(2));
    ASSERT_EQ(earlier.size(), 1u) << one;
    EXPECT_DOUBLE_EQ(earlier[0].share, 1e-5);
  }
  EXPECT_TRUE(ledger.earlier(people(100'000, 300'000), Key::from_seed(2)).empty());
}

TEST(Ledger, TakesElevenLettersAPerson) {
  const TestFolder folder;
  after_publishing(people(0, 10'000), Key::from_seed(1)).write(folder / "ledger.json");
  EXPECT_LT(std::filesystem::file_size(folder / "ledger.json"), 108'000u);
}

TEST(Ledger, OfTheFirstFormatIsReadAndCompleted) {
  const TestFolder folder;
  Ledger ledger = after_publishing(people(0, 1000), Key::from_seed(1));
  ledger.write(folder / "ledger.json");
  auto json = nlohmann::json::parse(read_file(folder / "ledger.json"));
  json["format"] = 1;  // which kept the smallest hashes of many people, as numbers
  auto& draw = json["draws"][0];
  draw.erase("hashes");
  const auto& all = ledger.entries()[0].hashes;
  draw["sample"] = std::vector<std::uint64_t>(all.begin(), all.begin() + 400);
  folder.write("ledger.json", json.dump());

  Ledger old = Ledger::read(folder / "ledger.json");
  EXPECT_EQ(old.earlier(people(0, 1000), Key::from_seed(2)).size(), 1u);
  EXPECT_FALSE(old.entries()[0].is_complete());
  old.write(folder / "ledger.json");
  old = Ledger::read(folder / "ledger.json");
  EXPECT_FALSE(old.entries()[0].is_complete());
  old.add(people(0, 1000), Key::from_seed(1), "release", "mechanism.json");
  EXPECT_TRUE(old.entries()[0].is_complete());
  EXPECT_EQ(old.entries()[0].hashes, all);
}

TEST(Ledger, ThatIsALinkStaysOne) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "shared");
  std::filesystem::create_symlink("shared/ledger.json", folder / "ledger.json");
  for (const unsigned seed : {1u, 2u}) {  // first a link to nothing, then to a file
    Ledger ledger = Ledger::read(folder / "ledger.json");
    ledger.add(people(0, 10), Key::from_seed(seed), "release", "mechanism.json");
    ledger.write(folder / "ledger.json");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "ledger.json"));
    EXPECT_EQ(Ledger::read(folder / "shared/ledger.json").entries().size(), seed);
  }
}

TEST(Ledger, WithASecondNameIsRefused) {
  const TestFolder folder;
  after_publishing(people(0, 10), Key::from_seed(1)).write(folder / "ledger.json");
  std::filesystem::create_hard_link(folder / "ledger.json", folder / "other.json");
  for (const char* name : {"ledger.json", "other.json"})
    EXPECT_THROW((void)Ledger::read(folder / name), InputError);
  std::filesystem::remove(folder / "other.json");
  EXPECT_EQ(Ledger::read(folder / "ledger.json").entries().size(), 1u);
}

TEST(Ledger, ThatIsNoRegularFileIsRefusedAndNotWaitedFor) {
  const TestFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  for (const auto& file : {folder / "pipe", folder / "folder", std::filesystem::path("/dev/null")})
    EXPECT_THROW((void)Ledger::read(file), InputError) << file;
}

TEST(Ledger, KnowsPeopleWhoseIdsAreOnlyWrittenOtherwise) {
  const auto with_ids = [](std::vector<std::string> ids) {
    data::People result;
    result.ids = std::move(ids);
    return result;
  };
  const Ledger ledger = after_publishing(with_ids({"1", "2", "30"}), Key::from_seed(1));
  for (const char* id : {"1.0", "01", " 1", "+2", "3e1"}) {
    const auto earlier = ledger.earlier(with_ids({id, "x"}), Key::from_seed(2));
    ASSERT_EQ(earlier.size(), 1u) << id;
    EXPECT_DOUBLE_EQ(earlier[0].share, 1.0 / 3) << id;
  }
  EXPECT_TRUE(ledger.earlier(with_ids({"3", "x1", "10"}), Key::from_seed(2)).empty());
}

TEST(Ledger, HashesOfAPersonDependOnTheSaltAndNotOnTheWriting) {
  const NamedDraws one(Key::from_seed(1)), other(Key::from_seed(2));
  EXPECT_EQ(hash_of_person(one, "7"), hash_of_person(one, " 007.0"));
  EXPECT_NE(hash_of_person(one, "7"), hash_of_person(one, "8"));
  EXPECT_NE(hash_of_person(one, "7"), hash_of_person(other, "7"));
}

TEST(Ledger, StillKnowsIdsAsTheyWereWrittenBefore) {
  const TestFolder folder;
  after_publishing({}, Key::from_seed(1)).write(folder / "ledger.json");
  auto json = nlohmann::json::parse(read_file(folder / "ledger.json"));
  const NamedDraws hash(Key::from_text(json["salt"].get<std::string>()));
  json["format"] = 1;  // numbers instead of base64
  json["draws"][0].erase("hashes");
  json["draws"][0]["people"] = 1;
  json["draws"][0]["sample"] = {hash.bits("007").first};
  folder.write("ledger.json", json.dump());
  const Ledger old = Ledger::read(folder / "ledger.json");
  data::People again;
  again.ids = {"007"};
  EXPECT_EQ(old.earlier(again, Key::from_seed(2)).size(), 1u);
}

TEST(Ledger, NamesOnlyWhatThereIsToFind) {
  const TestFolder folder;
  folder.write("m.json", "");
  Ledger ledger;
  ledger.add(people(0, 1), Key::from_seed(1), "", "mechanism");
  ledger.add(people(1, 2), Key::from_seed(2), folder / "release", folder / "m.json");
  EXPECT_EQ(ledger.entries()[0].release, "");
  EXPECT_EQ(ledger.entries()[0].mechanism, "");
  EXPECT_EQ(ledger.entries()[1].release, (folder / "release").string());
  EXPECT_EQ(ledger.entries()[1].mechanism, (folder / "m.json").string());
}

TEST(Ledger, IsLockedByOneAtATime) {
  const TestFolder folder;
  std::atomic<int> inside{0}, most{0};
  std::vector<std::jthread> publications;
  for (int n = 0; n < 6; ++n)
    publications.emplace_back([&] {
      const LedgerLock lock(folder / "ledger.json", {});
      const int now = ++inside;
      if (now > most) most = now;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      --inside;
    });
  publications.clear();  // waits for them
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Ledger, WaitingForTheLockCanBeStopped) {
  const TestFolder folder;
  const LedgerLock held(folder / "ledger.json", {});
  const std::atomic<bool> stop{true};
  EXPECT_THROW(LedgerLock(folder / "ledger.json", Progress({}, &stop)), Stopped);
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
                           R"({"kind": "hyobscure ledger", "format": 2, "salt": "12", "draws": []})"}) {
    write_file(folder / "bad.json", text, FileAccess::OwnerOnly);
    EXPECT_THROW((void)Ledger::read(folder / "bad.json"), InputError) << text;
  }
  after_publishing(people(0, 9), Key::from_seed(1)).write(folder / "good.json");
  const auto good = nlohmann::json::parse(read_file(folder / "good.json"));
  const auto bad = [&](const char* key, const nlohmann::json& value) {
    auto json = good;
    json["draws"][0][key] = value;
    return json.dump();
  };
  for (const std::string& text : {bad("people", 8), bad("people", -1), bad("hashes", "AAAA"),
                                  bad("hashes", "=?"), bad("hashes", 7), bad("draw", nullptr)}) {
    write_file(folder / "bad.json", text, FileAccess::OwnerOnly);
    EXPECT_THROW((void)Ledger::read(folder / "bad.json"), InputError) << text;
  }
}

}  // namespace
}  // namespace hyobscure::release
