#include "hyobscure/audit/attack/matching.h"

#include <gtest/gtest.h>

#include <random>

#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"

namespace hyobscure::audit {
namespace {

constexpr MatchingSettings kTwice{.distance = census::Distance::SquaredEuclidean, .repetitions = 2};

MatchingResult matched(const Sample& sample, const PublicationOf& publication_of,
                       const MatchingSettings& settings = kTwice) {
  return matching_attack(sample.targets(), publication_of, settings, Key::from_seed(1));
}

TEST(Matching, LinksEverybodyWhoPublishesTheOwnRow) {
  const Sample sample = planted_people(1, 120, 12, 4, 0.5, true);
  const MatchingResult found =
      matched(sample, [&](int) { return Publication{sample.features, own_rows(120)}; });
  EXPECT_EQ(found.own_row.mean, 1);
  EXPECT_GT(found.auc.mean, 0.99);  // a few have twins
  EXPECT_GT(found.nearest.mean, 0.9);
  EXPECT_LE(found.auc.high, 1);
  EXPECT_NEAR(found.rank.mean, 1 + (1 - found.auc.mean) * 119, 1e-9);
  EXPECT_TRUE(found.gain.above_zero());
  EXPECT_EQ(found.rows, 120U);
}

// The gain is compared with an interval of 95 %, one end of it: odds of one in 40 for one seed.
TEST(Matching, GainsNothingFromRandomRowsOfTheGroup) {
  const Sample sample = planted_people(2, 400, 12, 4, 0.9, true);
  std::vector<std::vector<std::uint32_t>> members(3);
  for (std::uint32_t u = 0; u < 400; ++u) members[sample.group_of_person[u]].push_back(u);
  const MatchingResult found = matched(sample, [&](int repetition) {
    std::mt19937 random(static_cast<unsigned>(repetition) + 1);
    Publication published{sample.features, {}};
    for (const std::uint32_t group : sample.group_of_person)
      published.row_of_person.push_back(members[group][random() % members[group].size()]);
    return published;
  });
  EXPECT_FALSE(found.gain.above_zero());
  EXPECT_NEAR(found.gain.mean, 0, 0.05);
  EXPECT_LT(found.own_row.mean, 0.03);
}

TEST(Matching, IsItsDefinitionWrittenOut) {
  const Sample sample = planted_people(3, 60, 12, 4, 0.5, true);
  std::mt19937 random(5);
  std::vector<std::uint32_t> rows;
  for (int u = 0; u < 60; ++u) rows.push_back(static_cast<std::uint32_t>(random() % 60));
  const MatchingResult found = matched(sample, [&](int) { return Publication{sample.features, rows}; });
  const auto distance = [&](std::uint32_t a, std::uint32_t b) {
    return census::distance_between(census::Distance::SquaredEuclidean, sample.features[a],
                                    sample.features[b], sample.features.columns);
  };
  const auto won = [&](std::uint32_t target, std::uint32_t under) {  // against all other rows
    double sum = 0;
    for (std::uint32_t u = 0; u < 60; ++u) {
      if (u == under) continue;
      const double own = distance(target, rows[under]), other = distance(target, rows[u]);
      sum += own < other ? 1 : own == other ? 0.5 : 0;
    }
    return sum / 59;
  };
  double auc = 0, shuffled = 0;
  for (std::uint32_t t = 0; t < 60; ++t) {
    auc += won(t, t) / 60;
    double of_pool = 0, pool = 0;
    for (std::uint32_t u = 0; u < 60; ++u) {
      if (sample.group_of_person[u] != sample.group_of_person[t]) continue;
      of_pool += won(t, u);
      ++pool;
    }
    shuffled += of_pool / pool / 60;
  }
  EXPECT_NEAR(found.auc.mean, auc, 1e-12);
  EXPECT_NEAR(found.shuffled_auc.mean, shuffled, 1e-12);
  EXPECT_NEAR(found.gain.mean, auc - shuffled, 1e-12);
}

TEST(Matching, RanksADrawOfTheRowsWhereThereAreMany) {
  const Sample sample = planted_people(4, 400, 12, 4, 0.5, true);
  MatchingSettings settings = kTwice;
  settings.targets = 20;
  settings.pairs = 20 * 50;
  const MatchingResult found =
      matched(sample, [&](int) { return Publication{sample.features, own_rows(400)}; }, settings);
  EXPECT_EQ(found.rows, 50U);
  EXPECT_EQ(found.targets, 20U);
  EXPECT_EQ(found.own_row.mean, 1);
}

TEST(Matching, ARowWithoutEntriesIsFarFromAllOthers) {
  const Sample sample = planted_people(5, 60, 12, 4, 0.9, true);
  data::SparseRows rows = sample.features;
  rows.end_row();  // row 60 has none
  std::vector<std::uint32_t> published(60, 60);
  published[0] = 0;
  MatchingSettings settings = kTwice;
  settings.distance = census::Distance::JensenShannon;
  const MatchingResult found = matched(sample, [&](int) { return Publication{rows, published}; }, settings);
  EXPECT_TRUE(std::isfinite(found.auc.mean));
  EXPECT_NEAR(found.own_row.mean, 1.0 / 60, 1e-12);
}

TEST(Matching, RefusesSettingsThatCannotBe) {
  const Sample sample = planted_people(4, 40, 12, 4, 0.5, true);
  const PublicationOf own = [&](int) { return Publication{sample.features, own_rows(40)}; };
  EXPECT_THROW((void)matched(sample, own, {.repetitions = 0}), InputError);
  EXPECT_THROW((void)matched(sample, own, {.targets = 1}), InputError);
}

}  // namespace
}  // namespace hyobscure::audit
