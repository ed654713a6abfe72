#include "hyobscure/audit/attack/known_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "hyobscure/audit/attack/row_search.h"
#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/singled_out.h"

namespace hyobscure::audit {
namespace {

const KnownEntriesSettings kFewTargets{.known = {2, 4, 8}, .targets = 60, .repetitions = 2};

/// People with these rows, of nine values in three groups.
Sample people_with(data::SparseRows rows, bool ordered = true) {
  Sample sample = planted_people(1, rows.size(), 9, 3, 0, ordered);
  sample.features = std::move(rows);
  return sample;
}

/// Person u is a number of four digits of base 5, an item each: four entries tell everybody from all others,
/// any two are those of 25 people.
Sample people_of_four_digits() {
  std::vector<std::vector<double>> rows;
  for (int u = 0; u < 625; ++u)
    rows.push_back({1.0 + u % 5, 1.0 + u / 5 % 5, 1.0 + u / 25 % 5, 1.0 + u / 125 % 5});
  return people_with(sparse(rows));
}

/// Every two people have the same ten entries.
Sample twins() {
  std::mt19937 random(4);
  std::vector<std::vector<double>> rows;
  for (int u = 0; u < 300; u += 2) {
    std::vector<double> row(40, 0);
    for (int n = 0; n < 10; ++n) row[random() % 40] = 1 + static_cast<double>(random() % 5);
    rows.insert(rows.end(), {row, row});
  }
  return people_with(sparse(rows));
}

KnownEntriesResult attack_own_rows(const Sample& sample, KnownEntriesSettings settings = kFewTargets) {
  return known_entries_attack(
      sample.targets(),
      [&](int) { return Publication{sample.features, own_rows(sample.value_of_person.size())}; }, settings,
      Key::from_seed(1));
}

TEST(KnownEntries, FindEverybodyWhomFourEntriesSingleOutAsInspectSays) {
  const Sample sample = people_of_four_digits();
  const auto said = census::singled_out(sample.features, {2, 4, 8}, 625, Key::from_seed(2));
  const KnownEntriesResult found = attack_own_rows(sample);
  ASSERT_EQ(found.of.size(), 3U);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(found.of[m].own_row.mean, said[m].share);
    EXPECT_EQ(found.of[m].own_row.mean, m == 0 ? 0 : 1);
    EXPECT_EQ(found.of[m].one_fits_absent.mean, 0);
    EXPECT_EQ(found.of[m].under_id.mean, m == 0 ? 1.0 / 25 : 1);
  }
  EXPECT_FALSE(found.of[1].rest_true);  // all was known
}

TEST(KnownEntries, FindNobodyWhereAllHaveATwinAsInspectSays) {
  const Sample sample = twins();
  const auto said = census::singled_out(sample.features, {2, 4, 8}, 300, Key::from_seed(2));
  const KnownEntriesResult found = attack_own_rows(sample);
  for (std::size_t m = 0; m < 3; ++m) {
    EXPECT_EQ(said[m].share, 0);
    EXPECT_EQ(found.of[m].own_row.mean, 0);
    EXPECT_EQ(found.of[m].own_row.low, 0);
    EXPECT_GT(found.of[m].own_row.high, 0);  // 120 people were tried
  }
  // Who the twins are stays open, what they have does not.
  EXPECT_EQ(found.of[2].rest_true->mean, 1);
  EXPECT_EQ(found.of[2].under_id.mean, 0.5);
}

/// Different entries for everybody, so that eight known entries single out.
Sample people_of_random_rows(std::size_t people, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<double>> rows;
  for (std::size_t u = 0; u < people; ++u) {
    std::vector<double> row(60, 0);
    for (int n = 0; n < 20; ++n) row[random() % 60] = 1 + static_cast<double>(random() % 5);
    rows.push_back(row);
  }
  return people_with(sparse(rows));
}

TEST(KnownEntries, ComposedRowsAreNeverATrueRow) {
  const Sample sample = people_of_random_rows(300, 3);
  // Of two people: items below 30 of one, the others of the next.
  data::SparseRows composed;
  composed.columns = sample.features.columns;
  for (std::size_t u = 0; u < 300; ++u) {
    for (const std::size_t from : {u, (u + 1) % 300}) {
      const auto row = sample.features[from];
      for (std::size_t n = 0; n < row.items.size(); ++n)
        if ((row.items[n] < 30) == (from == u)) {
          composed.items.push_back(row.items[n]);
          composed.values.push_back(row.values[n]);
        }
    }
    composed.end_row();
  }
  const KnownEntriesResult found = known_entries_attack(
      sample.targets(), [&](int) { return Publication{composed, own_rows(300)}; }, kFewTargets,
      Key::from_seed(1));
  for (const KnownEntries& entries : found.of) {
    EXPECT_EQ(entries.own_row.mean, 0);
    EXPECT_EQ(entries.own_row_once.mean, 0);
    EXPECT_TRUE(entries.rest_gain->above_zero());  // half of the row found is still the person's
  }
}

TEST(KnownEntries, SomebodyWhoseRowIsNotPublishedIsNotFound) {
  const Sample sample = people_of_random_rows(300, 5);
  // Only the rows of the first 100 people are published, each for three people.
  std::vector<std::uint32_t> rows;
  for (std::uint32_t u = 0; u < 300; ++u) rows.push_back(u % 100);
  KnownEntriesSettings settings = kFewTargets;
  settings.targets = 150;
  const KnownEntriesResult found = known_entries_attack(
      sample.targets(), [&](int) { return Publication{sample.features, rows}; }, settings, Key::from_seed(1));
  const KnownEntries& eight = found.of[2];
  // Both targets of a repetition are drawn from all people: a third is in the release. Six deviations.
  EXPECT_NEAR(eight.own_row.mean, 1.0 / 3, 6 * std::sqrt(2.0 / 9 / 300));
  EXPECT_EQ(eight.own_row_once.mean, 0);
  EXPECT_EQ(eight.one_fits_absent.mean, 0);
  EXPECT_NEAR(eight.under_id.mean, eight.own_row.mean / 3, 0.02);
}

TEST(KnownEntries, WhoFindsTheOwnRowKnowsItsGroupAndWhatAModelReadsFromIt) {
  for (const bool ordered : {true, false}) {
    Sample sample = planted_people(3, 400, 12, 4, 0.9, ordered);
    for (std::uint32_t u = 0; u < 400; ++u) sample.features.columns += 1;
    data::SparseRows rows;  // an item of their own for everybody: all are found by all of their entries
    rows.columns = sample.features.columns;
    for (std::uint32_t u = 0; u < 400; ++u) {
      rows.items.append(sample.features[u].items);
      rows.values.append(sample.features[u].values);
      rows.items.push_back(static_cast<std::uint32_t>(rows.columns - 400 + u));
      rows.values.push_back(1);
      rows.end_row();
    }
    sample.features = rows;
    const KnownEntriesResult found =
        attack_own_rows(sample, {.known = {64}, .targets = 60, .repetitions = 3});
    const SecretOfFoundRow& secret = found.of[0].secret;
    EXPECT_EQ(found.of[0].own_row.mean, 1);
    EXPECT_EQ(found.of[0].in_group.mean, 1);
    EXPECT_EQ(secret.group.mean, secret.own_group.mean);
    EXPECT_NEAR(secret.error.mean, secret.true_row.mean, 1e-12);
    EXPECT_LT(secret.error.mean, secret.group.mean);
    EXPECT_TRUE(secret.gain.above_zero());
  }
}

TEST(KnownEntries, ARowOfAnotherGroupNamesNoValueOfTheTarget) {
  // Everybody's row stands under somebody of the next group: what it says of a name is wrong for all.
  Sample sample = people_of_random_rows(300, 6);
  sample.numbers.clear();  // categories
  std::vector<std::vector<std::uint32_t>> members(3);
  for (std::uint32_t u = 0; u < 300; ++u) members[sample.group_of_person[u]].push_back(u);
  std::vector<std::uint32_t> rows(300);
  for (std::uint32_t group = 0; group < 3; ++group)
    for (std::size_t n = 0; n < members[group].size(); ++n) {
      const auto& next = members[(group + 1) % 3];
      rows[members[group][n]] = next[n % next.size()];
    }
  const KnownEntriesResult found = known_entries_attack(
      sample.targets(), [&](int) { return Publication{sample.features, rows}; }, kFewTargets,
      Key::from_seed(1));
  const KnownEntries& eight = found.of[2];
  EXPECT_GT(eight.own_row.mean, 0.6);
  EXPECT_LT(eight.in_group.mean, 0.2);
  EXPECT_GT(eight.secret.error.mean, eight.secret.no_information.mean);
}

TEST(KnownEntries, SharesOfShufflesAreThoseOfARandomRow) {
  // Rows of anybody of the group without any entry of the target: nothing fits, nothing is learned.
  Sample sample = people_of_random_rows(200, 7);
  std::vector<std::vector<double>> others(200, std::vector<double>(60, 0));
  for (auto& row : others) row[0] = 9;
  const data::SparseRows nothing = sparse(others);
  const KnownEntriesResult found = known_entries_attack(
      sample.targets(), [&](int) { return Publication{nothing, own_rows(200)}; }, kFewTargets,
      Key::from_seed(1));
  for (const KnownEntries& entries : found.of) {
    EXPECT_EQ(entries.own_row.mean, 0);
    EXPECT_EQ(entries.one_fits.mean, 0);
    EXPECT_FALSE(entries.rest_true);
    EXPECT_EQ(entries.secret.error.mean, entries.secret.no_information.mean);
  }
}

TEST(KnownEntries, AreTheSameForAnyNumberOfThreadsAndFromAFile) {
  const Sample sample = people_of_random_rows(300, 9);
  KeptOutcomes kept;
  KnownEntriesSettings settings = kFewTargets;
  settings.kept = &kept;
  const KnownEntriesResult all = attack_own_rows(sample, settings);
  EXPECT_EQ(kept.computed(), 2U);
  const KnownEntriesResult again = attack_own_rows(sample, settings);
  EXPECT_EQ(kept.computed(), 2U);
  const ThreadLimit one(1);
  const KnownEntriesResult alone = attack_own_rows(sample);
  for (std::size_t m = 0; m < 3; ++m)
    for (const KnownEntriesResult* other : {&again, &alone}) {
      EXPECT_EQ(all.of[m].rest_true->mean, other->of[m].rest_true->mean);
      EXPECT_EQ(all.of[m].secret.error.high, other->of[m].secret.error.high);
      EXPECT_EQ(all.of[m].own_row.low, other->of[m].own_row.low);
    }
}

TEST(KnownEntries, RefuseSettingsThatCannotBe) {
  const Sample sample = people_of_random_rows(100, 9);
  EXPECT_THROW((void)attack_own_rows(sample, {.known = {2}, .repetitions = 0}), InputError);
  EXPECT_THROW((void)attack_own_rows(sample, {.known = {}}), InputError);
  EXPECT_THROW((void)attack_own_rows(sample, {.known = {65}}), InputError);
  EXPECT_THROW((void)attack_own_rows(sample, {.known = {2}, .targets = 1}), InputError);
}

// --- the search against its definition

TEST(RowSearch, FindsWhatLookingThroughAllRowsFinds) {
  std::mt19937 random(2);
  std::vector<std::vector<double>> dense;
  for (int u = 0; u < 5000; ++u) {  // more than a block
    std::vector<double> row(12, 0);
    for (double& x : row) x = static_cast<double>(random() % 3);
    dense.push_back(u % 5 == 4 ? dense.back() : row);
  }
  const data::SparseRows rows = sparse(dense);
  Publication published{rows, {}};
  for (int u = 0; u < 5000; ++u)
    published.row_of_person.push_back(static_cast<std::uint32_t>(random() % 5000));
  std::vector<SoughtPerson> sought;
  for (const std::uint32_t person : {0U, 3U, 4U, 77U, 4999U})
    sought.push_back(draw_entries(rows, person, 8, Key::from_seed(3)));
  const std::vector<std::size_t> known = {1, 3, 8};
  const auto found = search_rows(published, rows, sought, known, Key::from_seed(3));

  for (std::size_t s = 0; s < sought.size(); ++s)
    for (std::size_t m = 0; m < known.size(); ++m)
      for (const bool of_others : {false, true}) {
        std::size_t most = 0, copies = 0;
        std::set<std::vector<double>> contents;
        std::set<std::uint32_t> under;
        for (std::uint32_t u = 0; u < 5000; ++u) {
          const std::vector<double>& row = dense[published.row_of_person[u]];
          if (of_others && row == dense[sought[s].person]) continue;
          std::size_t fits = 0;
          for (std::size_t n = 0; n < std::min(known[m], sought[s].known.size()); ++n)
            fits += row[sought[s].known[n].item] == sought[s].known[n].value ? 1 : 0;
          if (fits == 0 || fits < most) continue;
          if (fits > most) most = fits, copies = 0, contents.clear(), under.clear();
          ++copies;
          contents.insert(row);
          under.insert(u);
        }
        const FoundRows& both = found[s * known.size() + m];
        const BestRows& best = of_others ? both.of_others : both.of_all;
        EXPECT_EQ(best.fits, most);
        EXPECT_EQ(best.copies, copies);
        EXPECT_EQ(best.alike, contents.size() == 1);
        EXPECT_EQ(best.own_id, under.contains(sought[s].person));
        EXPECT_TRUE(under.contains(best.under));
      }
}

TEST(RowSearch, DrawsOneOfTheBestRowsUniformly) {
  // Six rows alike: 3000 lots, each row 500 times; six deviations of a binomial count have odds of 1e-8.
  const data::SparseRows rows = sparse(std::vector<std::vector<double>>(6, {1, 2}));
  const Publication published{rows, own_rows(6)};
  const std::vector<SoughtPerson> sought = {draw_entries(rows, 0, 2, Key::from_seed(1))};
  const std::vector<std::size_t> known = {2};
  std::vector<int> times(6, 0);
  for (std::uint64_t seed = 0; seed < 3000; ++seed)
    ++times[search_rows(published, rows, sought, known, Key::from_seed(seed))[0].of_all.under];
  for (const int count : times) EXPECT_NEAR(count, 500, 6 * std::sqrt(3000.0 * 5 / 36));
}

}  // namespace
}  // namespace hyobscure::audit
