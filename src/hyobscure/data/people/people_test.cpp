#include "hyobscure/data/people/people.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

namespace hyobscure::data {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// `count` people with one of 7 secrets, some entries, a kept combination and an exact secret.
People some_people(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  People people;
  for (int v = 0; v < 7; ++v)
    people.values.push_back({.low = 10.0 * v, .high = 10.0 * v + 3, .centre = 10.0 * v + 1, .distinct = 2});
  people.features.columns = 12;
  people.kept_combinations = 3;
  people.exact_values = 14;
  for (std::size_t u = 0; u < count; ++u) {
    people.ids.push_back("p" + std::to_string(1000 + u));
    people.secrets.push_back(static_cast<std::uint32_t>(random() % 7));
    people.exact.push_back(2 * people.secrets.back() + static_cast<std::uint32_t>(random() % 2));
    people.kept.push_back(static_cast<std::uint32_t>(random() % 3));
    for (std::uint32_t item = 0; item < 12; ++item)
      if (random() % 3 == 0) {
        people.features.items.push_back(item);
        people.features.values.push_back(1.0 + static_cast<double>(random() % 5));
      }
    people.features.end_row();
  }
  return people;
}

/// Age and job of people; the jobs "a", "b" and "c" share no age.
People people_of_two_secrets() {
  People people;
  SecretSpace& space = people.space.emplace();
  space.axes = {{.column = "age",
                 .kind = AxisKind::Ordered,
                 .values = {{.number = 20}, {.number = 30}, {.number = 40}}},
                {.column = "job",
                 .kind = AxisKind::Categorical,
                 .values = {{.name = "a"}, {.name = "b"}, {.name = "c"}}}};
  space.points = {{0, 0}, {1, 1}, {2, 2}};
  space.value_of_point = {0, 1, 2};
  for (int v = 0; v < 3; ++v) people.values.push_back({.low = 1.0 * v, .high = 1.0 * v, .centre = 1.0 * v});
  for (std::uint32_t u = 0; u < 3; ++u) {
    people.ids.push_back(std::string(1, static_cast<char>('x' + u)));
    people.secrets.push_back(u);
    people.features.end_row();
  }
  return people;
}

TEST(People, KindsOfTheSecretAreThoseOfItsAxesAndOrderedForANumber) {
  EXPECT_THAT(secret_kinds(some_people(1, 3)), ElementsAre(AxisKind::Ordered));
  EXPECT_THAT(secret_kinds(people_of_two_secrets()), ElementsAre(AxisKind::Ordered, AxisKind::Categorical));
}

TEST(People, SelectedOnesKeepAllThatIsTheirs) {
  const People all = some_people(2, 60);
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t u = 0; u < 60; ++u)
    if (all.secrets[u] % 3 != 1 && u % 4 != 0) chosen.push_back(u);
  const People some = select(all, chosen);

  ASSERT_EQ(some.size(), chosen.size());
  ASSERT_EQ(some.features.size(), chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const std::uint32_t u = chosen[i];
    EXPECT_EQ(some.ids[i], all.ids[u]);
    EXPECT_EQ(some.values[some.secrets[i]].centre, all.values[all.secrets[u]].centre);
    EXPECT_EQ(some.values[some.secrets[i]].high, all.values[all.secrets[u]].high);
    EXPECT_EQ(some.exact[i], all.exact[u]);
    EXPECT_EQ(some.kept[i], all.kept[u]);
    EXPECT_TRUE(std::ranges::equal(some.features[i].items, all.features[u].items));
    EXPECT_TRUE(std::ranges::equal(some.features[i].values, all.features[u].values));
  }
  // Secrets 1 and 4 are gone with those who have them; the rest is in its order.
  EXPECT_THAT(some.values, SizeIs(5));
  EXPECT_TRUE(std::ranges::is_sorted(some.values, {}, &SecretValue::low));
  EXPECT_EQ(some.features.columns, all.features.columns);
}

TEST(People, SelectedOnesOfSeveralSecretsLoseThePointsAndValuesThatNobodyHas) {
  const People some = select(people_of_two_secrets(), std::vector<std::uint32_t>{0, 2});
  ASSERT_TRUE(some.space.has_value());
  EXPECT_THAT(some.space->points, SizeIs(2));
  EXPECT_THAT(some.space->value_of_point, ElementsAre(0, 1));
  EXPECT_EQ(some.space->coordinate(1, 0).number, 40);
  EXPECT_EQ(some.space->coordinate(1, 1).name, "c");
  EXPECT_THAT(some.space->axes[1].values, SizeIs(2));
  EXPECT_EQ(some.values[1].low, 1) << "of several secrets a value is its place in the list";
}

TEST(People, FingerprintChangesWithEverythingThatIsRead) {
  const People people = some_people(3, 20);
  const std::vector<std::function<void(People&)>> changes = {
      [](People& p) { p.ids[4] += "x"; },
      [](People& p) { p.secrets[4] = (p.secrets[4] + 1) % 7; },
      [](People& p) { p.values[2].high += 1; },
      [](People& p) { p.kept[4] = (p.kept[4] + 1) % 3; },
      [](People& p) { p.features.values.writable()[0] += 1; },
      [](People& p) { p.features.items.writable()[p.features.items.size() - 1] += 1; },
      [](People& p) { p = select(p, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}); }};
  EXPECT_EQ(fingerprint(people), fingerprint(some_people(3, 20)));
  for (std::size_t i = 0; i < changes.size(); ++i) {
    People changed = people;
    changes[i](changed);
    EXPECT_NE(fingerprint(changed), fingerprint(people)) << "change " << i;
  }
  People other = people_of_two_secrets();
  const std::string before = fingerprint(other);
  other.space->axes[1].values[1].name = "d";
  EXPECT_NE(fingerprint(other), before);
}

TEST(People, FingerprintOfBlocksIsThatOfAll) {
  const People people = some_people(4, kFingerprintBlock + 100);
  const std::vector<std::string> blocks = {fingerprint_of_block(people, 0, kFingerprintBlock),
                                           fingerprint_of_block(people, kFingerprintBlock, people.size())};
  EXPECT_EQ(fingerprint_of_blocks(blocks, people.values, people.space), fingerprint(people));
  EXPECT_NE(blocks[0], blocks[1]);
}

}  // namespace
}  // namespace hyobscure::data
