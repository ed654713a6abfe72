#include "hyobscure/solve/person/person_extremes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

/// Balanced or free, with and without oneself.
std::vector<PersonTerms> informed_terms() {
  std::vector<PersonTerms> all;
  for (const bool balanced : {false, true})
    for (const bool own : {false, true}) all.push_back({.balanced = balanced, .self_donor = own});
  return all;
}

Eigen::MatrixXd with_own_rows_forbidden(Eigen::MatrixXd distance, bool own) {
  if (!own && distance.rows() > 1) distance.diagonal().setConstant(1e3);
  return distance;
}

/// The smallest total distance, by trying all there is.
double smallest_by_enumeration(const Eigen::MatrixXd& cost, bool balanced) {
  return balanced ? cheapest_permutation(cost) : cost.rowwise().minCoeff().sum();
}

void expect_rows_and_columns(const PersonTerms& terms, const Eigen::MatrixXd& channel) {
  EXPECT_GE(channel.minCoeff(), 0);
  EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  if (terms.balanced) {
    EXPECT_LE((channel.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  }
  if (!terms.self_donor && channel.rows() > 1) {
    EXPECT_EQ(channel.diagonal().maxCoeff(), 0);
  }
}

/// Distances of few different sizes: many ties, and a diagonal that is not zero.
OwnedPool tied_pool(unsigned seed, Eigen::Index people) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<int> size(1, 4);
  std::vector<std::uint32_t> values;
  for (Eigen::Index u = 0; u < people; ++u) values.push_back(static_cast<std::uint32_t>(u % 2));
  return make_pool(Eigen::MatrixXd::NullaryExpr(people, people, [&] { return 0.25 * size(rng); }), values);
}

TEST(PersonExtremes, NoChannelIsNearerThanTheCheapestAndItsPricesProveIt) {
  for (const PersonTerms& terms : informed_terms())
    for (unsigned seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(name_of(terms) + ", seed " + std::to_string(seed));
      const OwnedPool owned = tied_pool(seed, 2 + seed % 5);
      const CheapestChannel cheapest = cheapest_channel(owned.pool, terms);
      const Eigen::MatrixXd cost = with_own_rows_forbidden(owned.distance, terms.self_donor);
      EXPECT_NEAR(cheapest.distance, smallest_by_enumeration(cost, terms.balanced), 1e-12);
      ASSERT_TRUE(cheapest.channel.has_value());
      const Eigen::MatrixXd channel = dense(*cheapest.channel);
      expect_rows_and_columns(terms, channel);
      EXPECT_NEAR(channel.cwiseProduct(owned.distance).sum(), cheapest.distance, 1e-12);
      for (Eigen::Index u = 0; u < cost.rows(); ++u)
        for (Eigen::Index j = 0; j < cost.cols(); ++j) {
          const double price = cheapest.person_prices(u) + cheapest.donor_prices(j);
          EXPECT_LE(price, cost(u, j) + 1e-12);
          if (channel(u, j) > 0) {
            EXPECT_NEAR(price, cost(u, j), 1e-12);
          }
        }
    }
}

TEST(PersonExtremes, TheBoundForCandidatesIsBelowEveryPermutationOfThem) {
  std::mt19937 rng(1);
  int tight = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const bool own = seed % 2 == 0;
    const PersonTerms terms{.balanced = true, .self_donor = own};
    OwnedPool owned = tied_pool(100 + seed, 6);
    owned.pool.candidates.resize(6);
    Eigen::MatrixXd cost = Eigen::MatrixXd::Constant(6, 6, 1e3);
    for (std::uint32_t u = 0; u < 6; ++u) {
      for (std::uint32_t j = 0; j < 6; ++j)
        if (j == (u + 3) % 6 || rng() % 3 == 0) owned.pool.candidates[u].push_back(j);
      for (const std::uint32_t j : considered_donors(owned.pool, terms, u)) cost(u, j) = owned.distance(u, j);
    }
    const CheapestChannel cheapest = cheapest_channel(owned.pool, terms);
    const double least = cheapest_permutation(cost);
    EXPECT_FALSE(cheapest.channel.has_value());
    EXPECT_LE(cheapest.distance, least + 1e-12);
    // never worse than either simple bound: each person's nearest donor, each donor's nearest person
    EXPECT_GE(cheapest.distance, cost.rowwise().minCoeff().sum() - 1e-12);
    EXPECT_GE(cheapest.distance, cost.colwise().minCoeff().sum() - 1e-12);
    tight += cheapest.distance > least - 1e-9 ? 1 : 0;
  }
  EXPECT_GT(tight, 0);
}

TEST(PersonExtremes, HarmlessChannelsLeakNothingToTheInformedAttacker) {
  const std::vector<std::vector<std::uint32_t>> crowds{
      {0}, {0, 0}, {0, 1}, {0, 0, 1}, {0, 0, 1, 1, 1, 2, 2}, {0, 1, 1, 2, 2, 2, 3}, {0, 1, 2, 3}};
  for (const PersonTerms& terms : informed_terms())
    for (const auto& values : crowds) {
      SCOPED_TRACE(name_of(terms) + ", people " + std::to_string(values.size()));
      const auto people = static_cast<std::uint32_t>(values.size());
      const OwnedPool owned = make_pool(solve::random_pool(3, people, 1).distance, values);
      const HarmlessChannel end = harmless_channel(owned.pool, terms);
      ASSERT_TRUE(end.channel.has_value());
      const Eigen::MatrixXd channel = dense(*end.channel);
      expect_rows_and_columns(terms, channel);
      EXPECT_NEAR(end.distance, channel.cwiseProduct(owned.distance).sum(), 1e-12);
      const auto of_value = [&](std::uint32_t value) { return std::ranges::count(values, value); };
      const auto alone = std::ranges::count_if(values, [&](auto value) { return of_value(value) == 1; });
      const bool possible =
          terms.self_donor || people == 1 || alone == 0 || (!terms.balanced && alone < people);
      EXPECT_EQ(end.harmless, possible);
      const double leak = information_by_definition(informed_beliefs(owned.pool), channel);
      if (possible)
        EXPECT_NEAR(leak, 0, 1e-13);
      else
        EXPECT_GT(leak, 0.01);
    }
}

TEST(PersonExtremes, TheHubIsTheOneDonorThatIsNearestToEverybody) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const OwnedPool owned = solve::random_pool(seed, 30, 3);
    const HarmlessChannel end = harmless_channel(owned.pool, {.balanced = false});
    EXPECT_NEAR(end.distance, owned.distance.colwise().sum().minCoeff(), 1e-12);
  }
}

TEST(PersonExtremes, PoolsWithCandidatesCountTheirMeanDistance) {
  OwnedPool owned = solve::random_pool(4, 5, 2);
  owned.pool.candidates = {{1, 2}, {0, 1}, {3}, {0, 2, 4}, {4}};
  const HarmlessChannel end = harmless_channel(owned.pool, {.balanced = false});
  double expected = 0;
  for (std::size_t u = 0; u < 5; ++u)
    for (const std::uint32_t j : owned.pool.candidates[u])
      expected += owned.distance(at(u), j) / static_cast<double>(owned.pool.candidates[u].size());
  EXPECT_NEAR(end.distance, expected, 1e-12);
  EXPECT_FALSE(end.harmless);
  EXPECT_FALSE(end.channel.has_value());
}

TEST(PersonExtremes, OnlyPairsOfTheSmallestDistanceAreLeft) {
  for (const PersonTerms& terms : informed_terms())
    for (unsigned seed = 0; seed < 20; ++seed) {
      SCOPED_TRACE(name_of(terms) + ", seed " + std::to_string(seed));
      const OwnedPool owned = tied_pool(200 + seed, 5);
      const CheapestChannel cheapest = cheapest_channel(owned.pool, terms);
      const PoolTask task{.pool = owned.pool, .terms = terms};
      std::mt19937 rng(seed);
      const Eigen::MatrixXd full = channel_within(task, rng, 1);
      SparseChannel channel;
      for (Eigen::Index u = 0; u < 5; ++u) {
        for (Eigen::Index j = 0; j < 5; ++j)
          if (full(u, j) > 0) {
            channel.donors.push_back(static_cast<std::uint32_t>(j));
            channel.probabilities.push_back(full(u, j));
          }
        channel.starts.push_back(channel.donors.size());
      }
      const SparseChannel left = on_cheapest_pairs(owned.pool, terms, cheapest, channel);
      const Eigen::MatrixXd result = dense(left);
      expect_rows_and_columns(terms, result);
      // Free, nothing but nearest donors can be left; balanced, a support that scalings cannot balance is
      // filled.
      if (!terms.balanced) {
        EXPECT_NEAR(result.cwiseProduct(owned.distance).sum(), cheapest.distance, 1e-12);
      }
      EXPECT_GE(result.cwiseProduct(owned.distance).sum(), cheapest.distance - 1e-9);
    }
}

TEST(PersonExtremes, AChannelWithoutAnySuchPairIsReplacedByTheCheapest) {
  const OwnedPool owned = make_pool((Eigen::MatrixXd(2, 2) << 0, 1, 1, 0).finished(), {0, 1});
  const PersonTerms terms{.balanced = false};
  const CheapestChannel cheapest = cheapest_channel(owned.pool, terms);
  const SparseChannel far = one_donor_each({1, 0});
  EXPECT_EQ(on_cheapest_pairs(owned.pool, terms, cheapest, far).donors, cheapest.channel->donors);
}

TEST(PersonExtremes, DistancesScaleAndTheOrderOfPeopleDoesNotMatter) {
  const OwnedPool owned = tied_pool(5, 7);
  const OwnedPool eightfold = make_pool(8 * owned.distance, owned.pool.value_of_person);
  const OwnedPool other = reordered(owned, {6, 2, 4, 0, 1, 5, 3});
  for (const PersonTerms& terms : informed_terms()) {
    const double nearest = cheapest_channel(owned.pool, terms).distance;
    const double harmless = harmless_channel(owned.pool, terms).distance;
    EXPECT_NEAR(cheapest_channel(eightfold.pool, terms).distance, 8 * nearest, 1e-12);
    EXPECT_NEAR(harmless_channel(eightfold.pool, terms).distance, 8 * harmless, 1e-12);
    EXPECT_NEAR(cheapest_channel(other.pool, terms).distance, nearest, 1e-12);
    EXPECT_NEAR(harmless_channel(other.pool, terms).distance, harmless, 1e-12);
    EXPECT_LE(nearest, harmless + 1e-12);
  }
}

TEST(PersonExtremes, HaveTheSameBitsForAnyNumberOfThreads) {
  OwnedPool owned = solve::random_pool(6, 200, 4);
  owned.pool.candidates.resize(200);
  for (std::uint32_t u = 0; u < 200; ++u) owned.pool.candidates[u] = {u / 2, u / 2 + 50, u / 2 + 90};
  const auto on_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return std::pair(cheapest_channel(owned.pool, {.self_donor = false}).distance,
                     harmless_channel(owned.pool, {.self_donor = false}).distance);
  };
  EXPECT_EQ(on_threads(1), on_threads(2));
}

}  // namespace
}  // namespace hyobscure::solve
