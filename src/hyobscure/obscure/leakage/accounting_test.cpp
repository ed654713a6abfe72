#include "hyobscure/obscure/leakage/accounting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::obscure {
namespace {

constexpr int kClusters = 4;

/// Forty people of nine values in three groups; values lean to clusters and items.
struct Example {
  data::People people;
  std::vector<std::uint32_t> cluster_of_person;
  Pools strata, everyone;

  Example() {
    for (int v = 0; v < 9; ++v) people.values.push_back({double(v), double(v), double(v)});
    people.features.columns = 12;
    RandomStream random(Key::from_seed(4));
    for (int u = 0; u < 40; ++u) {
      const auto value = static_cast<std::uint32_t>(random.below(9));
      people.ids.push_back(fmt::format("p{}", u));
      people.secrets.push_back(value);
      cluster_of_person.push_back(
          random.uniform() < 0.5 ? value % kClusters : static_cast<std::uint32_t>(random.below(kClusters)));
      for (std::uint32_t item = 0; item < 12; ++item)
        if (item == value || random.uniform() < 0.3) {
          people.features.items.push_back(item);
          people.features.values.push_back(1 + static_cast<double>(random.below(5)));
        }
      people.features.end_row();
    }
    strata = pools_by_group(people, solve::Partition{{0, 3, 5, 9}});
    everyone = one_pool(people.size());
  }

  AccountInput input(bool within, std::span<const Channel> channels) const {
    return {.people = people,
            .cluster_of_person = cluster_of_person,
            .clusters = kClusters,
            .strata = strata,
            .pools = within ? strata : everyone,
            .channels = channels};
  }

  /// Uneven rows over the clusters that the pool has.
  Channel cells(const std::vector<std::uint32_t>& pool, double retain) const {
    std::map<int, std::int64_t> counts;
    for (const std::uint32_t u : pool) counts[static_cast<int>(cluster_of_person[u])] += 1;
    CellDraw draw;
    for (const auto& [cluster, number] : counts) {
      draw.clusters.push_back(cluster);
      draw.people.push_back(number);
    }
    const auto size = static_cast<Eigen::Index>(counts.size());
    draw.probabilities = Eigen::MatrixXd::NullaryExpr(
        size, size, [](Eigen::Index r, Eigen::Index c) { return 1.0 + double((3 * r + c) % 4); });
    for (Eigen::Index r = 0; r < size; ++r) draw.probabilities.row(r) /= draw.probabilities.row(r).sum();
    return {.people = static_cast<std::int64_t>(pool.size()), .retain = retain, .draw = draw};
  }
};

/// p(v | u) of the whole population, straight from what each kind of draw says.
Eigen::MatrixXd donor_matrix(const Example& example, bool within, const std::vector<Channel>& channels) {
  const Pools& pools = within ? example.strata : example.everyone;
  const auto n = static_cast<Eigen::Index>(example.people.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index u = 0; u < n; ++u) {
    const std::size_t pool = pools.pool_of_person[static_cast<std::size_t>(u)];
    const Channel& channel = channels[pool];
    const auto& members = pools.members[pool];
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
    for (const std::uint32_t v : members) {
      if (const CellDraw* cells = channel.cells()) {
        const auto place = [&](Eigen::Index person) {
          const auto cluster = static_cast<int>(example.cluster_of_person[static_cast<std::size_t>(person)]);
          return std::ranges::find(cells->clusters, cluster) - cells->clusters.begin();
        };
        row[v] = cells->probabilities(place(u), place(v)) /
                 double(cells->people[static_cast<std::size_t>(place(v))]);
      } else if (std::holds_alternative<OtherDraw>(channel.draw)) {
        row[v] = v == u ? 0 : 1;
      } else {
        const auto& near = std::get<NearDraw>(channel.draw);
        const double d = census::distance_between(census::Distance::Jaccard,
                                                  example.people.features[static_cast<std::size_t>(u)],
                                                  example.people.features[v], 12);
        row[v] = near.decay ? std::exp(-*near.decay * d) : v == u ? 0 : 1 - d;
      }
    }
    matrix.row(u) = (1 - channel.retain) * row / row.sum();
    matrix(u, u) += channel.retain;
  }
  return matrix;
}

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
        std::vector<Channel> channels;
        for (const auto& pool : (within ? example.strata : example.everyone).members) {
          const auto people = static_cast<std::int64_t>(pool.size());
          channels.push_back(kind == 0   ? example.cells(pool, retain)
                             : kind == 1 ? Channel{people, retain, OtherDraw{}}
                             : kind == 2 ? Channel{people, retain, NearDraw{.decay = 2.5}}
                                         : Channel{people, retain, NearDraw{}});
        }
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
      std::vector<Channel> channels;
      Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(40, 40);
      for (const auto& pool : pools.members) {
        PersonDraw draw;
        for (std::uint32_t i = 0; i < pool.size(); ++i) {
          std::map<std::uint32_t, double> row;  // three donors, perhaps the same
          for (const std::uint32_t step : {0u, 3u, 7u})
            row[(i * 5 + step) % static_cast<std::uint32_t>(pool.size())] += (step + 1.0) / 13;
          for (const auto& [donor, p] : row) {
            draw.donors.push_back(donor);
            draw.probabilities.push_back(p);
            matrix(pool[i], pool[donor]) += (1 - retain) * p;
          }
          matrix(pool[i], pool[i]) += retain;
          draw.starts.push_back(draw.donors.size());
        }
        channels.push_back({static_cast<std::int64_t>(pool.size()), retain, draw});
      }
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
