#include "hyobscure/obscure/compose/composed_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/compose/test_tables.h"

namespace hyobscure::obscure {
namespace {

constexpr auto kJensenShannon = census::Distance::JensenShannon;
constexpr auto kHamming = census::Distance::Hamming;

using Row = std::vector<std::pair<std::uint32_t, double>>;

Row row_of(const data::SparseRows& rows, std::size_t r) {
  Row row;
  for (std::size_t e = 0; e < rows[r].items.size(); ++e)
    row.emplace_back(rows[r].items[e], rows[r].values[e]);
  return row;
}

Key key_of(int n) { return Key::from_seed(static_cast<std::uint64_t>(n)); }

ComposedRows composed(const data::People& people, const Composing& composing, int key = 1,
                      census::Distance distance = kJensenShannon) {
  return compose_rows(people, distance, one_pool(people.size()), Units(people, composing.together), composing,
                      key_of(key));
}

/// How many people have an item; how many a row.
std::map<std::uint32_t, int> owners_of_items(const data::People& people) {
  std::map<std::uint32_t, int> owners;
  for (std::size_t u = 0; u < people.size(); ++u)
    for (const auto& [item, value] : row_of(people.features, u)) owners[item] += 1;
  return owners;
}
std::map<Row, int> owners_of_rows(const data::People& people) {
  std::map<Row, int> owners;
  for (std::size_t u = 0; u < people.size(); ++u) owners[row_of(people.features, u)] += 1;
  return owners;
}

// What is promised of every row, by the definitions.
void expect_kept_promises(const data::People& people, const Composing& composing, const ComposedRows& found,
                          double most) {
  const auto items = owners_of_items(people);
  const auto rows = owners_of_rows(people);
  std::size_t entry = 0;
  for (std::size_t j = 0; j < people.size(); ++j) {
    const Row row = row_of(found.rows, j);
    EXPECT_FALSE(row.empty());
    const auto true_row = rows.find(row);
    if (true_row != rows.end()) {
      EXPECT_GE(true_row->second, composing.owners);
    }
    std::map<std::uint32_t, int> given;
    for (const auto& [item, value] : row) {
      const std::uint32_t contributor = found.contributors[entry++];
      given[contributor] += 1;
      EXPECT_GE(items.at(item), composing.owners);
      const Row theirs = row_of(people.features, contributor);
      EXPECT_NE(std::ranges::find(theirs, std::pair(item, value)), theirs.end());
    }
    if (row.size() < 2) continue;
    for (const auto& [person, count] : given) EXPECT_LE(count, most * static_cast<double>(row.size()));
  }
  EXPECT_LE(found.largest_share, most);
}

TEST(ComposedRows, KeepTheirPromisesOnRandomTables) {
  for (int seed = 0; seed < 60; ++seed) {
    const auto people = raters(static_cast<unsigned>(seed), 8 + static_cast<std::size_t>(seed % 30),
                               4 + static_cast<std::uint32_t>(seed % 17), 0.15 + 0.01 * (seed % 60));
    const Composing composing{.kin = 3 + seed % 5, .owners = 2 + seed % 2};
    try {
      expect_kept_promises(people, composing, composed(people, composing, seed), 0.5);
    } catch (const InputError& refused) {
      EXPECT_EQ(refused.place().source, "release.rows") << refused.what();
      EXPECT_LT(people.size(), 12U);  // larger tables have something to publish
    }
  }
}

// Each entry is in a row in expectation once: over T compositions its count has mean T and at most the
// variance T, being a sum of independent indicators, one for each row of its owner's kin. Of 700 entries one
// is off by more than six deviations with odds below 1e-5.
TEST(ComposedRows, PublishEveryEntryOnceInExpectation) {
  constexpr int kTimes = 400;
  const auto people = raters(7, 60, 40, 0.3);
  const Composing composing{.kin = 5, .owners = 2};
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> published;
  for (int t = 0; t < kTimes; ++t) {
    const ComposedRows found = composed(people, composing, t);
    for (std::size_t e = 0; e < found.contributors.size(); ++e)
      published[{found.contributors[e], found.rows.items[e]}] += 1;
  }
  double chi_squared = 0;
  std::size_t entries = 0;
  for (std::uint32_t u = 0; u < people.size(); ++u)
    for (const auto& [item, value] : row_of(people.features, u)) {
      const double off = (published[{u, item}] - kTimes) / std::sqrt(kTimes * (1 - 1.0 / 5));
      EXPECT_LT(std::abs(off), 6) << u << " " << item;
      chi_squared += off * off;
      entries += 1;
    }
  // Entries of one row push each other out, which makes the sum smaller than that of independent ones: below
  // its mean and eight deviations with odds of 1e-9.
  EXPECT_LT(chi_squared, static_cast<double>(entries) + 8 * std::sqrt(2.0 * static_cast<double>(entries)));
}

TEST(ComposedRows, HaveAsManyEntriesAsTheirKinOnAverage) {
  const auto people = raters(8, 100, 40, 0.3);
  const ComposedRows found = composed(people, {.kin = 5, .owners = 2});
  EXPECT_NEAR(found.entries, 1, 0.02);
  EXPECT_EQ(found.dropped, 0);
}

TEST(ComposedRows, ThatAreOfOneEntryHaveOneOfThoseThatEnoughPeopleHave) {
  Row rare = {{3, 1}};
  std::vector<Row> rows(12, Row{{0, 1}});
  rows.resize(24, Row{{1, 1}});
  rows.push_back(rare);
  const auto people = people_with(rows, 4);
  const ComposedRows found = composed(people, {.kin = 4, .owners = 3});
  for (std::size_t j = 0; j < people.size(); ++j) {
    EXPECT_FALSE(found.rows[j].items.empty());
    for (const std::uint32_t item : found.rows[j].items) EXPECT_NE(item, 3U);
  }
  EXPECT_NEAR(found.dropped, 1.0 / 25, 1e-12);
}

TEST(ComposedRows, OfPeopleWhoAllHaveTheSameAreThatRow) {
  const auto people = people_with(std::vector<Row>(6, Row{{0, 2}, {1, 5}, {2, 1}, {3, 4}}), 4);
  const ComposedRows found = composed(people, {});
  for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(row_of(found.rows, j), row_of(people.features, 0));
}

TEST(ComposedRows, OfTwoPeopleAreRefusedWithWhatHelps) {
  const auto people = people_with({Row{{0, 1}, {1, 1}}, Row{{0, 1}, {2, 1}}}, 3);
  try {
    (void)composed(people, {.kin = 5, .owners = 3});
    FAIL() << "expected InputError";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().source, "release.rows");
    EXPECT_NE(std::string(error.what()).find("a pool of 2 people"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("release.owners"), std::string::npos);
  }
  // What both have is of two owners.
  const ComposedRows found = composed(people, {.kin = 5, .owners = 2});
  for (std::size_t j = 0; j < 2; ++j) EXPECT_EQ(row_of(found.rows, j), (Row{{0, 1}}));
}

TEST(ComposedRows, DependOnTheKeyAndNotOnThreads) {
  const auto people = raters(9, 700, 50, 0.2);
  const ComposedRows found = composed(people, {});
  EXPECT_NE(composed(people, {}, 2).rows.items, found.rows.items);
  const ThreadLimit one(1);
  const ComposedRows again = composed(people, {});
  EXPECT_EQ(again.rows.items, found.rows.items);
  EXPECT_EQ(again.rows.values, found.rows.values);
  EXPECT_EQ(again.contributors, found.contributors);
}

TEST(ComposedRows, StayInTheirPool) {
  const auto people = raters(10, 80, 20, 0.4);
  Pools pools{.members = {{}, {}}, .pool_of_person = {}};
  for (std::uint32_t u = 0; u < 80; ++u) {
    pools.members[u % 2].push_back(u);
    pools.pool_of_person.push_back(u % 2);
  }
  const ComposedRows found =
      compose_rows(people, kJensenShannon, pools, Units(people, {}), {.owners = 2}, key_of(1));
  for (std::size_t j = 0; j < 80; ++j)
    for (std::size_t e = found.rows.starts[j]; e < found.rows.starts[j + 1]; ++e)
      EXPECT_EQ(found.contributors[e] % 2, j % 2);
}

// The columns of a unit come from one person, who has these cells.
void expect_cells_of_contributors(const data::People& people, const Units& units, const ComposedRows& found) {
  for (std::uint32_t j = 0; j < people.size(); ++j)
    for (std::size_t c = 0; c < people.columns.columns.size(); ++c) {
      const auto unit = units.of_column(c);
      if (!unit) continue;
      const std::uint32_t contributor = found.contributor(j, *unit);
      ASSERT_NE(contributor, kNobody);
      const auto cell = [&](const data::SparseRows& rows, std::size_t r) {
        Row cells = row_of(rows, r);
        std::erase_if(cells, [&](const auto& entry) { return people.columns.of_item[entry.first] != c; });
        return cells;
      };
      EXPECT_EQ(cell(found.rows, j), cell(people.features, contributor));
    }
}

TEST(ComposedRows, OfWideDataHaveACellOfEachColumn) {
  const auto people = wide_people(1, 120, 4);
  const Composing composing{.kin = 5, .owners = 3};
  const ComposedRows found = composed(people, composing, 1, kHamming);
  ASSERT_EQ(found.fixed, 4U);
  expect_cells_of_contributors(people, Units(people, {}), found);
  expect_kept_promises(people, composing, found, 0.5);
}

TEST(ComposedRows, MixColumnsButThoseThatStayTogether) {
  constexpr std::uint32_t kCategories = 10;
  const auto people = wide_people(2, 60, kCategories);
  const auto mixed = [&](const ComposedRows& found) {
    int rows = 0;  // b is always the category of a
    for (std::size_t j = 0; j < people.size(); ++j)
      rows += found.rows[j].items[1] != found.rows[j].items[0] + kCategories ? 1 : 0;
    return rows;
  };
  EXPECT_GT(mixed(composed(people, {.kin = 5, .owners = 2}, 1, kHamming)), 5);
  const Composing together{.kin = 5, .owners = 2, .together = {{"a", "b"}}};
  const ComposedRows found = composed(people, together, 1, kHamming);
  EXPECT_EQ(mixed(found), 0);
  expect_cells_of_contributors(people, Units(people, together.together), found);
}

TEST(ComposedRows, LeaveOutACategoryOfTooFewPeople) {
  auto rows = std::vector<Row>(20, Row{{0, 1}, {2, 1}});
  for (std::size_t u = 0; u < 9; ++u) rows[u] = {{0, 1}, {3, 1}};
  rows[19] = {{1, 1}, {2, 1}};  // the only one of category 1
  auto people = people_with(rows, 4);
  using enum data::FeatureKind;
  people.columns = {.columns = {{"a", Categorical}, {"b", Categorical}},
                    .of_item = {0, 0, 1, 1},
                    .words = std::vector<std::string>(4)};
  const ComposedRows found = composed(people, {.kin = 5, .owners = 3}, 1, kHamming);
  for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(found.rows[j].items[0], 0U);
}

TEST(ComposedRows, RefuseColumnsThatCannotStayTogether) {
  const auto wide = wide_people(3, 20, 3);
  EXPECT_THROW(Units(wide, {{"a", "z"}}), InputError);
  EXPECT_THROW(Units(wide, {{"a", "b"}, {"b", "c"}}), InputError);
  EXPECT_THROW(Units(raters(1, 5, 5, 0.5), {{"a", "b"}}), InputError);
}

double information(const std::map<std::pair<int, std::string>, double>& joint) {
  std::map<int, double> of_first;
  std::map<std::string, double> of_second;
  for (const auto& [pair, p] : joint) of_first[pair.first] += p, of_second[pair.second] += p;
  double sum = 0;
  for (const auto& [pair, p] : joint)
    if (p > 0) sum += p * std::log2(p / (of_first[pair.first] * of_second[pair.second]));
  return sum;
}

// I(Y; X') <= I(Y; J): for each key, where X' is a function of J, and for an attacker who does not know the
// key, by averaging over keys.
TEST(ComposedRows, TellNoMoreOfTheSecretThanTheirDonor) {
  const auto people = raters(11, 9, 6, 0.5);
  const int secret_of[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  std::mt19937 rng(5);
  std::gamma_distribution<double> weight(0.4);
  std::vector<std::vector<double>> channel(9, std::vector<double>(9));
  for (auto& row : channel) {
    for (double& p : row) p = weight(rng) + 1e-9;
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& p : row) p /= sum * 9;
  }
  std::map<std::pair<int, std::string>, double> by_donor, by_row_of_any_key;
  for (int u = 0; u < 9; ++u)
    for (int j = 0; j < 9; ++j) by_donor[{secret_of[u], std::to_string(j)}] += channel[u][j];
  constexpr int kKeys = 300;
  for (int k = 0; k < kKeys; ++k) {
    const ComposedRows found = composed(people, {.kin = 3, .owners = 2}, k);
    std::map<std::pair<int, std::string>, double> by_row;
    for (int j = 0; j < 9; ++j) {
      std::string text;
      for (const auto& [item, value] : row_of(found.rows, static_cast<std::size_t>(j)))
        text += std::to_string(item) + ":" + std::to_string(value) + " ";
      for (int u = 0; u < 9; ++u) {
        by_row[{secret_of[u], text}] += channel[u][j];
        by_row_of_any_key[{secret_of[u], text}] += channel[u][j] / kKeys;
      }
    }
    EXPECT_LE(information(by_row), information(by_donor) + 1e-12);
  }
  EXPECT_LT(information(by_row_of_any_key), information(by_donor));
}

}  // namespace
}  // namespace hyobscure::obscure
