#include "hyobscure/solve/person/person_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

TEST(PersonBound, IsTheFormulaOfItsDerivation) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(1, 9, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 3};
    // some pairs are missing, so that some donors have no user of some value
    const auto has = [&](std::size_t u, std::size_t j) {
      return is_allowed(owned.pool, terms, u, j) && (2 * u + j) % 3 != 0;
    };
    std::mt19937 rng(2);
    PoolDuals duals = random_duals(task, rng);
    const double expected = bound_by_formula(task, owned.distance, duals, has);
    const double bound = bound_on_support(task, support_of(task, has), duals);
    EXPECT_NEAR(bound, expected, 1e-12 * (10 + std::abs(expected)));
  }
}

TEST(PersonBound, IsNeverAboveTheBestChannelOfATinyPool) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(3, 5, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2};
    const Support support = support_of_all_pairs(task);
    const double best = value_of_slow_descent(task, owned.distance, 300);
    std::mt19937 rng(4);
    for (int k = 0; k < 100; ++k) {
      PoolDuals duals = random_duals(task, rng, 0.03 * k);
      double bound = bound_on_support(task, support, duals);
      for (int repeat = 0; repeat < 20; ++repeat) bound = bound_on_support(task, support, duals);
      EXPECT_LE(bound, best);
      EXPECT_LE(bound, value_by_definition(task, owned.distance, channel_within(task, rng)));
    }
  }
}

TEST(PersonBound, TwoPeopleReachTheLeastOfADenseGrid) {
  // Two people of different values, each with a choice of two donors: all channels are a square.
  const OwnedPool owned = make_pool((Eigen::MatrixXd(2, 2) << 0, 0.7, 0.4, 0).finished(), {0, 1});
  const PersonTerms terms{.balanced = false};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
  double least = std::numeric_limits<double>::infinity();
  constexpr int kSteps = 400;
  for (int i = 0; i <= kSteps; ++i)
    for (int k = 0; k <= kSteps; ++k) {
      const double a = static_cast<double>(i) / kSteps, b = static_cast<double>(k) / kSteps;
      const Eigen::MatrixXd channel = (Eigen::MatrixXd(2, 2) << a, 1 - a, b, 1 - b).finished();
      least = std::min(least, value_by_definition(task, owned.distance, channel));
    }
  // Prices on the same grid: the best of them must come as close as the spacing allows, and none above.
  double highest = -std::numeric_limits<double>::infinity();
  const Support support = support_of_all_pairs(task);
  for (int i = -60; i <= 60; ++i) {
    PoolDuals duals{.rows = {0.01 * i, 0}, .columns = {0, 0}, .learned = {}, .learned_excess = {}};
    highest = std::max(highest, bound_on_support(task, support, duals));
  }
  EXPECT_LE(highest, least + 1e-12);
  EXPECT_GE(highest, least - 1e-2);
}

TEST(PersonBound, RisesWhenTheReturnedPricesAreUsedAgain) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    if (terms.informed_weight == 0 && !terms.balanced) continue;  // nothing is chosen: the same prices again
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(5, 12, 4);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1.5};
    const Support support = support_of_all_pairs(task);
    std::mt19937 rng(6);
    PoolDuals duals = random_duals(task, rng);
    double before = bound_on_support(task, support, duals);
    for (int k = 0; k < 10; ++k) {
      double attained = std::accumulate(duals.rows.begin(), duals.rows.end(), 0.0);
      if (terms.balanced) attained = std::accumulate(duals.columns.begin(), duals.columns.end(), attained);
      for (const float nearest : support.nearest) attained += task.multiplier * nearest;
      EXPECT_NEAR(attained, before, 1e-12 * (1 + std::abs(before)));
      const double after = bound_on_support(task, support, duals);
      EXPECT_GE(after, before - 1e-12 * (1 + std::abs(before)));
      before = after;
    }
  }
}

TEST(PersonBound, DoesNotSeeAShiftOfAllPricesNorTheOrderOfPeople) {
  const OwnedPool owned = pool_with_model(7, 10, 3);
  const std::vector<std::size_t> order{3, 1, 4, 9, 2, 6, 5, 8, 7, 0};
  const OwnedPool other = reordered(owned, order);
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    if (terms.informed_weight == 0) continue;
    SCOPED_TRACE(name_of(terms));
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1.5};
    const PoolTask again{.pool = other.pool, .terms = terms, .multiplier = 1.5};
    std::mt19937 rng(8);
    const PoolDuals duals = random_duals(task, rng);
    PoolDuals first = duals, shifted = duals, permuted = duals;
    for (double& price : shifted.rows) price += 5;
    for (std::size_t k = 0; k < order.size(); ++k) {
      permuted.rows[k] = duals.rows[order[k]];
      if (terms.learned_weight > 0) {
        permuted.learned.row(at(k)) = duals.learned.row(at(order[k]));
        permuted.learned_excess[k] = duals.learned_excess[order[k]];
      }
    }
    const double bound = bound_on_support(task, support_of_all_pairs(task), first);
    EXPECT_NEAR(bound_on_support(task, support_of_all_pairs(task), shifted), bound, 1e-11);
    EXPECT_NEAR(bound_on_support(again, support_of_all_pairs(again), permuted), bound, 1e-11);
  }
}

TEST(PersonBound, HasTheSameBitsForAnyNumberOfThreads) {
  const OwnedPool owned = pool_with_model(10, 700, 5);
  const PersonTerms terms{.informed_weight = 0.4, .learned_weight = 0.6, .balanced = true};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
  const Support support =
      support_of(task, [](std::size_t u, std::size_t j) { return (j + 700 - u) % 700 < 9; });
  std::mt19937 rng(11);
  const PoolDuals duals = random_duals(task, rng);
  const auto on_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    PoolDuals own = duals;
    const double bound = bound_on_support(task, support, own);
    return std::pair(bound, own.rows);
  };
  EXPECT_EQ(on_threads(1), on_threads(2));
}

TEST(PersonBound, OfOnePersonOrOneValueIsTheNearestDonors) {
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    for (const auto& owned : {make_pool(Eigen::MatrixXd::Constant(1, 1, 0.25), {0}),
                              make_pool(Eigen::MatrixXd::Constant(3, 3, 0.25), {0, 0, 0})}) {
      const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 4};
      PoolDuals duals{.rows = std::vector<double>(owned.pool.size(), 0.0),
                      .columns = std::vector<double>(owned.pool.size(), 0.0),
                      .learned = {},
                      .learned_excess = {}};
      EXPECT_NEAR(bound_on_support(task, support_of_all_pairs(task), duals),
                  static_cast<double>(owned.pool.size()), 1e-12);
    }
  }
}

}  // namespace
}  // namespace hyobscure::solve
