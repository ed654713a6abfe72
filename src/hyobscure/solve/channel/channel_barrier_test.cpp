#include "hyobscure/solve/channel/channel_barrier.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <random>

#include "hyobscure/solve/channel/test_problems.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// sum_j sum_y v log( v / (q R) ), channel.md's F.
double leakage_written_out(const MatrixXd& joint, const MatrixXd& channel) {
  const MatrixXd v = joint.transpose() * channel;
  const VectorXd q = joint.colwise().sum().transpose() / joint.sum();
  double sum = 0;
  for (Index j = 0; j < v.cols(); ++j)
    for (Index y = 0; y < v.rows(); ++y)
      if (v(y, j) > 0) sum += v(y, j) * std::log(v(y, j) / (q(y) * v.col(j).sum()));
  return sum;
}

/// Sum_y P(c,y) s_j(y): the gradient of F.
MatrixXd leakage_gradient(const MatrixXd& joint, const MatrixXd& channel) {
  const MatrixXd v = joint.transpose() * channel;
  const VectorXd q = joint.colwise().sum().transpose() / joint.sum();
  MatrixXd scores(v.rows(), v.cols());
  for (Index j = 0; j < v.cols(); ++j)
    scores.col(j) = (v.col(j).array() / (q.array() * v.col(j).sum())).log();
  return joint * scores;
}

double inner(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

/// The multiplier form of a random problem: price = multiplier p_c d, uniform start, no budget.
BarrierProblem priced_problem(unsigned seed, const ProblemShape& shape, double multiplier) {
  const ChannelProblem random = random_problem(seed, shape);
  BarrierProblem problem;
  for (std::size_t g = 0; g < random.joints.size(); ++g) {
    const MatrixXd& joint = random.joints[g];
    const VectorXd weights = joint.rowwise().sum();
    const Index m = joint.rows();
    MatrixXd price = random.distances[g];
    price.array().colwise() -= price.rowwise().minCoeff().eval().array();
    price.array().colwise() *= multiplier * weights.array();
    problem.groups.push_back({.joint = joint,
                              .allowed = MatrixXd::Ones(m, m),
                              .price = price,
                              .costs = {},
                              .row_weights = weights,
                              .start = MatrixXd::Constant(m, m, 1.0 / static_cast<double>(m))});
  }
  return problem;
}

/// Two budgets: the price becomes one, the squares of the distances another; the limits lie between the
/// nothing that the cheapest entries cost and what the uniform start costs.
BarrierProblem budget_problem(unsigned seed, const ProblemShape& shape, double share) {
  BarrierProblem problem = priced_problem(seed, shape, 1);
  problem.limits = VectorXd::Zero(2);
  for (auto& group : problem.groups) {
    group.costs = {group.price, group.price.array().square() / group.price.maxCoeff()};
    group.price.setZero();
    // mostly the cheapest entry of each row, which costs nothing
    MatrixXd nearest = MatrixXd::Zero(group.start.rows(), group.start.cols());
    for (Index c = 0; c < nearest.rows(); ++c) {
      Index cheapest = 0;
      group.costs[0].row(c).minCoeff(&cheapest);
      nearest(c, cheapest) = 1;
    }
    for (Index k = 0; k < 2; ++k)
      problem.limits(k) += share * inner(group.costs[static_cast<std::size_t>(k)], group.start);
    group.start = (1 - 0.5 * share) * nearest + 0.5 * share * group.start;
  }
  return problem;
}

double objective_of_channels(const BarrierProblem& problem, const std::vector<MatrixXd>& channels) {
  double sum = 0;
  for (std::size_t g = 0; g < problem.groups.size(); ++g)
    sum += leakage_written_out(problem.groups[g].joint, channels[g]) +
           inner(problem.groups[g].price, channels[g]);
  return sum;
}

VectorXd slacks_of_channels(const BarrierProblem& problem, const std::vector<MatrixXd>& channels) {
  VectorXd slacks = problem.limits;
  for (Index k = 0; k < slacks.size(); ++k)
    for (std::size_t g = 0; g < problem.groups.size(); ++g)
      slacks(k) -= inner(problem.groups[g].costs[static_cast<std::size_t>(k)], channels[g]);
  return slacks;
}

std::vector<MatrixXd> starts_of(const BarrierProblem& problem) {
  std::vector<MatrixXd> channels;
  for (const auto& group : problem.groups) channels.push_back(group.start);
  return channels;
}

/// The first weight of the barrier: its gap is the objective of the start.
double first_tau(const BarrierProblem& problem) {
  double weight = static_cast<double>(problem.limits.size());
  for (const auto& group : problem.groups) weight += group.row_weights.dot(group.allowed.rowwise().sum());
  return std::max(objective_of_channels(problem, starts_of(problem)), 1e-3) / weight;
}

TEST(ChannelBarrier, TheFirstBoundIsTheCertificateWrittenOut) {
  for (const bool with_budgets : {false, true}) {
    const ProblemShape shape{.clusters = 5, .values = 3, .groups = 2};
    const BarrierProblem problem = with_budgets ? budget_problem(1, shape, 0.6) : priced_problem(1, shape, 2);
    const VectorXd multipliers =
        first_tau(problem) * slacks_of_channels(problem, starts_of(problem)).cwiseInverse();
    double bound = -multipliers.dot(problem.limits);
    for (const auto& group : problem.groups) {
      MatrixXd gamma = leakage_gradient(group.joint, group.start) + group.price;
      for (Index k = 0; k < multipliers.size(); ++k)
        gamma += multipliers(k) * group.costs[static_cast<std::size_t>(k)];
      bound += gamma.rowwise().minCoeff().sum();
    }
    const BarrierAnswer answer = minimise_by_barrier(problem, 0, 1);
    EXPECT_NEAR(answer.lower_bound, bound, 1e-12);
    EXPECT_LE(answer.lower_bound, bound);  // rounding goes to the safe side
    ASSERT_EQ(answer.multipliers.size(), multipliers.size());
    for (Index k = 0; k < multipliers.size(); ++k) EXPECT_NEAR(answer.multipliers(k), multipliers(k), 1e-12);
  }
}

/// F + <price, O> - tau sum w log O - tau sum log slack over all groups, as a function of one long vector.
class BarrierFunction {
 public:
  explicit BarrierFunction(const BarrierProblem& problem) : problem_(problem), tau_(first_tau(problem)) {}

  std::vector<MatrixXd> channels(const VectorXd& x) const {
    std::vector<MatrixXd> result;
    Index begin = 0;
    for (const auto& group : problem_.groups) {
      const Index m = group.start.rows();
      result.emplace_back(Eigen::Map<const MatrixXd>(x.data() + begin, m, m));
      begin += m * m;
    }
    return result;
  }
  VectorXd start() const {
    VectorXd x(0);
    for (const auto& group : problem_.groups) {
      VectorXd longer(x.size() + group.start.size());
      longer << x, group.start.reshaped();
      x = longer;
    }
    return x;
  }
  double value(const VectorXd& x) const {
    const auto o = channels(x);
    double sum =
        objective_of_channels(problem_, o) - tau_ * slacks_of_channels(problem_, o).array().log().sum();
    for (std::size_t g = 0; g < o.size(); ++g)
      sum -= tau_ * problem_.groups[g].row_weights.dot(o[g].array().log().matrix().rowwise().sum());
    return sum;
  }
  VectorXd gradient(const VectorXd& x) const {
    const auto o = channels(x);
    const VectorXd slacks = slacks_of_channels(problem_, o);
    VectorXd result(x.size());
    Index begin = 0;
    for (std::size_t g = 0; g < o.size(); ++g) {
      const BarrierGroup& group = problem_.groups[g];
      MatrixXd part = leakage_gradient(group.joint, o[g]) + group.price;
      part -= tau_ * group.row_weights.asDiagonal() * o[g].cwiseInverse();
      for (Index k = 0; k < slacks.size(); ++k)
        part += tau_ / slacks(k) * group.costs[static_cast<std::size_t>(k)];
      result.segment(begin, part.size()) = part.reshaped();
      begin += part.size();
    }
    return result;
  }
  /// Newton's direction that keeps the row sums, from a Hessian by differences and one dense system.
  VectorXd newton(const VectorXd& x) const {
    Index rows = 0;
    for (const auto& group : problem_.groups) rows += group.start.rows();
    const Index n = x.size();
    MatrixXd system = MatrixXd::Zero(n + rows, n + rows);
    for (Index i = 0; i < n; ++i) {
      const double h = 1e-6 * x(i);
      VectorXd above = x, below = x;
      above(i) += h;
      below(i) -= h;
      system.col(i).head(n) = (gradient(above) - gradient(below)) / (2 * h);
    }
    Index begin = 0, row = n;
    for (const auto& group : problem_.groups) {
      const Index m = group.start.rows();
      for (Index c = 0; c < m; ++c, ++row)
        for (Index j = 0; j < m; ++j) system(row, begin + j * m + c) = system(begin + j * m + c, row) = 1;
      begin += m * m;
    }
    VectorXd right = VectorXd::Zero(n + rows);
    right.head(n) = -gradient(x);
    return system.fullPivLu().solve(right).head(n);
  }

 private:
  const BarrierProblem& problem_;
  const double tau_;
};

TEST(ChannelBarrier, TheGradientWrittenOutHereIsTheDerivativeOfTheBarrier) {
  const BarrierProblem problem = budget_problem(2, {.clusters = 4, .values = 3, .groups = 2}, 0.6);
  const BarrierFunction barrier(problem);
  const VectorXd x = barrier.start(), gradient = barrier.gradient(x);
  for (Index i = 0; i < x.size(); ++i) {
    VectorXd above = x, below = x;
    above(i) += 1e-6 * x(i);
    below(i) -= 1e-6 * x(i);
    EXPECT_NEAR((barrier.value(above) - barrier.value(below)) / (2e-6 * x(i)), gradient(i),
                1e-6 * (1 + std::abs(gradient(i))));
  }
}

TEST(ChannelBarrier, TheFirstStepIsNewtonsFromADenseSystem) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const ProblemShape shape{.clusters = 4, .values = 3, .groups = 2};
    const BarrierProblem problem =
        seed % 2 == 0 ? budget_problem(seed, shape, 0.6) : priced_problem(seed, shape, 2);
    const BarrierFunction barrier(problem);
    const VectorXd x = barrier.start(), direction = barrier.newton(x);
    const VectorXd slacks = slacks_of_channels(problem, barrier.channels(x));
    VectorXd slack_steps = slacks_of_channels(problem, barrier.channels(direction)) - problem.limits;
    double longest = 1 / std::max(1e-9, (-direction.array() / x.array()).maxCoeff());
    for (Index k = 0; k < slacks.size(); ++k)
      if (slack_steps(k) < 0) longest = std::min(longest, -slacks(k) / slack_steps(k));
    double step = std::min(1.0, 0.99 * longest);
    const double slope = barrier.gradient(x).dot(direction);
    EXPECT_LT(slope, 0);
    while (!(barrier.value(x + step * direction) <= barrier.value(x) + 1e-4 * step * slope)) step /= 2;
    const auto expected = barrier.channels(x + step * direction);
    const BarrierAnswer answer = minimise_by_barrier(problem, 0, 1);
    for (std::size_t g = 0; g < expected.size(); ++g)
      EXPECT_LE((answer.channels[g] - expected[g]).cwiseAbs().maxCoeff(), 1e-6) << "seed " << seed;
  }
}

TEST(ChannelBarrier, NoChannelWithinTheBudgetsIsBelowTheBoundAndTheAnswerMeetsIt) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const BarrierProblem problem =
        budget_problem(10 + seed, {.clusters = 4, .values = 3, .groups = 2, .empty_cells = 0.3}, 0.5);
    const BarrierAnswer answer = minimise_by_barrier(problem, 1e-8, 500);
    EXPECT_LE(objective_of_channels(problem, answer.channels) - answer.lower_bound, 1e-8);
    EXPECT_GE(slacks_of_channels(problem, answer.channels).minCoeff(), 0);
    for (const auto& channel : answer.channels) {
      EXPECT_GE(channel.minCoeff(), 0);
      EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14);
    }
    std::mt19937 rng(seed);
    for (int k = 0; k < 50; ++k) {
      // the start is inside: go from there towards a random channel for as long as the budgets last
      std::vector<MatrixXd> far, near = starts_of(problem);
      for (const auto& channel : near) far.push_back(random_channel(rng, channel.rows()));
      double share = 1;
      const VectorXd here = slacks_of_channels(problem, near), there = slacks_of_channels(problem, far);
      for (Index b = 0; b < here.size(); ++b)
        if (there(b) < 0) share = std::min(share, here(b) / (here(b) - there(b)));
      for (std::size_t g = 0; g < near.size(); ++g) near[g] = (1 - share) * near[g] + share * far[g];
      EXPECT_LE(answer.lower_bound, objective_of_channels(problem, near) + 1e-12);
    }
  }
}

TEST(ChannelBarrier, TheMultiplierIsTheDerivativeOfTheOptimumByItsLimit) {
  BarrierProblem problem = budget_problem(20, {.clusters = 4, .values = 3, .groups = 2}, 0.5);
  const BarrierAnswer answer = minimise_by_barrier(problem, 1e-10, 500);
  const VectorXd limits = problem.limits;
  for (Index k = 0; k < limits.size(); ++k) {
    const double h = 1e-4 * limits(k);
    problem.limits = limits;
    problem.limits(k) += h;
    const double wider = minimise_by_barrier(problem, 1e-10, 500).lower_bound;
    problem.limits(k) -= 2 * h;
    const double tighter = minimise_by_barrier(problem, 1e-10, 500).lower_bound;
    EXPECT_NEAR(answer.multipliers(k), (tighter - wider) / (2 * h), 1e-3 * (0.1 + answer.multipliers(k)));
  }
  EXPECT_GT(answer.multipliers.maxCoeff(), 0.01);  // one budget binds
}

TEST(ChannelBarrier, AClosedEntryIsTheLimitOfAHighPrice) {
  BarrierProblem closed = priced_problem(30, {.clusters = 4, .values = 3}, 1);
  BarrierGroup& group = closed.groups.front();
  BarrierProblem dear = closed;
  for (Index c = 0; c < 4; ++c) {
    group.allowed(c, (c + 2) % 4) = 0;
    dear.groups.front().price(c, (c + 2) % 4) = 100;
    group.allowed(c, 1) = 0;  // nobody is published as 1
    dear.groups.front().price(c, 1) = 100;
  }
  group.start = group.allowed;
  normalise_rows(group.start);
  const BarrierAnswer answer = minimise_by_barrier(closed, 1e-9, 500);
  const BarrierAnswer limit = minimise_by_barrier(dear, 1e-9, 500);
  EXPECT_EQ(inner(answer.channels.front(), MatrixXd::Ones(4, 4) - group.allowed), 0);
  EXPECT_NEAR(answer.lower_bound, limit.lower_bound, 1e-7);
  EXPECT_LE(objective_of_channels(closed, answer.channels) - answer.lower_bound, 1e-9);
}

TEST(ChannelBarrier, GroupsThatShareNoBudgetAddUpAndWeightsScale) {
  const BarrierProblem both = priced_problem(40, {.clusters = 4, .values = 3, .groups = 2}, 1.5);
  double apart = 0;
  for (const auto& group : both.groups)
    apart += minimise_by_barrier({.groups = {group}, .limits = {}}, 1e-10, 500).lower_bound;
  const double together = minimise_by_barrier(both, 1e-10, 500).lower_bound;
  EXPECT_NEAR(together, apart, 1e-9);
  BarrierProblem heavier = both;
  for (auto& group : heavier.groups) {
    group.joint *= 16;
    group.price *= 16;
    group.row_weights *= 16;
  }
  EXPECT_NEAR(minimise_by_barrier(heavier, 1e-9, 500).lower_bound, 16 * together, 1e-8);
}

TEST(ChannelBarrier, IdenticalClustersOneClusterAndOneValueAreOrdinaryInput) {
  const auto group_of = [](const MatrixXd& joint) {
    const Index m = joint.rows();
    return BarrierGroup{.joint = joint,
                        .allowed = MatrixXd::Ones(m, m),
                        .price = MatrixXd::Zero(m, m),
                        .costs = {},
                        .row_weights = joint.rowwise().sum(),
                        .start = MatrixXd::Constant(m, m, 1.0 / static_cast<double>(m))};
  };
  for (const MatrixXd& joint :
       {MatrixXd(MatrixXd::Constant(3, 2, 1.0 / 6)), MatrixXd(MatrixXd::Constant(1, 3, 1.0 / 3)),
        MatrixXd(MatrixXd::Constant(3, 1, 1.0 / 3))}) {
    const BarrierAnswer answer = minimise_by_barrier({.groups = {group_of(joint)}, .limits = {}}, 1e-9, 100);
    EXPECT_NEAR(answer.lower_bound, 0, 1e-9);
    EXPECT_NEAR(leakage_written_out(joint, answer.channels.front()), 0, 1e-9);
  }
}

TEST(ChannelBarrier, WithoutIterationsNothingIsProven) {
  const BarrierProblem problem = priced_problem(50, {.clusters = 3, .values = 2}, 1);
  const BarrierAnswer answer = minimise_by_barrier(problem, 1e-9, 0);
  EXPECT_EQ(answer.lower_bound, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(answer.channels.front(), problem.groups.front().start);
}

}  // namespace
}  // namespace hyobscure::solve
