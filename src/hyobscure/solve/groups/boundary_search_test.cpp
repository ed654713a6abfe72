#include "hyobscure/solve/groups/boundary_search.h"

#include <gtest/gtest.h>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/groups/test_scene.h"

namespace hyobscure::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Evaluation {
  double leakage = 0, distance = 0;
};

/// Every group of another partition, from the people up, with the channel of the group of the same number.
Evaluation from_scratch(const Scene& scene, const Partition& partition, Objective objective) {
  Evaluation result;
  for (int g = 0; g < partition.groups(); ++g) {
    const auto& clusters = scene.channels.clusters[static_cast<std::size_t>(g)];
    const auto& channel = scene.channels.channels[static_cast<std::size_t>(g)];
    const int all = scene.tables.clusters();
    MatrixXd wide = MatrixXd::Zero(all, all);  // over all clusters
    VectorXd outputs = VectorXd::Zero(all);
    std::vector<bool> known(static_cast<std::size_t>(all), false), present = known;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      known[static_cast<std::size_t>(clusters[i])] = true;
      for (std::size_t j = 0; j < clusters.size(); ++j)
        wide(clusters[i], clusters[j]) = channel(static_cast<int>(i), static_cast<int>(j));
    }
    for (const auto& person : scene.census.people) {
      if (person.value >= scene.partition.first(g) && person.value < scene.partition.end(g))
        outputs += wide.row(person.cluster).transpose();
      if (person.value >= partition.first(g) && person.value < partition.end(g))
        present[static_cast<std::size_t>(person.cluster)] = true;
    }
    MatrixXd published = MatrixXd::Zero(all, scene.tables.values());
    double people = 0;
    for (const auto& person : scene.census.people) {
      if (person.value < partition.first(g) || person.value >= partition.end(g)) continue;
      VectorXd row =
          known[static_cast<std::size_t>(person.cluster)] ? VectorXd(wide.row(person.cluster)) : outputs;
      VectorXd distance = VectorXd::Zero(all);
      for (int j = 0; j < all; ++j) {
        if (!present[static_cast<std::size_t>(j)])
          row(j) = 0;
        else
          distance(j) = scene.census.mean_distance(partition.first(g), partition.end(g), person.cluster, j);
      }
      if (row.sum() == 0) {
        int nearest = -1;
        for (int j = 0; j < all; ++j)
          if (present[static_cast<std::size_t>(j)] && (nearest < 0 || distance(j) < distance(nearest)))
            nearest = j;
        row(nearest) = 1;
      }
      row /= row.sum();
      result.distance += row.dot(distance) / scene.census.shape.people;
      published.col(person.value) += row / scene.census.shape.people;
      people += 1;
    }
    const double share = people / scene.census.shape.people;
    if (objective == Objective::Total) result.leakage -= share * std::log(share);
    for (int j = 0; j < all; ++j)
      for (int y = 0; y < published.cols(); ++y)
        if (published(j, y) > 0)
          result.leakage += published(j, y) * std::log(published(j, y) * share /
                                                       (published.row(j).sum() * published.col(y).sum()));
  }
  return result;
}

BoundarySearchResult search(const Scene& scene, const BoundarySearchSettings& settings,
                            std::uint64_t seed = 1) {
  RandomStream random(Key::from_seed(seed));
  return search_boundaries(scene.tables, scene.values, scene.limits, scene.partition, scene.channels,
                           settings, random);
}

class BoundarySearchOnSeeds : public testing::TestWithParam<unsigned> {};

TEST_P(BoundarySearchOnSeeds, IncrementalFiguresAreThoseFromScratch) {
  const auto scene = random_scene(GetParam());
  for (const auto acceptance : {Acceptance::Paper, Acceptance::Budget})
    for (const auto objective : {Objective::Total, Objective::Conditional}) {
      const auto result = search(scene, {acceptance, objective, scene.budget * 1.02});
      const auto expected = from_scratch(scene, result.partition, objective);
      EXPECT_NEAR(result.leakage_nats, expected.leakage, 1e-10);
      EXPECT_NEAR(result.distance, expected.distance, 1e-10);
    }
}

TEST_P(BoundarySearchOnSeeds, ResultKeepsTheLimitsAndItsPromise) {
  const auto scene = random_scene(GetParam());
  const auto before = from_scratch(scene, scene.partition, Objective::Total);
  const auto paper = search(scene, {.acceptance = Acceptance::Paper});
  EXPECT_TRUE(satisfies(scene.values, scene.limits, paper.partition));
  EXPECT_LE(paper.leakage_nats, before.leakage + 1e-10);
  EXPECT_LE(paper.distance, before.distance + 1e-10);
  EXPECT_EQ(paper.accepted > 0, paper.partition != scene.partition);

  const double budget = scene.budget * 1.02;
  const auto within = search(scene, {.acceptance = Acceptance::Budget, .budget = budget});
  EXPECT_TRUE(satisfies(scene.values, scene.limits, within.partition));
  EXPECT_LE(within.leakage_nats, before.leakage + 1e-10);
  EXPECT_LE(within.distance, budget);
}

TEST_P(BoundarySearchOnSeeds, EndsWhereNoSingleMoveHelps) {
  const auto scene = random_scene(GetParam());
  const BoundarySearchSettings settings{.acceptance = Acceptance::Budget, .budget = scene.budget * 1.02};
  const auto result = search(scene, settings, GetParam());
  for (std::size_t b = 1; b + 1 < result.partition.starts.size(); ++b)
    for (int step = -settings.largest_step; step <= settings.largest_step; ++step) {
      Partition moved = result.partition;
      moved.starts[b] += step;
      if (step == 0 || !satisfies(scene.values, scene.limits, moved)) continue;
      const auto figures = from_scratch(scene, moved, Objective::Total);
      EXPECT_TRUE(figures.leakage >= result.leakage_nats - 1e-9 || figures.distance > settings.budget - 1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BoundarySearchOnSeeds, testing::Range(1u, 13u));

TEST(BoundarySearch, FindsImprovementsInSomeScenes) {
  int accepted = 0;
  for (unsigned seed = 1; seed < 13; ++seed) {
    const auto scene = random_scene(seed);
    accepted += search(scene, {.acceptance = Acceptance::Budget, .budget = scene.budget * 1.02}).accepted;
  }
  EXPECT_GT(accepted, 10);
}

TEST(BoundarySearch, TheSameSeedGivesTheSameGroups) {
  const auto scene = random_scene(3);
  const BoundarySearchSettings settings{.acceptance = Acceptance::Budget, .budget = 10};
  EXPECT_EQ(search(scene, settings, 7).partition, search(scene, settings, 7).partition);
}

TEST(BoundarySearch, RefusesWhatDoesNotFit) {
  auto scene = random_scene(5);
  EXPECT_THROW((void)search(scene, {.acceptance = Acceptance::Budget}), InputError);
  EXPECT_THROW((void)search(scene, {.largest_step = 0}), InputError);
  scene.channels.channels.pop_back();
  EXPECT_THROW((void)search(scene, {}), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
