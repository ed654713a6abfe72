#include "hyobscure/audit/attack/kept_outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"

namespace hyobscure::audit {
namespace {

std::vector<double> never() {
  ADD_FAILURE() << "computed again";
  return {};
}

TEST(KeptOutcomes, AreComputedOnce) {
  KeptOutcomes kept;
  EXPECT_EQ(kept.get("a", [] { return std::vector<double>{1, 2}; }), (std::vector<double>{1, 2}));
  EXPECT_EQ(kept.get("a", never), (std::vector<double>{1, 2}));
  EXPECT_TRUE(kept.has("a"));
  EXPECT_FALSE(kept.has("b"));
  EXPECT_EQ(outcome_of(&kept, "a", never), (std::vector<double>{1, 2}));
  EXPECT_EQ(outcome_of(nullptr, "a", [] { return std::vector<double>{3}; }), (std::vector<double>{3}));
}

TEST(KeptOutcomes, ComeBackFromTheFileToTheLastBit) {
  const TestFolder folder;
  const std::vector<double> odd = {0.1, -0.0, 1e-310, std::numeric_limits<double>::infinity(), 1.0 / 3};
  {
    KeptOutcomes kept(folder / "kept", "this release");
    (void)kept.get("attack 1", [&] { return odd; });
    (void)kept.get("", [] { return std::vector<double>{}; });
  }
  KeptOutcomes again(folder / "kept", "this release");
  EXPECT_EQ(again.size(), 2u);
  EXPECT_EQ(again.computed(), 0u);
  const std::vector<double> found = again.get("attack 1", never);
  ASSERT_EQ(found.size(), odd.size());
  for (std::size_t n = 0; n < odd.size(); ++n) {
    EXPECT_EQ(found[n], odd[n]);
    EXPECT_EQ(std::signbit(found[n]), std::signbit(odd[n]));
  }
  EXPECT_TRUE(again.get("", never).empty());
}

TEST(KeptOutcomes, OnlyTheOwnerCanReadThem) {
  const TestFolder folder;
  KeptOutcomes kept(folder / "kept", "this release");
  EXPECT_EQ(std::filesystem::status(folder / "kept").permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// Cut at every byte: what is whole is taken, the rest computed again, and then the file is as it was.
TEST(KeptOutcomes, LoseNoMoreThanTheLastOneToAKill) {
  const TestFolder folder;
  {
    KeptOutcomes kept(folder / "whole", "it");
    (void)kept.get("first", [] { return std::vector<double>{1}; });
    (void)kept.get("second", [] { return std::vector<double>{2, 3}; });
  }
  const std::string whole = read_file(folder / "whole");
  const std::size_t heading = whole.find('\n') + 1;
  for (std::size_t length = heading; length < whole.size(); ++length) {
    write_file(folder / "cut", whole.substr(0, length), FileAccess::OwnerOnly);
    KeptOutcomes kept(folder / "cut", "it");
    EXPECT_LE(kept.size(), 1u);
    EXPECT_EQ(kept.get("first", [] { return std::vector<double>{1}; }), (std::vector<double>{1}));
    EXPECT_EQ(kept.get("second", [] { return std::vector<double>{2, 3}; }), (std::vector<double>{2, 3}));
    EXPECT_EQ(read_file(folder / "cut"), whole) << length;
  }
}

TEST(KeptOutcomes, ADamagedOneIsComputedAgain) {
  const TestFolder folder;
  {
    KeptOutcomes kept(folder / "kept", "it");
    (void)kept.get("first", [] { return std::vector<double>{1, 2, 3}; });
  }
  std::string bytes = read_file(folder / "kept");
  bytes[bytes.size() - 12] ^= 1;  // in the numbers
  write_file(folder / "kept", bytes, FileAccess::OwnerOnly);
  EXPECT_FALSE(KeptOutcomes(folder / "kept", "it").has("first"));
}

TEST(KeptOutcomes, OfAnotherReleaseOrAnotherFileAreRefusedAndStay) {
  const TestFolder folder;
  const auto problem = [&](const std::string& name, const std::string& of) -> std::string {
    try {
      const KeptOutcomes kept(folder / name, of);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem("kept", "this release"), "");
  EXPECT_THAT(problem("kept", "another"), testing::HasSubstr("another release"));
  write_file(folder / "letter", "dear reader", FileAccess::Everyone);
  EXPECT_THAT(problem("letter", "this release"), testing::HasSubstr("no outcomes"));
  EXPECT_EQ(read_file(folder / "letter"), "dear reader");
  EXPECT_NE(problem("no folder/kept", "this release"), "");
}

TEST(KeptOutcomes, MayComeFromManyThreads) {
  const TestFolder folder;
  {
    KeptOutcomes kept(folder / "kept", "it");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int n = 0; n < 50; ++n)
          (void)kept.get(std::to_string(t) + " " + std::to_string(n),
                         [&] { return std::vector<double>(static_cast<std::size_t>(n), t); });
      });
    for (std::thread& thread : threads) thread.join();
  }
  KeptOutcomes again(folder / "kept", "it");
  EXPECT_EQ(again.size(), 200u);
  EXPECT_EQ(again.get("3 49", never), std::vector<double>(49, 3));
}

}  // namespace
}  // namespace hyobscure::audit
