#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/obscure/leakage/accounting.h"

namespace hyobscure::obscure {

inline constexpr int kClusters = 4;

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
inline Eigen::MatrixXd donor_matrix(const Example& example, bool within,
                                    const std::vector<Channel>& channels) {
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

/// Three donors of each person's own list, perhaps the same; and p(v | u) of the whole population.
inline std::pair<std::vector<Channel>, Eigen::MatrixXd> lists_of_people(const Pools& pools, double retain) {
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
  return {channels, matrix};
}

/// Channels of one kind, 0 to 3: cells, others, near by decay, near by similarity; one for each pool.
inline std::vector<Channel> channels_of_kind(const Example& example, const Pools& pools, int kind,
                                             double retain) {
  std::vector<Channel> channels;
  for (const auto& pool : pools.members) {
    const auto people = static_cast<std::int64_t>(pool.size());
    channels.push_back(kind == 0   ? example.cells(pool, retain)
                       : kind == 1 ? Channel{people, retain, OtherDraw{}}
                       : kind == 2 ? Channel{people, retain, NearDraw{.decay = 2.5}}
                                   : Channel{people, retain, NearDraw{}});
  }
  return channels;
}

}  // namespace hyobscure::obscure
