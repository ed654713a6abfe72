// Limits on lifts: their parts, and the solvers with them.

#include "hyobscure/solve/person/person_lifts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/person/person_many.h"
#include "hyobscure/solve/person/person_pricing.h"
#include "hyobscure/solve/person/test_definitions.h"

#ifdef HYOBSCURE_HAS_IPOPT
#include "hyobscure/solve/channel/test_ipopt_oracle.h"
#endif

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The smallest and the largest P(y | j) / q(y) over the donors that are published, by the definition.
std::pair<double, double> lift_range(const PersonPool& pool, const SparseChannel& channel) {
  const MatrixXd masses = informed_beliefs(pool).transpose() * dense(channel);
  const VectorXd own = informed_shares(pool);
  double lowest = std::numeric_limits<double>::infinity(), highest = 0;
  for (Index j = 0; j < masses.cols(); ++j)
    for (Index y = 0; y < masses.rows(); ++y) {
      const double share = pool.shares_of_lifts.empty() ? own(y) : pool.shares_of_lifts[std::size_t(y)];
      if (masses.col(j).sum() <= 0 || share <= 0) continue;
      const double lift = masses(y, j) / masses.col(j).sum() / share;
      lowest = std::min(lowest, lift);
      highest = std::max(highest, lift);
    }
  return {lowest, highest};
}

void expect_kept(const PersonPool& pool, const PersonTerms& terms, const SparseChannel& channel) {
  const auto [lowest, highest] = lift_range(pool, channel);
  EXPECT_LE(highest, terms.lifts.most * (1 + kPersonLiftTolerance));
  EXPECT_GE(lowest, terms.lifts.least * (1 - kPersonLiftTolerance));
  EXPECT_TRUE(keeps_lifts(pool, terms, channel));
  const MatrixXd table = dense(channel);
  EXPECT_GE(table.minCoeff(), 0);
  EXPECT_LE((table.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  if (terms.balanced) {
    EXPECT_LE((table.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  }
}

std::vector<LiftLimits> limits_of_all_kinds() {
  return {{.most = 1.5}, {.most = 1.05}, {.least = 0.6}, {.least = 0.8, .most = 1.3}, {.most = 1}};
}

std::string name_of(const LiftLimits& lifts) {
  return std::to_string(lifts.least) + " to " + std::to_string(lifts.most);
}

/// Terms with one's own row, each with limits of all kinds.
std::vector<PersonTerms> limited_terms() {
  std::vector<PersonTerms> all;
  for (PersonTerms terms : terms_of_all_kinds())
    for (const LiftLimits& lifts : limits_of_all_kinds()) {
      if (!terms.self_donor) continue;
      terms.lifts = lifts;
      all.push_back(terms);
    }
  return all;
}

std::string name(const PersonTerms& terms) { return name_of(terms) + ", lifts " + name_of(terms.lifts); }

struct Bounds {
  std::vector<double> q, least, most;
};

/// Random shares and limits around them; some values have no limit of their own.
Bounds random_bounds(std::mt19937& rng, std::size_t values) {
  std::uniform_real_distribution<double> uniform(0, 1);
  Bounds bounds;
  for (std::size_t y = 0; y < values; ++y) bounds.q.push_back(0.05 + uniform(rng));
  const double sum = std::accumulate(bounds.q.begin(), bounds.q.end(), 0.0);
  for (double& share : bounds.q) {
    share /= sum;
    bounds.least.push_back(rng() % 3 == 0 ? 0 : share * uniform(rng));
    bounds.most.push_back(rng() % 3 == 0 ? 1 : std::min(1.0, share * (1 + uniform(rng))));
  }
  return bounds;
}

double relative_entropy_of(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t y = 0; y < p.size(); ++y)
    if (p[y] > 0) sum += p[y] * std::log(p[y] / q[y]);
  return sum;
}

/// Shares within the limits, at random: between the own ones and a corner.
std::vector<double> shares_within(const Bounds& bounds, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> shares = bounds.q;
  for (int move = 0; move < 30; ++move) {
    const std::size_t from = rng() % shares.size(), to = rng() % shares.size();
    if (from == to) continue;
    const double most = std::min(shares[from] - bounds.least[from], bounds.most[to] - shares[to]);
    const double moved = (rng() % 2 == 0 ? 1 : uniform(rng)) * std::max(0.0, most);
    shares[from] -= moved;
    shares[to] += moved;
  }
  return shares;
}

TEST(NearestShares, AreWithinTheLimitsAndNoOthersAreNearer) {
  std::mt19937 rng(1);
  std::gamma_distribution<double> weight(0.3);
  for (int k = 0; k < 300; ++k) {
    const std::size_t values = 2 + rng() % 8;
    const Bounds bounds = random_bounds(rng, values);
    std::vector<double> weights, nearest(values);
    for (std::size_t y = 0; y < values; ++y) weights.push_back(1e-6 + weight(rng));
    nearest_shares(weights, bounds.least, bounds.most, nearest);
    EXPECT_NEAR(std::accumulate(nearest.begin(), nearest.end(), 0.0), 1, 1e-12);
    for (std::size_t y = 0; y < values; ++y) {
      EXPECT_GE(nearest[y], bounds.least[y]);
      EXPECT_LE(nearest[y], bounds.most[y]);
    }
    const double least = relative_entropy_of(nearest, weights);
    for (int other = 0; other < 50; ++other)
      EXPECT_GE(relative_entropy_of(shares_within(bounds, rng), weights), least - 1e-12);
  }
}

TEST(LimitedMaximumOfScores, IsReachedByTheBestSharesAndExceededByNone) {
  std::mt19937 rng(2);
  std::normal_distribution<double> normal(0, 2);
  for (const double weight : {0.0, 0.01, 0.3, 1.0})
    for (int k = 0; k < 100; ++k) {
      const std::size_t values = 2 + rng() % 8;
      const Bounds bounds = random_bounds(rng, values);
      std::vector<double> scores;
      for (std::size_t y = 0; y < values; ++y) scores.push_back(normal(rng));
      const double found = LimitedMaximum()(scores, bounds.q, bounds.least, bounds.most, weight);
      const auto value_of = [&](const std::vector<double>& p) {
        return std::inner_product(p.begin(), p.end(), scores.begin(), 0.0) -
               (weight > 0 ? weight * relative_entropy_of(p, bounds.q) : 0);
      };
      double best = -std::numeric_limits<double>::infinity();
      for (int other = 0; other < 100; ++other) {
        const double value = value_of(shares_within(bounds, rng));
        EXPECT_LE(value, found + 1e-12);
        best = std::max(best, value);
      }
      if (weight > 0) {
        // shares q e^((b - t) / w) between their limits, with the threshold t at which they sum to 1
        std::vector<double> shares(values);
        double low = -100, high = 100;
        for (int halving = 0; halving < 200; ++halving) {
          const double threshold = (low + high) / 2;
          for (std::size_t y = 0; y < values; ++y)
            shares[y] = std::clamp(bounds.q[y] * std::exp(std::min(700.0, (scores[y] - threshold) / weight)),
                                   bounds.least[y], bounds.most[y]);
          (std::accumulate(shares.begin(), shares.end(), 0.0) > 1 ? low : high) = threshold;
        }
        EXPECT_NEAR(value_of(shares), found, 1e-6);
      } else {
        // the corner in which the best values take what they may
        std::vector<double> corner = bounds.least;
        double left = 1 - std::accumulate(corner.begin(), corner.end(), 0.0);
        std::vector<std::size_t> order(values);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t y) { return scores[y]; });
        for (const std::size_t y : order) {
          const double taken = std::min(left, bounds.most[y] - corner[y]);
          corner[y] += taken;
          left -= taken;
        }
        EXPECT_NEAR(value_of(corner), found, 1e-12);
      }
    }
}

TEST(EvenDonorsOfAPool, CarryAChannelThatRevealsNothing) {
  for (const std::uint32_t people : {1u, 2u, 7u, 30u}) {
    const OwnedPool owned = random_pool(people, people, std::min(people, 4u));
    const EvenDonors even(owned.pool);
    const VectorXd own = informed_shares(owned.pool);
    MatrixXd masses = MatrixXd::Zero(own.size(), people);
    std::vector<double> next(owned.pool.values, 0.0);  // where the next person of a value begins
    for (std::uint32_t u = 0; u < people; ++u) {
      const std::uint32_t y = owned.pool.value_of_person[u];
      const double begin = next[y], end = begin + 1 / own(y);
      next[y] = end;
      for (std::uint32_t j = 0; j < people; ++j) {
        const double share = std::max(0.0, std::min(end, j + 1.0) - std::max(begin, double(j)));
        if (share > 1e-12) {
          EXPECT_TRUE(even.of(u).contains(j)) << u << " " << j;
        }
        masses(y, j) += share * own(y);
      }
    }
    EXPECT_LE((masses.colwise() - own).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(WithinLiftLimits, BringsAnyChannelToItsLimitsAndLeavesOneThatKeepsThem) {
  for (const PersonTerms& terms : limited_terms()) {
    SCOPED_TRACE(name(terms));
    const OwnedPool owned = pool_with_model(5, 14, 4);
    const PoolTask task{.pool = owned.pool, .terms = terms};
    std::mt19937 rng(3);
    const MatrixXd table = channel_within(task, rng);
    SparseChannel channel;
    for (Index u = 0; u < table.rows(); ++u) {
      for (Index j = 0; j < table.cols(); ++j)
        if (table(u, j) > 0) {
          channel.donors.push_back(static_cast<std::uint32_t>(j));
          channel.probabilities.push_back(table(u, j));
        }
      channel.starts.push_back(channel.donors.size());
    }
    EXPECT_FALSE(keeps_lifts(owned.pool, terms, channel));
    const SparseChannel kept = within_lift_limits(owned.pool, terms, channel);
    expect_kept(owned.pool, terms, kept);
    const SparseChannel again = within_lift_limits(owned.pool, terms, kept);
    EXPECT_LE((dense(again) - dense(kept)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

/// A channel that keeps the limits, at random.
MatrixXd limited_channel(const PoolTask& task, std::mt19937& rng) {
  const MatrixXd table = channel_within(task, rng);
  SparseChannel channel;
  for (Index u = 0; u < table.rows(); ++u) {
    for (Index j = 0; j < table.cols(); ++j)
      if (table(u, j) > 0) {
        channel.donors.push_back(static_cast<std::uint32_t>(j));
        channel.probabilities.push_back(table(u, j));
      }
    channel.starts.push_back(channel.donors.size());
  }
  return dense(within_lift_limits(task.pool, task.terms, channel));
}

TEST(BoundWithLiftLimits, IsBelowEveryChannelThatKeepsThemWhateverThePrices) {
  double above_unlimited = 0;
  for (const PersonTerms& terms : limited_terms()) {
    SCOPED_TRACE(name(terms));
    const OwnedPool owned = pool_with_model(6, 8, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2};
    const Support support = support_of_all_pairs(task);
    PersonTerms without = terms;
    without.lifts = {};
    const PoolTask unlimited{.pool = owned.pool, .terms = without, .multiplier = 2};
    std::mt19937 rng(4);
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 100; ++k)
      least = std::min(least, value_by_definition(task, owned.distance, limited_channel(task, rng)));
    for (int k = 0; k < 20; ++k) {
      const PoolDuals duals = random_duals(task, rng, 0.1 * k, false);
      const double full = bound_on_all_pairs(task, support.nearest, duals, 0).bound;
      const double in_slices = bound_on_all_pairs(task, support.nearest, duals, 0, 8).bound;
      PoolDuals raised = duals;
      const double on_support = bound_on_support(task, support, raised);
      EXPECT_NEAR(full, on_support, 1e-5 * (1 + std::abs(on_support)));
      EXPECT_NEAR(full, in_slices, 1e-12 * (1 + std::abs(full)));
      EXPECT_LE(std::max(full, on_support), least);
      PoolDuals same = duals;
      above_unlimited = std::max(above_unlimited, on_support - bound_on_support(unlimited, support, same));
    }
  }
  EXPECT_GT(above_unlimited, 0.01);  // the limits count
}

TEST(SolversWithLiftLimits, KeepThemAndProveTheirGap) {
  for (const PersonTerms& terms : limited_terms())
    for (const double multiplier : {0.3, 2.0}) {
      const bool wide = terms.lifts.most > 1 && (terms.lifts.has_least() || terms.lifts.most < 1.2);
      if (wide != (multiplier > 1)) continue;  // each limit at one price
      SCOPED_TRACE(name(terms) + ", price " + std::to_string(multiplier));
      const OwnedPool owned = pool_with_model(7, 18, 4);
      const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = multiplier, .tolerance = 18e-4};
      const PoolAnswer sparse = solve_pool_sparse(task);
      expect_kept(owned.pool, terms, sparse.channel);
      EXPECT_NEAR(sparse.objective, value_by_definition(task, owned.distance, dense(sparse.channel)), 1e-9);
      // a limit of 1 leaves the free form nothing but prices: person_sparse.md, "Where it is slow"
      const double allowance = terms.lifts.most == 1 && !terms.balanced ? 5 : 1;
      EXPECT_LE(sparse.objective - sparse.lower_bound, allowance * task.tolerance);
      std::mt19937 rng(5);
      for (int k = 0; k < 20; ++k)
        EXPECT_LE(sparse.lower_bound, value_by_definition(task, owned.distance, limited_channel(task, rng)));
      if (terms.learned_weight > 0 || !terms.balanced) continue;
      PoolTask finer = task;
      finer.tolerance = 1e-5;
      const PoolAnswer dense_answer = solve_pool_dense(finer);
      const PoolAnswer dear = solve_pool_dense(
          {.pool = owned.pool, .terms = terms, .multiplier = 20, .tolerance = finer.tolerance});
      expect_kept(owned.pool, terms, dear.channel);
      // a limit of 1 is one of 1.000001 on the way (person_channel.md, "Limits on lifts")
      const double widened = terms.lifts.most == 1 ? 1e-6 * 20 * 18 : 0;
      EXPECT_LE(dear.objective - dear.lower_bound, finer.tolerance + widened);
      expect_kept(owned.pool, terms, dense_answer.channel);
      EXPECT_NEAR(dense_answer.objective,
                  value_by_definition(task, owned.distance, dense(dense_answer.channel)), 1e-9);
      EXPECT_LE(dense_answer.objective - dense_answer.lower_bound, finer.tolerance);
      EXPECT_LE(dense_answer.lower_bound, sparse.objective);
      EXPECT_LE(sparse.lower_bound, dense_answer.objective);
    }
}

TEST(SolversWithLiftLimits, AnswerAsWithoutWhereTheLimitsAreWide) {
  for (PersonTerms terms : terms_of_all_kinds()) {
    if (!terms.self_donor) continue;
    const OwnedPool owned = pool_with_model(8, 30, 3);
    PersonTerms wide = terms;
    wide.lifts = {.most = 1e6};
    PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2, .tolerance = 30e-5};
    const PoolTask limited{.pool = owned.pool, .terms = wide, .multiplier = 2, .tolerance = 30e-5};
    SCOPED_TRACE(name(wide));
    EXPECT_NEAR(solve_pool_sparse(limited).objective, solve_pool_sparse(task).objective, 30e-5);
    if (terms.learned_weight > 0 || !terms.balanced) continue;
    EXPECT_NEAR(solve_pool_dense(limited).objective, solve_pool_dense(task).objective, 30e-5);
  }
}

/// The smallest budget that works with the limits, as it is named where a budget does not.
double nearest_distance(const PersonPool& pool, const PersonTerms& terms) {
  try {
    (void)solve_people_with_budget({&pool, 1}, terms, 1e-3, {.gap_tolerance_bits = 1e-3});
  } catch (const LiftsOutOfReach& refused) {
    return refused.smallest_distance();
  }
  ADD_FAILURE() << "a budget that should have been refused";
  return 0;
}

#ifdef HYOBSCURE_HAS_IPOPT
TEST(SolversWithLiftLimits, FindWhatIpoptFinds) {
  for (const bool balanced : {true, false})
    for (const LiftLimits& lifts : {LiftLimits{.most = 1.4}, LiftLimits{.least = 0.7, .most = 1.5}}) {
      const OwnedPool owned = random_pool(9, 16, 3);
      const ChannelProblem problem = one_person_clusters({&owned, 1});
      const PersonTerms terms{.balanced = balanced, .lifts = lifts};
      const double budget = 1.1 * nearest_distance(owned.pool, terms);
      const IpoptAnswer other =
          solve_with_ipopt(problem.joints[0], problem.distances[0], budget, 60, lifts, balanced);
      ASSERT_TRUE(other.solved);
      const double leakage = group_leakage(problem.joints[0], other.channel);
      const PersonResult found = solve_people_with_budget({&owned.pool, 1}, terms, budget,
                                                          {.gap_tolerance_bits = balanced ? 1e-5 : 1e-3});
      SCOPED_TRACE(name(terms));
      expect_kept(owned.pool, terms, found.channels[0]);
      EXPECT_LE(found.info.distance, budget * (1 + 1e-12));
      EXPECT_LE(found.info.gap_nats, balanced ? 1e-5 : 1e-3);
      EXPECT_NEAR(found.info.informed_nats, leakage, found.info.gap_nats + 1e-6);
      EXPECT_GT(leakage, 1e-3);
      const auto [lowest, highest] = lift_range(owned.pool, found.channels[0]);
      EXPECT_TRUE(highest > lifts.most * 0.97 || lowest < lifts.least * 1.03);  // a limit counts
    }
}
#endif

/// The same limits as a problem of clusters, each holding one person: another interior point.
TEST(SolversWithLiftLimits, FindWhatTheSolverOfClustersFinds) {
  for (const LiftLimits& lifts : {LiftLimits{.most = 1.3}, LiftLimits{.least = 0.7}}) {
    const OwnedPool owned = random_pool(10, 12, 3);
    ChannelProblem problem = one_person_clusters({&owned, 1});
    problem.lifts = lifts;
    const PersonTerms terms{.balanced = false, .lifts = lifts};
    const double budget = 1.1 * nearest_distance(owned.pool, terms);
    const PersonResult found =
        solve_people_with_budget({&owned.pool, 1}, terms, budget, {.gap_tolerance_bits = 1e-3});
    const ChannelResult other = solve_with_budget(problem, budget);
    SCOPED_TRACE(name(terms));
    expect_kept(owned.pool, terms, found.channels[0]);
    EXPECT_LE(other.info.lower_bound_nats, found.info.informed_nats + 1e-9);
    EXPECT_LE(found.info.informed_nats - found.info.gap_nats, other.info.leakage_nats + 1e-9);
    EXPECT_LE(found.info.gap_nats, 1e-3);
  }
}

TEST(BudgetsWithLiftLimits, LeakNoMoreTheLargerTheyAreAndTheNearestIsNamed) {
  const std::vector<OwnedPool> owned = [] {
    std::vector<OwnedPool> pools;
    pools.push_back(pool_with_model(11, 20, 3));
    pools.push_back(pool_with_model(12, 9, 4));
    return pools;
  }();
  std::vector<PersonPool> pools;
  for (const OwnedPool& pool : owned) pools.push_back(pool.pool);
  for (const auto& [informed, learned] : {std::pair(1.0, 0.0), std::pair(0.4, 0.6)})
    for (const bool balanced : {true, false}) {
      if (learned > 0 && !balanced) continue;  // as the others, and slow
      const PersonTerms terms{.informed_weight = informed,
                              .learned_weight = learned,
                              .balanced = balanced,
                              .lifts = {.most = 1.2}};
      SCOPED_TRACE(name(terms));
      const PersonSettings settings{.gap_tolerance_bits = 1e-3};
      double nearest = 0;
      try {
        (void)solve_people_with_budget(pools, terms, 0.01, settings);
        ADD_FAILURE() << "a budget that no channel within the limits keeps";
      } catch (const LiftsOutOfReach& refused) {
        nearest = refused.smallest_distance();
      }
      ASSERT_GT(nearest, 0.01);
      // what is named can be reached, and little less cannot
      EXPECT_LE(solve_people_with_budget(pools, terms, nearest * (1 + 1e-6), settings).info.distance,
                nearest * (1 + 1e-5));
      if (balanced && learned == 0) {
        EXPECT_THROW((void)solve_people_with_budget(pools, terms, 0.99 * nearest, settings), LiftsOutOfReach);
      }
      double leaked = std::numeric_limits<double>::infinity();
      for (const double factor : {1.02, 1.1, 1.3, 1.6}) {
        const PersonResult found = solve_people_with_budget(pools, terms, factor * nearest, settings);
        for (std::size_t g = 0; g < pools.size(); ++g) expect_kept(pools[g], terms, found.channels[g]);
        EXPECT_TRUE(found.info.solved);
        EXPECT_LE(found.info.distance, factor * nearest * (1 + 1e-12));
        EXPECT_LE(found.info.objective_nats, leaked + found.info.gap_nats);
        leaked = found.info.objective_nats;
      }
    }
}

TEST(BudgetsWithLiftLimits, OfPoolsWithLittleChoice) {
  // two people of different values, a value for each person, everybody of one value, one person
  for (const std::vector<std::uint32_t>& values :
       {std::vector<std::uint32_t>{0, 1}, {0, 1, 2, 3}, {0, 0, 0}, {0}}) {
    const auto people = static_cast<Index>(values.size());
    MatrixXd distance(people, people);
    for (Index u = 0; u < people; ++u)
      for (Index v = 0; v < people; ++v) distance(u, v) = std::abs(double(u - v));
    const OwnedPool owned = make_pool(distance, values);
    for (const bool balanced : {true, false})
      for (const LiftLimits& lifts : limits_of_all_kinds()) {
        const PersonTerms terms{.balanced = balanced, .lifts = lifts};
        SCOPED_TRACE(name(terms) + ", people " + std::to_string(people));
        const double even = distance.mean() * (values[0] == values.back() ? 0 : 1);
        // half of what reveals nothing is too near for some limits, and refused then
        for (const double budget : {even, 0.9 * even}) {
          try {
            const PersonResult found = solve_people_with_budget({&owned.pool, 1}, terms, budget);
            expect_kept(owned.pool, terms, found.channels[0]);
            EXPECT_LE(found.info.distance, budget + 1e-12);
          } catch (const LiftsOutOfReach& refused) {
            EXPECT_LT(budget, even);
            EXPECT_LE(refused.smallest_distance(), even * 1.01);
          }
        }
      }
  }
}

TEST(BudgetsWithLiftLimits, TwoPeopleKeepExactlyWhatTheLimitLeaves) {
  // v_own = x, q = 1/2: a lift of 1.5 is x = 3/4, the distance 1/4
  const OwnedPool owned = make_pool((MatrixXd(2, 2) << 0, 1, 1, 0).finished(), {0, 1});
  const PersonTerms terms{.lifts = {.most = 1.5}};
  const PersonResult found = solve_people_with_budget({&owned.pool, 1}, terms, 0.25 + 1e-4);
  EXPECT_NEAR(dense(found.channels[0])(0, 0), 0.75, 2e-4);
  try {
    (void)solve_people_with_budget({&owned.pool, 1}, terms, 0.2);
    ADD_FAILURE();
  } catch (const LiftsOutOfReach& refused) {
    EXPECT_NEAR(refused.smallest_distance(), 0.25, 2e-3);
    EXPECT_GE(refused.smallest_distance(), 0.25 - 1e-9);
  }
}

TEST(WardsWithLiftLimits, AreLimitedByTheSharesOfTheirPool) {
  OwnedPool owned = pool_with_model(13, 12, 3);
  const VectorXd own = informed_shares(owned.pool);
  owned.pool.shares_of_lifts = {own(0) * 1.1, own(1), 1 - own(0) * 1.1 - own(1)};
  const double highest =
      lift_range(owned.pool, one_donor_each({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})).second;
  ASSERT_GT(highest, 1.5);
  const PersonTerms terms{.lifts = {.most = 1.25}};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 5, .tolerance = 1e-4};
  expect_kept(owned.pool, terms, solve_pool_dense(task).channel);
  expect_kept(owned.pool, terms, solve_pool_sparse(task).channel);
  const PersonTerms narrow{.lifts = {.most = 1.0001}};  // the ward has a value more often than that
  EXPECT_THROW((void)solve_people_with_multiplier({&owned.pool, 1}, narrow, 1), InputError);
}

TEST(ManyPoolsWithLiftLimits, KeepThemWithinTheBudgetOnAnyNumberOfThreads) {
  class Source final : public PoolSource {
   public:
    Source() {
      for (unsigned g = 0; g < 6; ++g) pools_.push_back(pool_with_model(20 + g, 20, 3));
    }
    std::size_t size() const override { return pools_.size(); }
    std::size_t people(std::size_t pool) const override { return pools_[pool].pool.size(); }
    std::shared_ptr<const PersonPool> load(std::size_t pool) const override {
      return {std::shared_ptr<const void>(), &pools_[pool].pool};
    }
    const PersonPool& pool(std::size_t g) const { return pools_[g].pool; }

   private:
    std::vector<OwnedPool> pools_;
  };
  const Source source;
  const PersonTerms terms{.informed_weight = 0.4, .learned_weight = 0.6, .lifts = {.most = 1.3}};
  const PersonSettings settings{.gap_tolerance_bits = 3e-3};
  const PersonResult found = solve_many_pools_with_budget(source, terms, 0.35, settings);
  EXPECT_LE(found.info.distance, 0.35);
  EXPECT_TRUE(found.info.solved) << found.info.gap_nats;
  for (std::size_t g = 0; g < source.size(); ++g) expect_kept(source.pool(g), terms, found.channels[g]);
  EXPECT_THROW((void)solve_many_pools_with_budget(source, terms, 0.02, settings), LiftsOutOfReach);
}

}  // namespace
}  // namespace hyobscure::solve
