#include "hyobscure/solve/person/person_pricing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

TEST(PersonPricing, BoundIsTheFormulaOverAllPairs) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(1, 40, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 3};
    std::mt19937 rng(2);
    const PoolDuals duals = random_duals(task, rng, 1, false);
    const auto allowed = [&](std::size_t u, std::size_t j) { return is_allowed(owned.pool, terms, u, j); };
    const double expected = bound_by_formula(task, owned.distance, duals, allowed);
    const FullBound full = bound_on_all_pairs(task, nearest_allowed(task), duals, 0.1);
    // b is kept in float: 40 people times the rounding of numbers of the size of 10
    EXPECT_NEAR(full.bound, expected, 40 * 1e-5);
  }
}

TEST(PersonPricing, BoundIsNeverAboveTheBestChannelOfATinyPool) {
  for (const PersonTerms& terms : terms_of_all_kinds())
    for (const double multiplier : {0.0, 1.0, 1e4}) {
      SCOPED_TRACE(name_of(terms) + ", multiplier " + std::to_string(multiplier));
      const OwnedPool owned = pool_with_model(3, 5, 3);
      const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = multiplier};
      std::mt19937 rng(4);
      // at 1e4 the scaled kernel has no digits left: channels there come from the cheapest permutation below
      double best = std::numeric_limits<double>::infinity();
      if (multiplier < 100) best = value_of_slow_descent(task, owned.distance, 300);
      for (int k = 0; k < 200; ++k)
        best = std::min(best, value_by_definition(task, owned.distance, channel_within(task, rng)));
      const std::vector<std::size_t> others{1, 2, 0, 4, 3};
      Eigen::MatrixXd swap = Eigen::MatrixXd::Zero(5, 5);
      for (std::size_t u = 0; u < 5; ++u) swap(at(u), at(others[u])) = 1;
      best = std::min(best, value_by_definition(task, owned.distance, swap));
      if (terms.self_donor)
        best = std::min(best, value_by_definition(task, owned.distance, Eigen::MatrixXd::Identity(5, 5)));
      double highest = -std::numeric_limits<double>::infinity();
      for (int k = 0; k < 100; ++k) {
        const PoolDuals duals = random_duals(task, rng, 0.02 * k);
        highest = std::max(highest, bound_on_all_pairs(task, nearest_allowed(task), duals, 0).bound);
      }
      EXPECT_LE(highest, best + 1e-12 * (1 + best));
      EXPECT_TRUE(std::isfinite(highest));
    }
}

/// person_sparse.md, "Pricing": of donors whose price is violated the two best users of each value, and for
/// each person the ten donors of the largest gain.
std::vector<std::set<std::uint32_t>> additions_by_definition(const PoolTask& task,
                                                             const Eigen::MatrixXd& distance,
                                                             const PoolDuals& duals, double slack) {
  const std::size_t people = task.pool.size();
  const auto allowed = [&](std::size_t u, std::size_t j) { return is_allowed(task.pool, task.terms, u, j); };
  std::vector<double> heights;
  (void)bound_by_formula(task, distance, duals, allowed, &heights);
  const std::vector<float> nearest = nearest_allowed(task);
  const auto score = [&](std::size_t u, std::size_t j) {
    double sum = duals.rows[u] - task.multiplier * (distance(at(u), at(j)) - static_cast<double>(nearest[u]));
    if (task.terms.learned_weight > 0)
      sum -= task.terms.learned_weight *
             task.pool.learned.row(at(u)).cast<double>().dot(duals.learned.row(at(j)).cast<double>());
    return sum;
  };
  std::vector<std::set<std::uint32_t>> additions(people);
  for (std::size_t u = 0; u < people; ++u) {
    std::vector<std::pair<double, std::uint32_t>> gains;
    for (std::size_t j = 0; j < people; ++j) {
      if (!allowed(u, j)) continue;
      int better = 0;
      double best = score(u, j);
      for (std::size_t v = 0; v < people; ++v) {
        if (task.pool.value_of_person[v] != task.pool.value_of_person[u] || !allowed(v, j)) continue;
        better += score(v, j) > score(u, j) ? 1 : 0;
        best = std::max(best, score(v, j));
      }
      const auto donor = static_cast<std::uint32_t>(j);
      if (better < 2 && heights[j] + duals.columns[j] > slack) additions[u].insert(donor);
      // mu + nu - Gamma with w1 s1 = best - height
      const double s1 = task.terms.informed_weight > 0 ? best - heights[j] : 0;
      const double gain = score(u, j) + duals.columns[j] - s1;
      if (gain > slack) gains.emplace_back(gain, donor);
    }
    std::ranges::sort(gains, std::ranges::greater{});
    for (std::size_t k = 0; k < std::min<std::size_t>(10, gains.size()); ++k)
      additions[u].insert(gains[k].second);
  }
  return additions;
}

TEST(PersonPricing, NamesThePairsThatKeepTheBoundLow) {
  for (const PersonTerms& terms : terms_of_all_kinds())
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(name_of(terms));
      const OwnedPool owned = pool_with_model(5 + seed, 30, 3);
      const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2};
      std::mt19937 rng(6);
      const PoolDuals duals = random_duals(task, rng, 0.5, false);
      // a slack of -5 leaves more than ten donors to choose from
      const double slack = seed % 2 == 0 ? 0.2 : -5;
      const FullBound full = bound_on_all_pairs(task, nearest_allowed(task), duals, slack);
      const auto expected = additions_by_definition(task, owned.distance, duals, slack);
      std::size_t named = 0;
      for (std::size_t u = 0; u < owned.pool.size(); ++u) {
        std::set<std::uint32_t> donors;
        for (const Donor& donor : full.additions[u]) {
          donors.insert(donor.donor);
          EXPECT_EQ(static_cast<double>(donor.distance), owned.distance(at(u), donor.donor));
          EXPECT_TRUE(is_allowed(owned.pool, terms, u, donor.donor));
        }
        EXPECT_EQ(donors, expected[u]) << "person " << u;
        named += donors.size();
      }
      if (slack < 0) {
        EXPECT_GT(named, 10 * owned.pool.size());
      }
      EXPECT_LT(named, owned.pool.size() * (owned.pool.size() - 1));
    }
}

TEST(PersonPricing, NamesNothingWhereEverybodyIsContent) {
  const OwnedPool owned = pool_with_model(7, 30, 3);
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2};
    std::mt19937 rng(8);
    const auto full = bound_on_all_pairs(task, nearest_allowed(task), random_duals(task, rng), 1e3);
    for (const auto& row : full.additions) EXPECT_TRUE(row.empty());
  }
}

TEST(PersonPricing, KeepsItsDigitsAtAHugePriceOfDistance) {
  // Nobody may publish themselves: the nearest donors cost 1e8 times their distance, next to some nats.
  const OwnedPool owned = solve::random_pool(9, 50, 3);
  const PersonTerms terms{.balanced = false, .self_donor = false};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1e8};
  const PoolDuals duals{.rows = std::vector<double>(50, 0.0),
                        .columns = std::vector<double>(50, 0.0),
                        .learned = {},
                        .learned_excess = {}};
  double nearest = 0;
  for (const float distance : nearest_allowed(task)) nearest += 1e8 * static_cast<double>(distance);
  const double bound = bound_on_all_pairs(task, nearest_allowed(task), duals, 0).bound;
  EXPECT_GE(bound, nearest - 1e-6);  // h <= 0 for zero prices: the bound is at least their sum
  EXPECT_LE(bound, nearest + 50 * std::log(50.0));
}

TEST(PersonPricing, CutIntoSlicesItNamesTheSamePairsForTheSameBound) {
  const OwnedPool owned = pool_with_model(10, 60, 6);
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
    std::mt19937 rng(11);
    const PoolDuals duals = random_duals(task, rng);
    const auto whole = bound_on_all_pairs(task, nearest_allowed(task), duals, 0.1);
    const auto sliced = bound_on_all_pairs(task, nearest_allowed(task), duals, 0.1, 1);
    EXPECT_NEAR(whole.bound, sliced.bound, 1e-12 * (1 + std::abs(whole.bound)));
    for (std::size_t u = 0; u < 60; ++u) {
      EXPECT_TRUE(
          std::ranges::equal(whole.additions[u], sliced.additions[u], {}, &Donor::donor, &Donor::donor));
    }
  }
}

TEST(PersonPricing, HasTheSameBitsForAnyNumberOfThreads) {
  const OwnedPool owned = pool_with_model(12, 300, 4);
  const PersonTerms terms{.informed_weight = 0.5, .learned_weight = 0.5, .balanced = true};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
  std::mt19937 rng(13);
  const PoolDuals duals = random_duals(task, rng);
  const auto on_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    const FullBound full = bound_on_all_pairs(task, nearest_allowed(task), duals, 0.1);
    std::vector<std::uint32_t> donors;
    for (const auto& row : full.additions)
      for (const Donor& donor : row) donors.push_back(donor.donor);
    return std::pair(full.bound, donors);
  };
  EXPECT_EQ(on_threads(1), on_threads(2));
}

}  // namespace
}  // namespace hyobscure::solve
