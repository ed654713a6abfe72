#include "hyobscure/solve/person/person_mirror.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

Floats on_support(const Support& support, const Eigen::MatrixXd& channel) {
  Floats values;
  for (std::size_t u = 0; u < support.people_count(); ++u)
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      values.push_back(static_cast<float>(channel(at(u), support.donors[pair])));
  return values;
}

Eigen::MatrixXd off_support(const Support& support, const Floats& values) {
  const Eigen::Index people = at(support.people_count());
  Eigen::MatrixXd channel = Eigen::MatrixXd::Zero(people, people);
  for (std::size_t u = 0; u < support.people_count(); ++u)
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      channel(at(u), support.donors[pair]) = values[pair];
  return channel;
}

MirrorSolver solver_from(const PoolTask& task, const Support& support, const Eigen::MatrixXd& start) {
  return MirrorSolver(task, support,
                      {.x = on_support(support, start), .column_prices = Floats(task.pool.size(), 0.0f)});
}

/// sum w phi(next / w), phi(r) = r log r - r + 1.
double relative_entropy(const Eigen::MatrixXd& next, const Eigen::MatrixXd& w) {
  double sum = 0;
  for (Eigen::Index i = 0; i < w.size(); ++i)
    if (w(i) > 0) sum += next(i) * std::log(next(i) / w(i)) - next(i) + w(i);
  return sum;
}

/// person_sparse.md, "Steps on a support", for a free channel: gradients by differences, the step test as a
/// difference of values.
class AcceleratedScheme {
 public:
  AcceleratedScheme(const PoolTask& task, const Eigen::MatrixXd& distance, Eigen::MatrixXd start)
      : task_(task),
        distance_(distance),
        x_(std::move(start)),
        w_(x_),
        step_(1 / (task.terms.informed_weight + task.terms.learned_weight)) {}

  void take_step() {
    const Eigen::MatrixXd y = (1 - theta_) * x_ + theta_ * w_;
    const Eigen::MatrixXd gradient = gradient_by_differences(task_, distance_, y);
    Eigen::MatrixXd next, x;
    double used;
    for (;;) {
      next = w_.array() * (-step_ / theta_ * gradient.array()).exp();
      scale_to_sums(task_.terms, next);
      x = (1 - theta_) * x_ + theta_ * next;
      const double divergence = value(x) - value(y) - gradient.cwiseProduct(x - y).sum();
      used = divergence / (theta_ * theta_ / step_ * relative_entropy(next, w_));
      if (used <= 1) break;
      step_ *= std::clamp(0.9 / used, 0.2, 0.9);
      ++failures;
    }
    step_ *= std::clamp(0.9 / used, 0.9, failures > 0 ? 1.05 : 1.3);
    const bool downhill = gradient.cwiseProduct(x - x_).sum() <= 0;
    x_ = x;
    w_ = downhill ? next : x;
    // theta^2 of the next step is (1 - theta) times this one's, solved for theta
    theta_ = downhill ? (std::sqrt(theta_ * theta_ + 4) - theta_) * theta_ / 2 : 1;
  }

  const Eigen::MatrixXd& channel() const { return x_; }
  int failures = 0;  // of the step test

 private:
  double value(const Eigen::MatrixXd& channel) const {
    return value_by_definition(task_, distance_, channel);
  }

  const PoolTask& task_;
  const Eigen::MatrixXd& distance_;
  Eigen::MatrixXd x_, w_;
  double theta_ = 1, step_;
};

TEST(PersonMirror, TakesTheStepsOfTheAcceleratedSchemeWrittenOut) {
  int failures = 0;  // of the step test
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    if (terms.balanced) continue;
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(1, 7, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1.3};
    std::mt19937 rng(2);
    const Support support = support_of_all_pairs(task);
    const Eigen::MatrixXd start = channel_within(task, rng, 2);
    AcceleratedScheme scheme(task, owned.distance, start);
    for (int steps = 1; steps <= 6; ++steps) {
      scheme.take_step();
      MirrorSolver solver = solver_from(task, support, start);
      solver.run(0, steps, {});
      EXPECT_EQ(solver.iterations(), steps);
      EXPECT_LE((off_support(support, solver.channel()) - scheme.channel()).cwiseAbs().maxCoeff(), 2e-5)
          << steps << " steps";
    }
    failures += scheme.failures;
  }
  EXPECT_GT(failures, 0);  // else the step test decided nothing
}

TEST(PersonMirror, ABalancedStepFollowsTheGradientUpToPricesOfRowsAndColumns) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    if (!terms.balanced || !terms.self_donor) continue;
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(3, 6, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
    std::mt19937 rng(4);
    const Support support = support_of_all_pairs(task);
    const Eigen::MatrixXd start = channel_within(task, rng, 3);
    MirrorSolver solver = solver_from(task, support, start);
    solver.run(0, 1, {});
    const Eigen::MatrixXd moved = off_support(support, solver.channel());
    EXPECT_LE((moved.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-6);
    EXPECT_LE((moved.colwise().sum().array() - 1).abs().maxCoeff(), 1e-3);
    // log(moved / start) + step * gradient = a_u + b_j for some step: no interaction of rows and columns
    const Eigen::MatrixXd gradient = gradient_by_differences(task, owned.distance, start);
    const Eigen::MatrixXd change = (moved.array() / start.array()).log();
    const auto interaction = [](const Eigen::MatrixXd& m) {
      Eigen::MatrixXd rest = m.rowwise() - m.colwise().mean();
      return Eigen::MatrixXd(rest.colwise() - rest.rowwise().mean());
    };
    const Eigen::MatrixXd of_gradient = interaction(gradient), of_change = interaction(change);
    const double step = -of_gradient.cwiseProduct(of_change).sum() / of_gradient.squaredNorm();
    EXPECT_LE((of_change + step * of_gradient).cwiseAbs().maxCoeff(), 1e-4);
    // the first step is the one that always passes
    EXPECT_NEAR(step * (terms.informed_weight + terms.learned_weight), 1, 1e-3);
  }
}

// (Balanced, columns are scaled as well as the last check asked for, and checks come at other steps.)
// A support that grows hands its state on: without it the scheme would begin again with theta = 1.
TEST(PersonMirror, GoesOnFromAStateAsIfItHadNotStopped) {
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.informed_weight = 0.4, .learned_weight = 0.6, .balanced = balanced};
    const OwnedPool owned = pool_with_model(5, 8, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 0.3};
    std::mt19937 rng(6);
    const Support support = support_of_all_pairs(task);
    const Eigen::MatrixXd start = channel_within(task, rng, 3);
    MirrorSolver whole = solver_from(task, support, start), first = solver_from(task, support, start),
                 again = solver_from(task, support, start);
    whole.run(0, 25, {});
    first.run(0, 15, {});
    MirrorSolver rest(task, support, first.state());
    rest.run(0, 10, {});
    const Eigen::MatrixXd expected = off_support(support, whole.channel());
    EXPECT_LE((off_support(support, rest.channel()) - expected).cwiseAbs().maxCoeff(),
              balanced ? 2e-3 : 1e-5);
    again.run(0, 15, {});
    MirrorSolver forgetful(task, support, {.x = again.state().x, .column_prices = Floats(8, 0.0f)});
    forgetful.run(0, 10, {});
    EXPECT_GT((off_support(support, forgetful.channel()) - expected).cwiseAbs().maxCoeff(), 1e-2);
  }
}

TEST(PersonMirror, MeetsTheLeastValueOfASlowDescent) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(5, 6, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1.5};
    std::mt19937 rng(6);
    const Support support = support_of_all_pairs(task);
    MirrorSolver solver = solver_from(task, support, channel_within(task, rng));
    solver.run(1e-3, 5000, {});
    EXPECT_LE(solver.value() - solver.bound(), 1e-3);
    const double slow = value_of_slow_descent(task, owned.distance);
    EXPECT_LE(solver.bound(), slow);
    EXPECT_NEAR(solver.value(), slow, 1.5e-3);
  }
}

TEST(PersonMirror, ReportsTheValueOfTheChannelItHolds) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(7, 10, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 0.7};
    std::mt19937 rng(8);
    const Support support = support_of_all_pairs(task);
    MirrorSolver solver = solver_from(task, support, channel_within(task, rng));
    for (const int steps : {1, 3, 30}) {
      solver.run(0, steps, {});
      const Eigen::MatrixXd channel = off_support(support, solver.channel());
      double value = value_by_definition(task, owned.distance, channel);
      for (std::size_t j = 0; j < owned.pool.size(); ++j)  // columns off their sum are charged
        value += static_cast<double>(solver.column_prices()[j]) * (1 - channel.col(at(j)).sum());
      EXPECT_NEAR(solver.value(), value, 2e-5);
      EXPECT_LE(solver.bound(), solver.value());
    }
  }
}

TEST(PersonMirror, ProvesMoreAndMoreAndItsPricesProveTheSameAgain) {
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.informed_weight = 0.5, .learned_weight = 0.5, .balanced = balanced};
    const OwnedPool owned = pool_with_model(9, 20, 4);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2};
    std::mt19937 rng(10);
    const Support support = support_of_all_pairs(task);
    MirrorSolver solver = solver_from(task, support, channel_within(task, rng));
    double bound = -std::numeric_limits<double>::infinity();
    for (int k = 0; k < 30; ++k) {
      solver.run(0, 5, {});
      EXPECT_GE(solver.bound(), bound);
      bound = solver.bound();
    }
    PoolDuals duals = solver.duals();
    EXPECT_GE(bound_on_support(task, support, duals), bound - 1e-9);
    EXPECT_LE(solver.value() - bound, 5e-2);
  }
}

TEST(PersonMirror, BringsBackAPairThatTheStartHasAlmostGivenUp) {
  // Twins of different values, far from each other's stranger: the optimum mixes the twins evenly.
  Eigen::MatrixXd distance = Eigen::MatrixXd::Zero(2, 2);
  const OwnedPool owned = make_pool(distance, {0, 1});
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
    const Support support = support_of_all_pairs(task);
    const Eigen::MatrixXd start = (Eigen::MatrixXd(2, 2) << 1, 1e-30, 1e-30, 1).finished();
    MirrorSolver solver = solver_from(task, support, start);
    solver.run(1e-6, 3000, {});
    EXPECT_LE(solver.value(), 1e-6);
    const Eigen::MatrixXd channel = off_support(support, solver.channel());
    EXPECT_NEAR(channel(0, 0), channel(1, 0), 1e-2);
  }
}

TEST(PersonMirror, LetsNoProbabilityVanishHoweverDearItsPair) {
  const OwnedPool owned = solve::random_pool(13, 8, 3);
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1e4};
    const Support support = support_of_all_pairs(task);
    MirrorSolver solver = solver_from(task, support, Eigen::MatrixXd::Constant(8, 8, 0.125));
    solver.run(0, 15, {});
    EXPECT_GT(std::ranges::min(solver.channel()), 0);
    EXPECT_TRUE(std::isfinite(solver.value()));
  }
}

TEST(PersonMirror, OneValueOrOnePersonCostsTheNearestDonors) {
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.balanced = balanced};
    const OwnedPool alone = make_pool(Eigen::MatrixXd::Constant(1, 1, 0.5), {0});
    const OwnedPool alike =
        make_pool((Eigen::MatrixXd(3, 3) << 0, 1, 2, 1, 0, 1, 2, 1, 0).finished(), {0, 0, 0});
    for (const OwnedPool* owned : {&alone, &alike}) {
      const PoolTask task{.pool = owned->pool, .terms = terms, .multiplier = 3};
      const Support support = support_of_all_pairs(task);
      std::mt19937 rng(11);
      MirrorSolver solver = solver_from(task, support, channel_within(task, rng, 5));
      solver.run(1e-4, 1000, {});
      const double expected = owned == &alone ? 1.5 : 0;
      EXPECT_NEAR(solver.value(), expected, 1e-4);
      EXPECT_NEAR(solver.bound(), expected, 1e-4);
      EXPECT_LE(solver.bound(), expected);
    }
  }
}

TEST(PersonMirror, HasTheSameBitsForAnyNumberOfThreads) {
  const OwnedPool owned = pool_with_model(12, 600, 4);
  const auto near = [](std::size_t u, std::size_t j) { return (j + 600 - u) % 600 < 12; };
  for (const bool balanced : {false, true}) {
    const PersonTerms terms{.informed_weight = 0.5, .learned_weight = 0.5, .balanced = balanced};
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 2};
    const Support support = support_of(task, near);
    const Floats start(support.pairs(), 1.0f / 12);
    const auto on_threads = [&](int threads) {
      const ThreadLimit limit(threads);
      MirrorSolver solver(task, support, {.x = start, .column_prices = Floats(600, 0.0f)});
      solver.run(0, 20, {});
      return std::tuple(solver.channel(), solver.value(), solver.bound());
    };
    EXPECT_EQ(on_threads(1), on_threads(2));
  }
}

}  // namespace
}  // namespace hyobscure::solve
