#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/person_pricing.h"
#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A pool that keeps its distances.
struct TestPool {
  DistanceMatrix distances;
  PersonPool pool;

  TestPool(DistanceMatrix::Table table, std::vector<std::uint32_t> values_of_people, std::uint32_t values)
      : distances(std::move(table)) {
    pool.distances = &distances;
    pool.value_of_person = std::move(values_of_people);
    pool.values = values;
  }
  TestPool(const TestPool&) = delete;
  TestPool& operator=(const TestPool&) = delete;
};

/// Points in a cube, whose first coordinate is worth something to guess the value; distances are not quite
/// symmetric.
DistanceMatrix::Table random_distances(std::mt19937& rng, const MatrixXd& points) {
  std::uniform_real_distribution<double> uniform(0.9, 1.1);
  DistanceMatrix::Table table(points.rows(), points.rows());
  for (Index u = 0; u < points.rows(); ++u)
    for (Index v = 0; v < points.rows(); ++v)
      table(u, v) = static_cast<float>(uniform(rng) * (points.row(u) - points.row(v)).norm());
  return table;
}

std::unique_ptr<TestPool> random_pool(unsigned seed, Index people, std::uint32_t values) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const MatrixXd points = MatrixXd::NullaryExpr(people, 3, [&] { return uniform(rng); });
  auto table = random_distances(rng, points);
  std::vector<std::uint32_t> values_of_people;
  for (Index u = 0; u < people; ++u) {
    const double guess = 0.6 * points(u, 0) + 0.4 * uniform(rng);
    values_of_people.push_back(std::min(values - 1, static_cast<std::uint32_t>(guess * values)));
  }
  auto result = std::make_unique<TestPool>(std::move(table), std::move(values_of_people), values);
  result->pool.learned.resize(people, static_cast<Index>(values));
  for (Index u = 0; u < people; ++u) {
    for (Index y = 0; y < result->pool.learned.cols(); ++y)
      result->pool.learned(u, y) =
          static_cast<float>(0.02 + uniform(rng) + (y == static_cast<Index>(points(u, 0) * values) ? 2 : 0));
    result->pool.learned.row(u) /= result->pool.learned.row(u).sum();
  }
  return result;
}

MatrixXd one_hot(const PersonPool& pool) {
  MatrixXd weights = MatrixXd::Zero(static_cast<Index>(pool.size()), pool.values);
  for (std::size_t u = 0; u < pool.size(); ++u) weights(static_cast<Index>(u), pool.value_of_person[u]) = 1;
  return weights;
}

MatrixXd distance_table(const PersonPool& pool) {
  const auto people = static_cast<Index>(pool.size());
  MatrixXd table(people, people);
  std::vector<float> row(pool.size());
  for (Index u = 0; u < people; ++u) {
    pool.distances->row(static_cast<std::size_t>(u), row);
    for (Index v = 0; v < people; ++v) table(u, v) = row[static_cast<std::size_t>(v)];
  }
  return table;
}

/// m I(Y; V) for people of weight 1, as a sum of entropies.
double mutual_information(const MatrixXd& weights, const MatrixXd& channel) {
  const MatrixXd joint = weights.transpose() * channel;
  const auto entropy_like = [](const auto& values) { return values.unaryExpr(&x_log_x).sum(); };
  const double people = joint.sum();
  return entropy_like(joint) - entropy_like(joint.rowwise().sum()) - entropy_like(joint.colwise().sum()) +
         x_log_x(people);
}

double objective(const PoolTask& task, const MatrixXd& channel) {
  double result = task.multiplier * channel.cwiseProduct(distance_table(task.pool)).sum() +
                  task.terms.informed_weight * mutual_information(one_hot(task.pool), channel);
  if (task.terms.learned_weight > 0)
    result += task.terms.learned_weight * mutual_information(task.pool.learned.cast<double>(), channel);
  return result;
}

double scale_of(const PoolTask& task) { return static_cast<double>(task.pool.size()); }

constexpr double kMillibit = 1e-3 / kBitsPerNat;

/// What holds for every answer.
void expect_sound(const PoolTask& task, const PoolAnswer& answer) {
  ASSERT_EQ(answer.channel.size(), task.pool.size());
  for (std::size_t u = 0; u < answer.channel.size(); ++u) {
    double sum = 0;
    for (std::size_t k = answer.channel.starts[u]; k < answer.channel.starts[u + 1]; ++k) {
      sum += answer.channel.probabilities[k];
      EXPECT_GT(answer.channel.probabilities[k], 0);
      EXPECT_TRUE(k == answer.channel.starts[u] || answer.channel.donors[k - 1] < answer.channel.donors[k]);
      EXPECT_TRUE(is_allowed(task.pool, task.terms, u, answer.channel.donors[k]));
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  const MatrixXd channel = dense(answer.channel);
  const double worst_column = (channel.colwise().sum().array() - 1).abs().maxCoeff();
  EXPECT_TRUE(!task.terms.balanced || worst_column <= 1e-9) << worst_column;
  EXPECT_NEAR(answer.objective, objective(task, channel), 1e-9 * (1 + std::abs(answer.objective)));
  EXPECT_LE(answer.lower_bound, answer.objective + 1e-9);
}

void expect_solved(const PoolTask& task, const PoolAnswer& answer) {
  expect_sound(task, answer);
  EXPECT_LE(answer.objective - answer.lower_bound, task.tolerance);
}

/// Every person a cluster of the O-problem; an own row that is not allowed is very far away. Values that
/// nobody has are left out.
double optimum_by_clusters(const PoolTask& task) {
  const double people = scale_of(task);
  MatrixXd weights = task.terms.learned_weight > 0 ? task.pool.learned.cast<double>() : one_hot(task.pool);
  Index kept = 0;
  for (Index y = 0; y < weights.cols(); ++y)
    if (weights.col(y).sum() > 0) weights.col(kept++) = weights.col(y).eval();
  weights.conservativeResize(Eigen::NoChange, kept);
  MatrixXd table = distance_table(task.pool);
  if (!task.terms.self_donor) table.diagonal().setConstant(1e3);
  const ChannelProblem problem{.joints = {weights / weights.sum()}, .distances = {table}};
  const auto result = solve_with_multiplier(problem, task.multiplier);
  return people * (result.info.leakage_nats + task.multiplier * result.info.distance);
}

TEST(PersonSparse, FreeChannelsAgreeWithTheClusterSolver) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto made = random_pool(seed, 4 + seed % 9, 2 + seed % 3);
    for (const bool self : {true, false})
      for (const bool learned : {false, true}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " self " << self << " learned " << learned);
        const PersonTerms terms{.informed_weight = learned ? 0.0 : 1.0,
                                .learned_weight = learned ? 1.0 : 0.0,
                                .balanced = false,
                                .self_donor = self};
        const PoolTask task{.pool = made->pool,
                            .terms = terms,
                            .multiplier = 0.5 * seed,
                            .tolerance = 0.1 * kMillibit * static_cast<double>(made->pool.size()),
                            .max_iterations = 5000};
        const auto answer = solve_pool_sparse(task);
        expect_solved(task, answer);
        const double optimum = optimum_by_clusters(task);
        EXPECT_NEAR(answer.objective, optimum, task.tolerance + 1e-6 * scale_of(task));
        EXPECT_LE(answer.lower_bound, optimum + 1e-7 * scale_of(task));
        EXPECT_TRUE(answer.all_donors);
      }
  }
}

struct Reference {
  double objective;
  double column_error;  ///< of all columns: scalings do not always get to the end
};

/// Mirror descent with the step that never goes uphill, on all pairs and in double: slow and simple.
Reference balanced_reference(const PoolTask& task) {
  const auto people = static_cast<Index>(task.pool.size());
  const MatrixXd table = distance_table(task.pool);
  MatrixXd channel = MatrixXd::Ones(people, people);
  if (!task.terms.self_donor) channel.diagonal().setZero();
  const auto balance = [&] {
    for (int round = 0; round < 300; ++round) {
      const VectorXd columns = channel.colwise().sum().transpose();
      if ((columns.array() - 1).abs().maxCoeff() < 1e-11) return;
      channel.array().rowwise() /= columns.transpose().array();
      const VectorXd rows = channel.rowwise().sum();
      channel.array().colwise() /= rows.array();
    }
  };
  const auto add_gradient = [&](double weight, const MatrixXd& weights, MatrixXd& gradient) {
    const MatrixXd joint = weights.transpose() * channel;
    for (Index j = 0; j < people; ++j)
      for (Index y = 0; y < weights.cols(); ++y)
        if (joint(y, j) > 0)
          gradient.col(j) +=
              weight * weights.col(y) * std::log(joint(y, j) / (weights.col(y).mean() * joint.col(j).sum()));
  };
  balance();
  for (int iteration = 0; iteration < 400; ++iteration) {
    MatrixXd gradient = task.multiplier * table;
    add_gradient(task.terms.informed_weight, one_hot(task.pool), gradient);
    add_gradient(task.terms.learned_weight, task.pool.learned.cast<double>(), gradient);
    channel.array() *= (-gradient.array()).exp();
    balance();
  }
  return {.objective = objective(task, channel),
          .column_error = (channel.colwise().sum().array() - 1).abs().sum()};
}

TEST(PersonSparse, BalancedChannelsAreAsGoodAsThoseOfASlowReference) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto made = random_pool(seed, 2 + seed, 2 + seed % 3);
    for (const bool self : {true, false})
      for (const double learned : {0.0, 0.4, 1.0}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " self " << self << " learned " << learned);
        const PersonTerms terms{
            .informed_weight = 1 - learned, .learned_weight = learned, .balanced = true, .self_donor = self};
        const PoolTask task{.pool = made->pool,
                            .terms = terms,
                            .multiplier = 0.8 * seed,
                            .tolerance = 0.2 * kMillibit * static_cast<double>(made->pool.size()),
                            .max_iterations = 5000};
        const auto answer = solve_pool_sparse(task);
        expect_solved(task, answer);
        const auto reference = balanced_reference(task);
        const double slack = 10 * reference.column_error + 1e-8;  // no column has a higher price here
        EXPECT_LE(answer.objective, reference.objective + task.tolerance + slack);
        EXPECT_LE(answer.lower_bound, reference.objective + slack);
        EXPECT_LE(reference.objective, answer.objective + 2e-3 * scale_of(task));  // it converges slowly
      }
  }
}

TEST(PersonSparse, NoDoublyStochasticMatrixIsBelowTheBound) {
  std::mt19937 rng(3);
  const auto made = random_pool(5, 6, 2);
  const PersonTerms terms{.informed_weight = 0.7, .learned_weight = 0.3, .balanced = true};
  for (const double multiplier : {0.05, 0.5, 5.0}) {
    const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = multiplier, .tolerance = 1e-3};
    const auto answer = solve_pool_sparse(task);
    const MatrixXd best = dense(answer.channel);
    for (int trial = 0; trial < 200; ++trial) {
      MatrixXd channel = MatrixXd::Zero(6, 6);
      std::vector<Index> donors(6);
      std::iota(donors.begin(), donors.end(), 0);
      for (int part = 0; part < 4; ++part) {
        std::ranges::shuffle(donors, rng);
        for (Index u = 0; u < 6; ++u) channel(u, donors[static_cast<std::size_t>(u)]) += 0.25;
      }
      // near the optimum too
      const double share = trial % 2 == 0 ? 1.0 : 0.02;
      EXPECT_GE(objective(task, share * channel + (1 - share) * best), answer.lower_bound - 1e-9);
    }
  }
}

/// The same problem on all pairs at once: no pricing, another certificate.
TEST(PersonSparse, GrowingSupportReachesTheOptimumOfAllPairs) {
  const auto made = random_pool(11, 60, 4);
  PersonPool everybody = made->pool;
  std::vector<std::uint32_t> all(everybody.size());
  std::iota(all.begin(), all.end(), 0u);
  everybody.candidates.assign(everybody.size(), all);
  for (const bool balanced : {false, true})
    for (const double learned : {0.0, 0.5, 1.0}) {
      SCOPED_TRACE(testing::Message() << "balanced " << balanced << " learned " << learned);
      const PersonTerms terms{
          .informed_weight = 1 - learned, .learned_weight = learned, .balanced = balanced};
      const double tolerance = kMillibit * static_cast<double>(everybody.size());
      const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 2, .tolerance = tolerance};
      const PoolTask full{.pool = everybody, .terms = terms, .multiplier = 2, .tolerance = tolerance};
      const auto answer = solve_pool_sparse(task);
      const auto reference = solve_pool_sparse(full);
      expect_solved(task, answer);
      expect_solved(full, reference);
      EXPECT_TRUE(answer.all_donors);
      EXPECT_FALSE(reference.all_donors);
      EXPECT_LE(answer.lower_bound, reference.objective);
      EXPECT_LE(reference.lower_bound, answer.objective);
    }
}

TEST(PersonSparse, FinerTolerancesAreReachedToo) {
  const auto made = random_pool(12, 60, 3);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made->pool,
                        .terms = terms,
                        .multiplier = 3,
                        .tolerance = 0.01 * kMillibit * static_cast<double>(made->pool.size())};
    expect_solved(task, solve_pool_sparse(task));
  }
}

TEST(PersonSparse, AWarmStartGivesTheSameAnswer) {
  const auto made = random_pool(13, 120, 4);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 2, .tolerance = kMillibit * 120};
    const auto before = solve_pool_sparse(task);
    task.multiplier = 2.2;
    const auto cold = solve_pool_sparse(task);
    task.start = &before.channel;
    const auto warm = solve_pool_sparse(task);
    expect_solved(task, cold);
    expect_solved(task, warm);
    EXPECT_LE(warm.lower_bound, cold.objective);
    EXPECT_LE(cold.lower_bound, warm.objective);
  }
}

TEST(PersonSparse, TheNumberOfThreadsDoesNotMatter) {
  const auto made = random_pool(14, 300, 4);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.informed_weight = 0.6, .learned_weight = 0.4, .balanced = balanced};
    const PoolTask task{
        .pool = made->pool, .terms = terms, .multiplier = 1, .tolerance = 0, .max_iterations = 40};
    const auto solve_on = [&](int threads) {
      const ThreadLimit limit(threads);
      return solve_pool_sparse(task);
    };
    const auto one = solve_on(1), two = solve_on(2);
    EXPECT_EQ(one.channel.donors, two.channel.donors);
    EXPECT_EQ(one.channel.probabilities, two.channel.probabilities);
    EXPECT_EQ(one.objective, two.objective);
    EXPECT_EQ(one.lower_bound, two.lower_bound);
  }
}

TEST(PersonSparse, CandidatesAreKeptTo) {
  const auto made = random_pool(15, 40, 3);
  PersonPool pool = made->pool;
  for (std::uint32_t u = 0; u < 40; ++u) {
    pool.candidates.push_back({u, (u + 3) % 40, (u + 7) % 40, (u + 20) % 40});
    std::ranges::sort(pool.candidates.back());
  }
  const PersonTerms free{.balanced = false};
  const PoolTask task{.pool = pool, .terms = free, .multiplier = 1, .tolerance = kMillibit * 40};
  const auto answer = solve_pool_sparse(task);
  expect_solved(task, answer);
  EXPECT_FALSE(answer.all_donors);
  for (std::size_t u = 0; u < 40; ++u)
    for (std::size_t k = answer.channel.starts[u]; k < answer.channel.starts[u + 1]; ++k)
      EXPECT_TRUE(std::ranges::binary_search(pool.candidates[u], answer.channel.donors[k]));

  const PersonTerms balanced{.balanced = true, .self_donor = false};
  const PoolTask other{.pool = pool, .terms = balanced, .multiplier = 1, .tolerance = kMillibit * 40};
  expect_solved(other, solve_pool_sparse(other));
}

/// Whatever channel there is on the candidates, it is not below the bound.
TEST(PersonSparse, TheBoundHoldsForEveryChannelOnTheCandidates) {
  const auto made = random_pool(24, 40, 3);
  PersonPool pool = made->pool;
  for (std::uint32_t u = 0; u < 40; ++u) {
    pool.candidates.push_back({u, (u + 1) % 40, (u + 3) % 40, (u + 11) % 40});
    std::ranges::sort(pool.candidates.back());
  }
  std::mt19937 rng(5);
  std::gamma_distribution<double> weight(0.3);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.informed_weight = 0.6, .learned_weight = 0.4, .balanced = balanced};
    const PoolTask task{.pool = pool, .terms = terms, .multiplier = 1.5, .tolerance = kMillibit * 40};
    const auto answer = solve_pool_sparse(task);
    expect_solved(task, answer);
    const MatrixXd best = dense(answer.channel);
    for (int trial = 0; trial < 100; ++trial) {
      MatrixXd other = MatrixXd::Zero(40, 40);
      const double shift_weights[] = {weight(rng), weight(rng), weight(rng), weight(rng) + 1e-9};
      const std::uint32_t shifts[] = {0, 1, 3, 11};
      for (std::uint32_t u = 0; u < 40; ++u)
        for (int k = 0; k < 4; ++k)
          other(u, (u + shifts[k]) % 40) += balanced ? shift_weights[k] : weight(rng);
      other.array().colwise() /= other.rowwise().sum().array().eval();
      const double share = trial % 2 == 0 ? 1.0 : 0.02;  // near the optimum too
      EXPECT_GE(objective(task, share * other + (1 - share) * best), answer.lower_bound - 1e-9);
    }
  }
}

/// Candidates on a long ring: mass is slow to flow round it, and what scalings leave is moved.
TEST(PersonSparse, BalancedChannelsLeaveTheirCandidatesForLessThanAThousandth) {
  const std::uint32_t people = 300;
  const auto made = random_pool(25, people, 3);
  PersonPool pool = made->pool;
  for (std::uint32_t u = 0; u < people; ++u) {
    pool.candidates.push_back({u, (u + 1) % people, (u + 2) % people, (u + people - 1) % people});
    std::ranges::sort(pool.candidates.back());
  }
  for (const bool self : {true, false}) {
    const PersonTerms terms{.balanced = true, .self_donor = self};
    const PoolTask task{.pool = pool, .terms = terms, .multiplier = 1, .tolerance = kMillibit * people};
    const auto answer = solve_pool_sparse(task);
    expect_solved(task, answer);
    double strays = 0;
    for (std::size_t u = 0; u < people; ++u)
      for (std::size_t k = answer.channel.starts[u]; k < answer.channel.starts[u + 1]; ++k)
        if (!std::ranges::binary_search(pool.candidates[u], answer.channel.donors[k]))
          strays += answer.channel.probabilities[k];
    EXPECT_LE(strays, 1e-3 * people);
  }
}

TEST(PersonSparse, PoolsOfOneTwoAndThree) {
  for (Index people = 1; people <= 3; ++people)
    for (const bool balanced : {false, true})
      for (const bool self : {false, true}) {
        SCOPED_TRACE(testing::Message() << people << " balanced " << balanced << " self " << self);
        const auto made = random_pool(16, people, 2);
        const PersonTerms terms{
            .informed_weight = 0.5, .learned_weight = 0.5, .balanced = balanced, .self_donor = self};
        const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 1, .tolerance = kMillibit};
        const auto answer = solve_pool_sparse(task);
        expect_solved(task, answer);
        const MatrixXd channel = dense(answer.channel);
        EXPECT_TRUE(people > 1 || std::abs(answer.objective) < 1e-12);
        EXPECT_TRUE(people != 2 || self || std::abs(channel(0, 1) - 1) < 1e-12);
      }
}

TEST(PersonSparse, OneValueLeaksNothingAndEverybodyStaysNear) {
  const auto made = random_pool(17, 50, 1);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 4, .tolerance = kMillibit * 50};
    const auto answer = solve_pool_sparse(task);
    expect_solved(task, answer);
    EXPECT_NEAR(answer.objective, 0, task.tolerance);
  }
}

TEST(PersonSparse, IdenticalRowsCostNothing) {
  const auto shape = random_pool(18, 60, 3);
  TestPool made(DistanceMatrix::Table::Zero(60, 60), shape->pool.value_of_person, 3);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made.pool, .terms = terms, .multiplier = 4, .tolerance = kMillibit * 60};
    const auto answer = solve_pool_sparse(task);
    expect_solved(task, answer);
    EXPECT_NEAR(answer.objective, 0, task.tolerance);
  }
}

TEST(PersonSparse, MultiplierZeroHidesEverything) {
  const auto made = random_pool(19, 100, 4);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 0, .tolerance = kMillibit * 100};
    const auto answer = solve_pool_sparse(task);
    expect_solved(task, answer);
    EXPECT_GE(answer.lower_bound, -1e-9);
  }
}

TEST(PersonSparse, AHugeMultiplierPublishesOwnRows) {
  const auto made = random_pool(20, 100, 4);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 1e7, .tolerance = kMillibit * 100};
    const auto answer = solve_pool_sparse(task);
    expect_solved(task, answer);
    EXPECT_EQ(dense(answer.channel), MatrixXd::Identity(100, 100));
  }
}

TEST(PersonSparse, ThousandsOfValues) {
  const auto shape = random_pool(21, 150, 2);
  std::vector<std::uint32_t> values(150);
  for (std::uint32_t u = 0; u < 150; ++u) values[u] = 7 + 33 * u;  // each their own, most values of nobody
  DistanceMatrix::Table table = distance_table(shape->pool).cast<float>();
  TestPool made(std::move(table), values, 5000);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made.pool, .terms = terms, .multiplier = 2, .tolerance = kMillibit * 150};
    expect_solved(task, solve_pool_sparse(task));
  }
}

TEST(PersonSparse, SlicesOfValuesGiveTheSameBoundAsOneTable) {
  const auto made = random_pool(22, 90, 7);
  const std::vector<float> nearest(90, 0.0f);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 2, .tolerance = 1};
    PoolDuals duals{.rows = std::vector<double>(90),
                    .columns = std::vector<double>(90, 0.0),
                    .learned = {},
                    .learned_excess = {}};
    for (std::size_t u = 0; u < 90; ++u) duals.rows[u] = 0.3 + 0.1 * std::sin(static_cast<double>(u));
    const auto whole = bound_on_all_pairs(task, nearest, duals, 0.01);
    const auto sliced = bound_on_all_pairs(task, nearest, duals, 0.01, 2 * 90);
    EXPECT_NEAR(whole.bound, sliced.bound, 1e-12 * std::abs(whole.bound));
    std::size_t added = 0;
    for (std::size_t u = 0; u < 90; ++u) {
      EXPECT_EQ(whole.additions[u].size(), sliced.additions[u].size());
      added += whole.additions[u].size();
    }
    EXPECT_GT(added, 0u);
  }
}

TEST(PersonSparse, APatternThatNoScalingBalancesIsRepairedBeforeFactorsOverflow) {
  // Ties on a coarse grid, nobody their own donor, a price that leaves few pairs: factors grew to infinity.
  for (const unsigned seed : {35u, 45u, 59u}) {
    std::mt19937 rng(seed);
    const auto people = static_cast<Index>(3 + seed % 12);
    std::uniform_int_distribution<int> place(0, 3);
    const MatrixXd points = MatrixXd::NullaryExpr(people, 2, [&] { return place(rng); });
    DistanceMatrix::Table table(people, people);
    for (Index u = 0; u < people; ++u)
      for (Index v = 0; v < people; ++v)
        table(u, v) = static_cast<float>(0.1 * (points.row(u) - points.row(v)).lpNorm<1>());
    std::vector<std::uint32_t> values;
    for (Index u = 0; u < people; ++u) values.push_back(static_cast<std::uint32_t>(rng() % 2));
    const TestPool made(std::move(table), std::move(values), 2);
    const PersonTerms terms{.balanced = true, .self_donor = false};
    for (const double multiplier : {1e4, 1e5}) {
      const PoolTask task{.pool = made.pool,
                          .terms = terms,
                          .multiplier = multiplier,
                          .tolerance = 1e-3 * static_cast<double>(people)};
      const PoolAnswer answer = solve_pool_sparse(task);
      const MatrixXd channel = dense(answer.channel);
      ASSERT_TRUE(channel.allFinite());
      EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
      EXPECT_LE((channel.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
      EXPECT_TRUE(std::isfinite(answer.objective));
    }
  }
}

TEST(PersonSparse, StopsWhenAsked) {
  const auto made = random_pool(23, 100, 3);
  const PersonTerms terms;
  const PoolTask task{.pool = made->pool, .terms = terms, .multiplier = 1, .tolerance = 0};
  const std::atomic<bool> stop = true;
  EXPECT_THROW((void)solve_pool_sparse(task, Progress({}, &stop)), Stopped);
}

}  // namespace
}  // namespace hyobscure::solve
