#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-6;  // nats, of a whole pool

PoolAnswer solve(const OwnedPool& owned, const PersonTerms& terms, double multiplier,
                 double tolerance = kTolerance) {
  return solve_pool_dense(
      {.pool = owned.pool, .terms = terms, .multiplier = multiplier, .tolerance = tolerance});
}

/// m I(Y; V) + multiplier * distance, from the definitions.
double objective_of(const OwnedPool& owned, const MatrixXd& channel, double multiplier) {
  const auto people = static_cast<double>(owned.pool.size());
  return people * group_leakage(one_person_clusters({&owned, 1}).joints.front(), channel) +
         multiplier * channel.cwiseProduct(owned.distance).sum();
}

void expect_valid(const OwnedPool& owned, const PersonTerms& terms, const PoolAnswer& answer) {
  const MatrixXd channel = dense(answer.channel);
  EXPECT_GE(channel.minCoeff(), 0);
  EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  if (terms.balanced) {
    EXPECT_LE((channel.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  }
  if (!terms.self_donor && owned.pool.size() > 1) {
    EXPECT_EQ(channel.diagonal().maxCoeff(), 0);
  }
  for (std::size_t u = 0; u < answer.channel.size(); ++u)
    EXPECT_TRUE(
        std::is_sorted(answer.channel.donors.begin() + static_cast<Index>(answer.channel.starts[u]),
                       answer.channel.donors.begin() + static_cast<Index>(answer.channel.starts[u + 1])));
}

void expect_solved(const OwnedPool& owned, const PersonTerms& terms, double multiplier,
                   const PoolAnswer& answer, double tolerance = kTolerance) {
  expect_valid(owned, terms, answer);
  EXPECT_NEAR(answer.objective, objective_of(owned, dense(answer.channel), multiplier),
              1e-10 * (1 + answer.objective));
  EXPECT_NEAR(answer.distance, dense(answer.channel).cwiseProduct(owned.distance).sum(), 1e-10);
  EXPECT_LE(answer.lower_bound, answer.objective + 1e-12 * (1 + answer.objective));
  EXPECT_LE(answer.objective - answer.lower_bound, tolerance);
  EXPECT_TRUE(answer.all_donors);
}

std::vector<PersonTerms> all_terms() {
  return {{.balanced = false, .self_donor = true},
          {.balanced = true, .self_donor = true},
          {.balanced = false, .self_donor = false},
          {.balanced = true, .self_donor = false}};
}

class PersonDense : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Seeds, PersonDense, testing::Range(1U, 9U));

TEST_P(PersonDense, FindsTheOptimumOfTheClusterSolver) {
  const unsigned seed = GetParam();
  const OwnedPool owned = random_pool(seed, 4 + seed, 2 + seed % 3);
  const auto people = static_cast<double>(owned.pool.size());
  for (const double multiplier : {0.3, 2.0, 20.0}) {
    const PersonTerms terms{.balanced = false};
    const auto answer = solve(owned, terms, multiplier);
    expect_solved(owned, terms, multiplier, answer);
    const auto clusters = solve_with_multiplier(one_person_clusters({&owned, 1}), multiplier);
    const double optimum = people * (clusters.info.leakage_nats + multiplier * clusters.info.distance);
    EXPECT_NEAR(answer.objective, optimum, 2 * kTolerance);
  }
}

/// Balanced channels are mixes of permutations (Birkhoff): exponentiated gradient on the weights of all of
/// them, which lowers the objective in every step of length 1/people.
double best_mix_of_permutations(const OwnedPool& owned, double multiplier, bool own) {
  const Index people = owned.distance.rows();
  std::vector<std::vector<Index>> permutations;
  std::vector<Index> donors(owned.pool.size());
  std::iota(donors.begin(), donors.end(), Index{0});
  do {
    bool allowed = true;
    for (std::size_t u = 0; u < donors.size(); ++u)
      allowed = allowed && (own || donors[u] != static_cast<Index>(u));
    if (allowed) permutations.push_back(donors);
  } while (std::ranges::next_permutation(donors).found);

  const MatrixXd joint = one_person_clusters({&owned, 1}).joints.front() * static_cast<double>(people);
  const VectorXd shares = joint.colwise().sum().transpose() / static_cast<double>(people);
  VectorXd weights = VectorXd::Constant(static_cast<Index>(permutations.size()),
                                        1 / static_cast<double>(permutations.size()));
  MatrixXd channel(people, people);
  const auto mix = [&] {
    channel.setZero();
    for (std::size_t k = 0; k < permutations.size(); ++k)
      for (Index u = 0; u < people; ++u)
        channel(u, permutations[k][static_cast<std::size_t>(u)]) += weights(static_cast<Index>(k));
  };
  for (int step = 0; step < 4000; ++step) {
    mix();
    const MatrixXd published = joint.transpose() * channel;  // values x donors; columns sum to 1
    const MatrixXd scores = (published.cwiseMax(1e-300).array().colwise() / shares.array()).log();
    const MatrixXd gradient = joint * scores + multiplier * owned.distance;
    for (std::size_t k = 0; k < permutations.size(); ++k) {
      double slope = 0;
      for (Index u = 0; u < people; ++u) slope += gradient(u, permutations[k][static_cast<std::size_t>(u)]);
      weights(static_cast<Index>(k)) *= std::exp(-slope / static_cast<double>(people));
    }
    weights /= weights.sum();
  }
  mix();
  return objective_of(owned, channel, multiplier);
}

TEST_P(PersonDense, FindsTheBestMixOfPermutationsWhenBalanced) {
  const unsigned seed = GetParam();
  const OwnedPool owned = random_pool(seed, 3 + seed % 3, 2);
  for (const bool own : {true, false})
    for (const double multiplier : {0.5, 3.0}) {
      const PersonTerms terms{.balanced = true, .self_donor = own};
      const auto answer = solve(owned, terms, multiplier);
      expect_solved(owned, terms, multiplier, answer);
      const double slow = best_mix_of_permutations(owned, multiplier, own);
      EXPECT_LE(answer.lower_bound, slow + 1e-9);
      EXPECT_NEAR(answer.objective, slow, 2e-3);  // what 4000 steps of the slow method reach
    }
}

TEST_P(PersonDense, FindsTheCheapestDonorsWhenDistanceIsAllThatCounts) {
  const OwnedPool owned = random_pool(GetParam(), 7, 3);
  const double multiplier = 1e5;
  const double most_leakage = 7 * std::log(3.0);
  for (const auto& terms : all_terms()) {
    MatrixXd cost = owned.distance;
    if (!terms.self_donor) cost.diagonal().setConstant(100);
    const double cheapest = terms.balanced ? cheapest_permutation(cost) : cost.rowwise().minCoeff().sum();
    const auto answer = solve(owned, terms, multiplier, 1e-4);
    expect_solved(owned, terms, multiplier, answer, 1e-4);
    EXPECT_GE(answer.objective, multiplier * cheapest - 1e-4);
    EXPECT_LE(answer.objective, multiplier * cheapest + most_leakage + 1e-4);
  }
}

TEST_P(PersonDense, MeetsItsToleranceForAllTermsAndPrices) {
  const OwnedPool owned = random_pool(100 + GetParam(), 30, 5);
  for (const auto& terms : all_terms())
    for (const double multiplier : {0.0, 0.05, 1.0, 8.0, 100.0})
      expect_solved(owned, terms, multiplier, solve(owned, terms, multiplier));
}

TEST_P(PersonDense, DoesNotCareAboutTheOrderOfPeople) {
  const OwnedPool owned = random_pool(GetParam(), 12, 3);
  std::vector<Index> order(12);
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::shuffle(order, std::mt19937(GetParam()));
  std::vector<std::uint32_t> values;
  for (const Index u : order) values.push_back(2 - owned.pool.value_of_person[static_cast<std::size_t>(u)]);
  const OwnedPool shuffled = make_pool(owned.distance(order, order), values);
  for (const auto& terms : all_terms())
    EXPECT_NEAR(solve(owned, terms, 2).objective, solve(shuffled, terms, 2).objective, kTolerance);
}

TEST_P(PersonDense, TwiceThePeopleLeakTwiceAsMuchInAll) {
  const OwnedPool owned = random_pool(GetParam(), 8, 3);
  std::vector<std::uint32_t> values = owned.pool.value_of_person;
  values.insert(values.end(), values.begin(), values.end());
  const OwnedPool twice = make_pool(owned.distance.replicate(2, 2), values);
  for (const bool balanced : {false, true})
    EXPECT_NEAR(2 * solve(owned, {.balanced = balanced}, 2).objective,
                solve(twice, {.balanced = balanced}, 2).objective, 3 * kTolerance);
}

TEST_P(PersonDense, CutShortItStillReturnsAValidChannelAndAnHonestBound) {
  const OwnedPool owned = random_pool(GetParam(), 15, 3);
  for (const auto& terms : all_terms()) {
    const double optimum = solve(owned, terms, 3).objective;
    const auto answer = solve_pool_dense(
        {.pool = owned.pool, .terms = terms, .multiplier = 3, .tolerance = kTolerance, .max_iterations = 6});
    expect_valid(owned, terms, answer);
    EXPECT_GE(answer.objective, optimum - kTolerance);
    EXPECT_LE(answer.lower_bound, optimum + 1e-12);
  }
}

TEST(PersonDenseEdges, OneAndTwoPeople) {
  const OwnedPool alone = make_pool(MatrixXd::Constant(1, 1, 0.5), {0});
  const OwnedPool two = make_pool(MatrixXd{{0, 0.25}, {0.5, 0}}, {0, 1});
  for (const auto& terms : all_terms()) {
    const auto answer = solve(alone, terms, 2);
    expect_solved(alone, terms, 2, answer);
    EXPECT_DOUBLE_EQ(answer.objective, 1);
    expect_solved(two, terms, 1, solve(two, terms, 1));
  }
  EXPECT_DOUBLE_EQ(solve(two, {.balanced = true, .self_donor = false}, 1).objective,
                   0.75 + 2 * std::log(2.0));  // swapped: each tells who the other is
  // Free, both publish person 1: telling them apart would save 0.25 and cost 2 log 2.
  EXPECT_NEAR(solve(two, {.balanced = false}, 1).objective, 0.25, kTolerance);
}

TEST(PersonDenseEdges, IdenticalPeopleHideBehindEachOther) {
  const OwnedPool owned = make_pool(MatrixXd::Zero(6, 6), {0, 0, 1, 1, 2, 2});
  for (const auto& terms : all_terms()) {
    const auto answer = solve(owned, terms, 1);
    expect_solved(owned, terms, 1, answer);
    EXPECT_NEAR(answer.objective, 0, kTolerance);
  }
}

TEST(PersonDenseEdges, OneValueLeavesNothingToHide) {
  OwnedPool owned = random_pool(3, 9, 1);
  owned.pool.values = 5;  // values that nobody has
  owned.pool.value_of_person.assign(9, 3);
  for (const auto& terms : all_terms()) {
    MatrixXd cost = owned.distance;
    if (!terms.self_donor) cost.diagonal().setConstant(100);
    const double cheapest = terms.balanced ? cheapest_permutation(cost) : cost.rowwise().minCoeff().sum();
    const auto answer = solve(owned, terms, 1);
    expect_valid(owned, terms, answer);
    EXPECT_NEAR(answer.objective, cheapest, kTolerance);
  }
}

TEST(PersonDenseEdges, EverybodyDifferentAndNobodyAsThemselves) {
  OwnedPool owned = random_pool(4, 5, 5);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced, .self_donor = false};
    for (const double multiplier : {0.0, 1.0, 50.0})
      expect_solved(owned, terms, multiplier, solve(owned, terms, multiplier));
  }
}

TEST(PersonDenseEdges, APriceBeyondItsNumbersStillGivesAChannel) {
  // Many pairs are equally near; from 1e11 on no factor of the row sums had any digits, and NaN was accepted.
  std::mt19937 rng(13);
  const auto people = static_cast<Index>(10 + rng() % 30);
  const OwnedPool owned = pool_of_ties(rng, people, 3, 3);
  const PersonTerms terms{.balanced = true, .self_donor = false};
  for (const double multiplier : {1e7, 1e11, 1e13}) {
    const PoolAnswer answer = solve_pool_dense({.pool = owned.pool,
                                                .terms = terms,
                                                .multiplier = multiplier,
                                                .tolerance = 1e-6 * static_cast<double>(people),
                                                .max_iterations = 300});
    EXPECT_TRUE(std::isfinite(answer.objective));
    EXPECT_TRUE(dense(answer.channel).allFinite());
    expect_valid(owned, terms, answer);
  }
}

TEST(PersonDenseEdges, WeighsTheAttacker) {
  const OwnedPool owned = random_pool(5, 10, 3);
  const double once = solve(owned, {.balanced = true}, 2).objective;
  EXPECT_NEAR(solve(owned, {.informed_weight = 0.5, .balanced = true}, 1).objective, once / 2, kTolerance);
}

}  // namespace
}  // namespace hyobscure::solve
