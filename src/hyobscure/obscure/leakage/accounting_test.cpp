#include "hyobscure/obscure/leakage/accounting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/leakage/test_draws.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

/// I(Y; W | G) in bits, W the donor or the donor's cluster, from the joint distribution alone.
double information(const Example& example, const Eigen::MatrixXd& matrix, bool of_clusters) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, double>> joint;  // (g, w) -> y
  std::map<std::uint32_t, std::map<std::uint32_t, double>> prior;                            // g -> y
  for (std::uint32_t u = 0; u < 40; ++u) {
    const std::uint32_t g = example.strata.pool_of_person[u], y = example.people.secrets[u];
    prior[g][y] += 1.0 / 40;
    for (std::uint32_t v = 0; v < 40; ++v)
      joint[{g, of_clusters ? example.cluster_of_person[v] : v}][y] += matrix(u, v) / 40;
  }
  double bits = 0;
  for (const auto& [key, by_value] : joint) {
    double whole = 0, group = 0;
    for (const auto& [y, p] : by_value) whole += p;
    for (const auto& [y, p] : prior[key.first]) group += p;
    for (const auto& [y, p] : by_value)
      if (p > 0) bits += p * std::log2(p * group / (whole * prior[key.first][y]));
  }
  return bits;
}

TEST(Accounting, EveryKindOfDrawIsWhatThePersonByPersonTableSays) {
  const Example example;
  for (const bool within : {true, false})
    for (const double retain : {0.0, 0.25, 1.0})
      for (const int kind : {0, 1, 2, 3}) {
        const std::vector<Channel> channels =
            channels_of_kind(example, within ? example.strata : example.everyone, kind, retain);
        const FeatureLeakage leakage = account(example.input(within, channels), 0, Key::from_seed(1));
        const Eigen::MatrixXd matrix = donor_matrix(example, within, channels);
        EXPECT_NEAR(leakage.people, information(example, matrix, false), 1e-6) << within << retain << kind;
        EXPECT_NEAR(leakage.clusters, information(example, matrix, true), 1e-6) << within << retain << kind;
        EXPECT_LE(leakage.clusters, leakage.people + 1e-9);
      }
}

TEST(Accounting, PeoplesOwnListsAreWhatTheTableSays) {
  const Example example;
  for (const bool within : {true, false})
    for (const double retain : {0.0, 0.25}) {
      const Pools& pools = within ? example.strata : example.everyone;
      const auto [channels, matrix] = lists_of_people(pools, retain);
      const FeatureLeakage leakage = account(example.input(within, channels), 0, Key::from_seed(1));
      EXPECT_NEAR(leakage.people, information(example, matrix, false), 1e-9);
      EXPECT_NEAR(leakage.clusters, information(example, matrix, true), 1e-9);
    }
}

TEST(Accounting, DonorsUniformInTheirCellTellNoMoreThanTheCell) {
  const Example example;
  std::vector<Channel> channels;
  for (const auto& pool : example.strata.members) channels.push_back(example.cells(pool, 0));
  const FeatureLeakage leakage = account(example.input(true, channels), 0, Key::from_seed(1));
  EXPECT_EQ(leakage.people, leakage.clusters);
}

TEST(Accounting, ARetainedRowTellsEverythingToWhoKnowsTheTable) {
  const Example example;
  std::vector<Channel> channels;
  for (const auto& pool : example.strata.members)
    channels.push_back({static_cast<std::int64_t>(pool.size()), 1, OtherDraw{}});
  const FeatureLeakage leakage = account(example.input(true, channels), 0, Key::from_seed(1));
  double entropy = 0;  // H(Y | G)
  std::map<std::uint32_t, double> by_value, by_group;
  for (std::uint32_t u = 0; u < 40; ++u) {
    by_value[example.people.secrets[u]] += 1.0 / 40;
    by_group[example.strata.pool_of_person[u]] += 1.0 / 40;
  }
  for (const auto& [y, p] : by_value) entropy -= p * std::log2(p);
  for (const auto& [g, p] : by_group) entropy += p * std::log2(p);
  EXPECT_NEAR(leakage.people, entropy, 1e-12);
}

TEST(Accounting, TheNullIsTheMeanOverShuffledValues) {
  const Example example;
  std::vector<Channel> channels;
  for (const auto& pool : example.strata.members) channels.push_back(example.cells(pool, 0.2));
  const FeatureLeakage leakage = account(example.input(true, channels), 200, Key::from_seed(1));

  // Another way to shuffle: whole populations, from the person-by-person table.
  const Eigen::MatrixXd matrix = donor_matrix(example, true, channels);
  RandomStream random(Key::from_seed(8));
  double mean = 0;
  for (int i = 0; i < 200; ++i) {
    Example shuffled = example;
    for (const auto& members : example.strata.members)
      for (std::size_t j = members.size(); j > 1; --j)
        std::swap(shuffled.people.secrets[members[j - 1]], shuffled.people.secrets[members[random.below(j)]]);
    mean += information(shuffled, matrix, false) / 200;
  }
  EXPECT_GT(leakage.null_deviation, 0);
  EXPECT_NEAR(leakage.null, mean, 6 * leakage.null_deviation / std::sqrt(200.0 / 2));
}

TEST(Accounting, ThreadsDoNotMatter) {
  const Example example;
  const std::vector<Channel> channels = {{40, 0.1, NearDraw{.decay = 1}}};
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return account(example.input(false, channels), 20, Key::from_seed(1));
  };
  const FeatureLeakage one = with_threads(1), two = with_threads(2);
  EXPECT_EQ(one.people, two.people);
  EXPECT_EQ(one.null, two.null);
}

TEST(Near, TheOnlyPersonDrawsThemselvesAndTheDissimilarOnesDrawUniformly) {
  std::vector<double> row(1);
  near_probabilities(NearDraw{}, std::vector<float>{0}, 0, row);
  EXPECT_EQ(row[0], 1);
  row.resize(3);
  near_probabilities(NearDraw{}, std::vector<float>{1, 0, 1}, 1, row);
  EXPECT_EQ(row, (std::vector<double>{0.5, 0, 0.5}));
}

}  // namespace
}  // namespace hyobscure::obscure
