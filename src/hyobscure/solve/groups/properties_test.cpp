// What must hold for every problem, tried on problems that RapidCheck draws and shrinks. Weights and
// distances are small whole numbers: ties, empty cells and equal clusters are the rule, and a counterexample
// is short.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <numeric>

#include "hyobscure/base/random.h"
#include "hyobscure/base/test_properties.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/channel/test_problems.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/exact.h"
#include "hyobscure/solve/groups/test_census.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kTolerance = 1e-9 / kBitsPerNat;       // of channels
constexpr double kExactTolerance = 3e-8 / kBitsPerNat;  // of the joint optimum: closing and channels

int whole(int least, int most, const char* what) { return *rc::gen::inRange(least, most + 1).as(what); }

MatrixXd whole_matrix(Index rows, Index columns, int most, const char* what) {
  const auto cells = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(rows * columns),
                                                           rc::gen::inRange(0, most + 1))
                          .as(what);
  return Eigen::Map<const Eigen::MatrixXi>(cells.data(), rows, columns).cast<double>();
}

std::vector<int> shuffled(int count, const char* what) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  const auto keys = *rc::gen::container<std::vector<int>>(order.size(), rc::gen::inRange(0, 1000)).as(what);
  std::ranges::stable_sort(order, {}, [&](int i) { return keys[static_cast<std::size_t>(i)]; });
  return order;
}

// ---- The O-problem ----

ChannelProblem any_problem() {
  ChannelProblem problem;
  double people = 0;
  const int groups = whole(1, 3, "groups");
  for (int g = 0; g < groups; ++g) {
    const int clusters = whole(1, 5, "clusters");
    MatrixXd counts = whole_matrix(clusters, whole(1, 4, "values"), 9, "people by cluster and value");
    if (counts.sum() == 0) counts(0, 0) = 1;
    people += counts.sum();
    problem.joints.push_back(std::move(counts));
    problem.distances.push_back(whole_matrix(clusters, clusters, 9, "distances in tenths") / 10);
  }
  for (auto& joint : problem.joints) joint /= people;
  return problem;
}

/// Percent of the way from the smallest to the harmless distance; both ends belong to it.
int any_share() { return whole(0, 100, "budget in percent"); }

ChannelInfo solved(const ChannelProblem& problem, double budget) {
  const ChannelInfo info = solve_with_budget(problem, budget).info;
  RC_ASSERT(info.status == SolveStatus::Solved);
  RC_ASSERT(info.lower_bound_nats <= info.leakage_nats + 1e-15);
  RC_ASSERT(info.gap_nats <= kTolerance);
  RC_ASSERT(info.distance <= budget + 1e-12);
  return info;
}

TEST(ChannelProperties, MoreBudgetNeverLeaksMore) {
  expect_always(150, [] {
    const ChannelProblem problem = any_problem();
    const int a = any_share(), b = any_share();
    const ChannelInfo tight = solved(problem, budget_at(problem, 0.01 * std::min(a, b)));
    const ChannelInfo loose = solved(problem, budget_at(problem, 0.01 * std::max(a, b)));
    RC_ASSERT(loose.leakage_nats <= tight.leakage_nats + kTolerance);
  });
}

TEST(ChannelProperties, TheNamesOfClustersAndValuesAndTheOrderOfGroupsDoNotMatter) {
  expect_always(150, [] {
    const ChannelProblem problem = any_problem();
    const double budget = budget_at(problem, 0.01 * any_share());
    ChannelProblem renamed;
    for (const int g : shuffled(static_cast<int>(problem.joints.size()), "order of groups")) {
      const auto& joint = problem.joints[static_cast<std::size_t>(g)];
      const auto clusters = shuffled(static_cast<int>(joint.rows()), "order of clusters");
      const auto values = shuffled(static_cast<int>(joint.cols()), "order of values");
      renamed.joints.push_back(joint(clusters, values));
      renamed.distances.push_back(problem.distances[static_cast<std::size_t>(g)](clusters, clusters));
    }
    const double difference = solved(problem, budget).leakage_nats - solved(renamed, budget).leakage_nats;
    RC_ASSERT(std::abs(difference) <= 2 * kTolerance);
  });
}

/// The last cluster in two parts that are alike: the same distribution of values, the same distances.
void split_last_cluster(MatrixXd& joint, MatrixXd& distance, double share) {
  const Index last = joint.rows() - 1;
  joint.conservativeResize(last + 2, Eigen::NoChange);
  joint.row(last + 1) = share * joint.row(last);
  joint.row(last) *= 1 - share;
  distance.conservativeResize(last + 2, last + 2);
  distance.row(last + 1) = distance.row(last);
  distance.col(last + 1) = distance.col(last);
}

TEST(ChannelProperties, TwoClustersThatAreAlikeMayBeOne) {
  expect_always(150, [] {
    const ChannelProblem merged = any_problem();
    ChannelProblem split = merged;
    split_last_cluster(split.joints[0], split.distances[0], 0.1 * whole(0, 10, "tenths split off"));
    const double budget = budget_at(merged, 0.01 * any_share());
    RC_ASSERT(std::abs(solved(merged, budget).leakage_nats - solved(split, budget).leakage_nats) <=
              2 * kTolerance);
  });
}

// ---- The joint optimum ----

/// A census, its tables, limits, and one of the partitions within them.
struct Secret {
  RandomCensus census;
  SegmentTables tables;
  OrderedValues values;
  GroupLimits limits;
  ExactSettings settings;
  Partition partition;

  ChannelProblem problem() const { return problem_of(tables, partition).problem; }
  double objective(const std::vector<MatrixXd>& joints, double leakage) const {
    return leakage + (settings.objective == Objective::Total ? group_entropy(joints) : 0.0);
  }
  /// At or above the smallest distance of the partition drawn, hence within reach.
  double budget(int percent) const { return budget_at(problem(), 0.01 * percent); }
};

RandomCensus any_census() {
  RandomCensus census{{.people = whole(1, 40, "people"),
                       .clusters = whole(1, 4, "clusters"),
                       .values = whole(1, 5, "values")},
                      {}};
  const MatrixXd drawn =
      whole_matrix(3, census.shape.people, 19, "cluster, value and feature of each person");
  for (Index i = 0; i < drawn.cols(); ++i)
    census.people.push_back({static_cast<int>(drawn(0, i)) % census.shape.clusters,
                             static_cast<int>(drawn(1, i)) % census.shape.values, drawn(2, i)});
  return census;
}

Secret any_secret() {
  const RandomCensus census = any_census();
  const GroupLimits limits{.least_people = static_cast<double>(whole(1, 4, "least people of a group")),
                           .most_values = static_cast<double>(whole(2, 5, "most values of a group"))};
  const auto partitions = all_partitions(census.values(), limits, std::nullopt);
  RC_PRE(!partitions.empty());
  const Partition partition =
      partitions[static_cast<std::size_t>(whole(0, 15, "partition")) % partitions.size()];
  const ExactSettings settings{
      .groups =
          whole(0, 1, "number of groups is given") == 1 ? std::optional(partition.groups()) : std::nullopt,
      .objective = whole(0, 1, "conditional") == 1 ? Objective::Conditional : Objective::Total};
  return {census, census.tables(), census.values(), limits, settings, partition};
}

ExactResult closed(ExactSearch& search, double budget) {
  ExactResult result = search.solve(budget);
  RC_ASSERT(result.closed);
  RC_ASSERT(result.lower_bound_nats <= result.objective_nats);
  RC_ASSERT(result.gap_nats() <= kExactTolerance);
  RC_ASSERT(result.solution.info.distance <= budget + 1e-12);
  return result;
}

double optimum(const Secret& secret, double budget) {
  ExactSearch search(secret.tables, secret.values, secret.limits, secret.settings);
  return closed(search, budget).objective_nats;
}

TEST(ExactProperties, MoreBudgetNeverLeaksMore) {
  expect_always(60, [] {
    const Secret secret = any_secret();
    const int a = any_share(), b = any_share();
    ExactSearch search(secret.tables, secret.values, secret.limits, secret.settings);
    const double tight = closed(search, secret.budget(std::min(a, b))).objective_nats;
    const double loose = closed(search, secret.budget(std::max(a, b))).objective_nats;
    RC_ASSERT(loose <= tight + kExactTolerance);
  });
}

TEST(ExactProperties, TheNamesOfTheClustersDoNotMatter) {
  expect_always(60, [] {
    const Secret secret = any_secret();
    RandomCensus census = secret.census;
    const auto name = shuffled(census.shape.clusters, "order of clusters");
    for (auto& person : census.people) person.cluster = name[static_cast<std::size_t>(person.cluster)];
    const Secret renamed{census,        census.tables(), census.values(),
                         secret.limits, secret.settings, secret.partition};
    const double budget = secret.budget(any_share());
    RC_ASSERT(std::abs(optimum(secret, budget) - optimum(renamed, budget)) <= kExactTolerance);
  });
}

// Everybody has a double of the same value and features, who is in the same cluster or in one of their own.
TEST(ExactProperties, TwoClustersThatAreAlikeMayBeOne) {
  expect_always(40, [] {
    const Secret secret = any_secret();
    RandomCensus merged = secret.census;
    merged.people.insert(merged.people.end(), secret.census.people.begin(), secret.census.people.end());
    RandomCensus split = merged;
    split.shape.clusters *= 2;
    for (std::size_t i = secret.census.people.size(); i < split.people.size(); ++i)
      split.people[i].cluster += secret.census.shape.clusters;
    const auto with = [&](const RandomCensus& census) {
      return Secret{census,        census.tables(), census.values(),
                    secret.limits, secret.settings, secret.partition};
    };
    const double budget = secret.budget(any_share());
    RC_ASSERT(std::abs(optimum(with(merged), budget) - optimum(with(split), budget)) <= kExactTolerance);
  });
}

TEST(ExactProperties, NoPartitionNorSearchOfBoundariesDoesBetter) {
  expect_always(60, [] {
    const Secret secret = any_secret();
    const double budget = secret.budget(any_share());
    ExactSearch search(secret.tables, secret.values, secret.limits, secret.settings);
    const ExactResult exact = closed(search, budget);

    const PartitionProblem drawn = problem_of(secret.tables, secret.partition);
    const ChannelResult channels = solve_with_budget(drawn.problem, budget);
    const double of_partition = secret.objective(drawn.problem.joints, channels.info.leakage_nats);
    RC_ASSERT(exact.objective_nats <= of_partition + kExactTolerance);
    RC_ASSERT(exact.lower_bound_nats <= of_partition + 1e-12);

    RandomStream random(Key::from_seed(1));
    const BoundarySearchResult moved = search_boundaries(
        secret.tables, secret.values, secret.limits, secret.partition, {channels.channels, drawn.clusters},
        {.acceptance = Acceptance::Budget, .objective = secret.settings.objective, .budget = budget}, random);
    RC_ASSERT(exact.lower_bound_nats <= moved.leakage_nats + 1e-12);
    RC_ASSERT(moved.leakage_nats <= of_partition + 1e-12);
  });
}

}  // namespace
}  // namespace hyobscure::solve
