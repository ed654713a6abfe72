#include "hyobscure/solve/channel/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_places.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/channel/test_problems.h"

namespace hyobscure::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-9 / kBitsPerNat;

// Written from the definition, shares nothing with the solver.
double mutual_information(const MatrixXd& p) {
  const double total = p.sum();
  double sum = 0;
  for (int i = 0; i < p.rows(); ++i)
    for (int j = 0; j < p.cols(); ++j)
      if (p(i, j) > 0) sum += p(i, j) * std::log(p(i, j) / p.col(j).sum() / (p.row(i).sum() / total));
  return sum;
}

double leakage_by_definition(const ChannelProblem& problem, const std::vector<MatrixXd>& channels) {
  double sum = 0;
  for (std::size_t g = 0; g < channels.size(); ++g)
    sum += mutual_information(problem.joints[g].transpose() * channels[g]);
  return sum;
}

double distance_by_definition(const ChannelProblem& problem, const std::vector<MatrixXd>& channels) {
  double sum = 0;
  for (std::size_t g = 0; g < channels.size(); ++g)
    for (int c = 0; c < channels[g].rows(); ++c)
      for (int j = 0; j < channels[g].cols(); ++j)
        sum += problem.joints[g].row(c).sum() * channels[g](c, j) * problem.distances[g](c, j);
  return sum;
}

void expect_valid(const ChannelProblem& problem, const ChannelResult& result) {
  ASSERT_EQ(result.channels.size(), problem.joints.size());
  for (const auto& channel : result.channels) {
    EXPECT_GE(channel.minCoeff(), 0);
    EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  }
  EXPECT_NEAR(result.info.leakage_nats, leakage_by_definition(problem, result.channels), 1e-12);
  EXPECT_NEAR(result.info.distance, distance_by_definition(problem, result.channels), 1e-12);
  EXPECT_EQ(result.info.status, SolveStatus::Solved);
  EXPECT_LE(result.info.gap_nats, kTolerance);
}

void expect_answers(const ChannelProblem& problem, double budget) {
  const auto result = solve_with_budget(problem, budget);
  expect_valid(problem, result);
  EXPECT_LE(result.info.distance, budget * (1 + 1e-12) + 1e-15);
  EXPECT_GE(result.info.leakage_nats, result.info.lower_bound_nats);
}

/// Exponentiated gradient on leakage + multiplier * distance: slow, simple, and monotone.
std::vector<MatrixXd> slow_solution(const ChannelProblem& problem, double multiplier, int rounds) {
  std::vector<MatrixXd> channels;
  for (std::size_t g = 0; g < problem.joints.size(); ++g) {
    const MatrixXd& joint = problem.joints[g];
    const VectorXd share = joint.colwise().sum().transpose() / joint.sum();
    MatrixXd channel =
        MatrixXd::Constant(joint.rows(), joint.rows(), 1.0 / static_cast<double>(joint.rows()));
    for (int round = 0; round < rounds; ++round) {
      const MatrixXd published = (joint.transpose() * channel).cwiseMax(1e-280);
      const MatrixXd scores =
          (published.array().colwise() / share.array()).rowwise() / published.colwise().sum().array();
      MatrixXd exponent = joint * scores.array().log().matrix();
      exponent.array().colwise() /= joint.rowwise().sum().array().eval();
      exponent += multiplier * problem.distances[g];
      channel.array() *= (-exponent.array()).exp();
      normalise_rows(channel);
    }
    channels.push_back(channel);
  }
  return channels;
}

ChannelProblem with_distance(const MatrixXd& joint, const MatrixXd& distance) {
  return {{joint / joint.sum()}, {distance}};
}

MatrixXd zero_one(int clusters) {
  return MatrixXd::Ones(clusters, clusters) - MatrixXd::Identity(clusters, clusters);
}

// ---- Known answers ----

TEST(Channel, WithoutBudgetForChangeEverybodyStaysAndAllLeaks) {
  const auto problem = with_distance(MatrixXd{{3, 1}, {1, 2}, {0, 1}}, zero_one(3));
  const auto result = solve_with_budget(problem, 0);
  expect_valid(problem, result);
  EXPECT_TRUE(result.channels[0].isApprox(MatrixXd::Identity(3, 3), 1e-9));
  EXPECT_NEAR(result.info.leakage_nats, mutual_information(problem.joints[0]), 1e-12);
}

TEST(Channel, AmpleBudgetLeavesNothingToLearn) {
  const auto problem = random_problem(2, {.clusters = 5, .values = 4, .groups = 3});
  for (const double budget : {harmless_distance(problem), harmless_distance(problem) + 0.1}) {
    const auto result = solve_with_budget(problem, budget);
    expect_valid(problem, result);
    EXPECT_LE(result.info.leakage_nats * kBitsPerNat, 1e-9);
    EXPECT_LE(result.info.distance, budget);
  }
}

// Two clusters that each have one value: the channel is binary and symmetric, so the answer is
// log 2 - h(budget) with h the entropy of a coin.
TEST(Channel, BinarySymmetricAnswerIsTheTextbookOne) {
  const auto problem = with_distance(MatrixXd::Identity(2, 2), zero_one(2));
  for (const double budget : {0.01, 0.1, 0.25, 0.4}) {
    const double entropy = -x_log_x(budget) - x_log_x(1 - budget);
    const auto result = solve_with_budget(problem, budget);
    EXPECT_NEAR(result.info.leakage_nats, std::log(2.0) - entropy, 1e-9);
    EXPECT_NEAR(result.info.multiplier, std::log((1 - budget) / budget), 1e-4);  // the slope of that curve
  }
}

TEST(Channel, SmallestAndHarmlessDistanceFollowTheirFormulas) {
  const auto problem = with_distance(MatrixXd{{1, 1}, {1, 0}, {0, 1}},
                                     MatrixXd{{0.3, 0.2, 0.9}, {0.5, 0.1, 0.6}, {0.4, 0.8, 0.4}});
  EXPECT_NEAR(smallest_distance(problem), 0.5 * 0.2 + 0.25 * 0.1 + 0.25 * 0.4, 1e-15);
  EXPECT_NEAR(harmless_distance(problem), 0.5 * 0.2 + 0.25 * 0.1 + 0.25 * 0.8, 1e-15);
}

// ---- Edges ----

TEST(Channel, OneClusterCanOnlyStay) {
  const auto problem = with_distance(MatrixXd{{1, 2, 3}}, MatrixXd{{0.4}});
  expect_valid(problem, solve_with_budget(problem, 0.4));
  expect_valid(problem, solve_with_multiplier(problem, 2));
}

TEST(Channel, OneValueInTheGroupLeaksNothing) {
  auto problem = random_problem(3, {.clusters = 4, .values = 1});
  expect_answers(problem, budget_at(problem, 0.3));
  EXPECT_LE(solve_with_budget(problem, budget_at(problem, 0.3)).info.leakage_nats, kTolerance);
}

TEST(Channel, GroupsOfOneAndOfManyValuesShareTheBudget) {
  auto problem = random_problem(4, {.clusters = 4, .values = 5, .groups = 2});
  problem.joints[0] = MatrixXd(problem.joints[0].rowwise().sum());
  for (const double share : {0.01, 0.4, 0.95}) expect_answers(problem, budget_at(problem, share));
}

TEST(Channel, DistancesThatAreAllZeroHideEverything) {
  const auto problem = with_distance(MatrixXd{{3, 1}, {1, 2}}, MatrixXd::Zero(2, 2));
  expect_answers(problem, 0);
  EXPECT_LE(solve_with_budget(problem, 0).info.leakage_nats, kTolerance);
  EXPECT_LE(solve_with_multiplier(problem, 1).info.leakage_nats, kTolerance);
}

TEST(Channel, PeopleWhoAreAllEquallyFarApartCanHideEverything) {
  const auto problem = with_distance(MatrixXd{{3, 1}, {1, 2}, {0, 4}}, MatrixXd::Constant(3, 3, 0.7));
  expect_answers(problem, 0.7);
  EXPECT_LE(solve_with_budget(problem, 0.7).info.leakage_nats, kTolerance);
  EXPECT_LE(solve_with_multiplier(problem, 100).info.leakage_nats, kTolerance);
}

// As many clusters as people, each with one value; people of a value stand on one spot. That is the uniform
// source of n symbols, whose least information at error rate e is log n - h(e) - e log(n - 1).
TEST(Channel, OneClusterForEachPersonGivesTheTextbookAnswerOfTheUniformSource) {
  constexpr int kValues = 4, kPeople = 12;
  MatrixXd joint = MatrixXd::Zero(kPeople, kValues), distance(kPeople, kPeople);
  for (int i = 0; i < kPeople; ++i) {
    joint(i, i % kValues) = 1;
    for (int j = 0; j < kPeople; ++j) distance(i, j) = i % kValues == j % kValues ? 0 : 1;
  }
  for (const auto& problem : {with_distance(joint, distance),
                              with_distance(MatrixXd::Identity(kValues, kValues), zero_one(kValues))})
    for (const double budget : {0.001, 0.05, 0.3, 0.7}) {
      expect_answers(problem, budget);
      EXPECT_NEAR(solve_with_budget(problem, budget).info.leakage_nats,
                  std::log(4.0) + x_log_x(budget) + x_log_x(1 - budget) - budget * std::log(3.0),
                  2 * kTolerance);
    }
}

TEST(Channel, IdenticalClustersEmptyCellsAndTinyWeightsAreOrdinaryInput) {
  MatrixXd joint{{5, 0, 0}, {0, 0, 4}, {2, 2, 2}, {2, 2, 2}, {1e-7, 0, 0}, {0, 3e-7, 1e-7}};
  const auto distance = random_problem(5, {.clusters = 6}).distances[0];
  MatrixXd twins = distance;
  twins.row(3) = twins.row(2);
  twins.col(3) = twins.col(2);
  for (const auto& d : {distance, twins}) {
    const auto problem = with_distance(joint, d);
    for (const double share : {0.0, 1e-10, 1e-6, 0.01, 0.2, 0.5, 0.9, 0.9999})
      expect_answers(problem, budget_at(problem, share));
    for (const double multiplier : {0.0, 0.1, 1.0, 50.0})
      expect_valid(problem, solve_with_multiplier(problem, multiplier));
  }
}

TEST(Channel, ValuesAndClustersWithoutWeightAreIgnored) {
  const auto problem = random_problem(6, {.clusters = 4, .values = 3});
  ChannelProblem wider = problem;
  wider.joints[0].conservativeResize(5, 4);
  wider.joints[0].row(4).setZero();
  wider.joints[0].col(3).setZero();
  wider.distances[0].conservativeResize(5, 5);
  wider.distances[0].row(4).setConstant(0.1);
  wider.distances[0].col(4).setConstant(9);
  const double budget = budget_at(problem, 0.3);
  const auto result = solve_with_budget(wider, budget);
  expect_valid(wider, result);
  EXPECT_NEAR(result.info.leakage_nats, solve_with_budget(problem, budget).info.leakage_nats, 2 * kTolerance);
}

TEST(Channel, BudgetAtTheMinimumIsAnsweredByTheBestOfTheTies) {
  // Cluster 2 is as near to 0 as to 1; sending it to either would reveal its value.
  const auto problem =
      with_distance(MatrixXd{{2, 1}, {1, 2}, {1, 1}}, MatrixXd{{0, 1, 2}, {1, 0, 2}, {1, 1, 3}});
  const double smallest = smallest_distance(problem);
  double best = 1e9;
  for (int i = 0; i <= 1000; ++i) {
    const double t = i / 1000.0;
    const MatrixXd channel{{1, 0, 0}, {0, 1, 0}, {t, 1 - t, 0}};
    best = std::min(best, mutual_information(problem.joints[0].transpose() * channel));
  }
  for (const double budget : {smallest, smallest + 1e-13, smallest - 1e-13}) {
    const auto result = solve_with_budget(problem, budget);
    expect_valid(problem, result);
    EXPECT_NEAR(result.info.distance, smallest, 1e-12);
    EXPECT_NEAR(result.info.leakage_nats, best, 1e-6);
  }
}

// ---- Oracles ----

class SmallChannel : public testing::TestWithParam<int> {};

TEST_P(SmallChannel, AgreesWithExhaustiveSearchOnTwoClusters) {
  const auto problem = random_problem(11, {.clusters = 2, .values = GetParam()});
  const double budget = budget_at(problem, 0.4);
  double best = 1e9;
  for (int i = 0; i <= 500; ++i)
    for (int j = 0; j <= 500; ++j) {
      const double a = i / 500.0, b = j / 500.0;
      const std::vector<MatrixXd> channels{MatrixXd{{1 - a, a}, {b, 1 - b}}};
      if (distance_by_definition(problem, channels) <= budget)
        best = std::min(best, leakage_by_definition(problem, channels));
    }
  const auto info = solve_with_budget(problem, budget).info;
  EXPECT_LE(info.leakage_nats, best + info.gap_nats);  // the gap is an honest bound
  EXPECT_NEAR(info.leakage_nats, best, 2e-3);          // the grid is this coarse
}

INSTANTIATE_TEST_SUITE_P(Values, SmallChannel, testing::Values(2, 3));

class RandomChannel : public testing::TestWithParam<unsigned> {};

TEST_P(RandomChannel, AgreesWithASlowSolverOfAnotherKind) {
  const auto problem =
      random_problem(GetParam(), {.clusters = 4, .values = 3, .groups = 2, .empty_cells = 0.2});
  const double multiplier = 0.3;
  const auto slow = slow_solution(problem, multiplier, 20'000);
  const double reached =
      leakage_by_definition(problem, slow) + multiplier * distance_by_definition(problem, slow);
  const auto info = solve_with_multiplier(problem, multiplier).info;
  EXPECT_LE(info.lower_bound_nats, reached);
  EXPECT_NEAR(info.leakage_nats + multiplier * info.distance, reached, 1e-5);
}

TEST_P(RandomChannel, MoreBudgetNeverLeaksMore) {
  const auto problem = random_problem(GetParam(), {.clusters = 6, .values = 4, .groups = 2});
  double before = unobscured_leakage(problem.joints) + kTolerance;
  for (const double share : {0.0, 1e-9, 0.001, 0.05, 0.2, 0.5, 0.8, 0.99, 1.0}) {
    const auto info = solve_with_budget(problem, budget_at(problem, share)).info;
    EXPECT_LE(info.leakage_nats, before + info.gap_nats) << share;
    before = info.leakage_nats;
  }
}

TEST_P(RandomChannel, TheNamesOfTheClustersDoNotMatter) {
  const auto problem = random_problem(GetParam(), {.clusters = 5, .values = 4});
  std::vector<int> order(5);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 rng(GetParam());
  std::shuffle(order.begin(), order.end(), rng);
  const ChannelProblem renamed{{problem.joints[0](order, Eigen::all)}, {problem.distances[0](order, order)}};
  const double budget = budget_at(problem, 0.3);
  EXPECT_NEAR(solve_with_budget(problem, budget).info.leakage_nats,
              solve_with_budget(renamed, budget).info.leakage_nats, 2 * kTolerance);
}

TEST_P(RandomChannel, NoChannelWithinTheBudgetLeaksLessThanTheLowerBound) {
  const auto problem = random_problem(GetParam(), {.clusters = 3, .values = 3});
  const double budget = budget_at(problem, 0.5);
  const auto optimal = solve_with_budget(problem, budget);
  std::mt19937 rng(GetParam());
  int inside = 0;
  for (int i = 0; i < 3000; ++i) {
    // Near the optimum, where a bound that is too high would show.
    const double share = std::pow(10.0, -6.0 * (i % 100) / 100.0);
    const std::vector<MatrixXd> channel{(1 - share) * optimal.channels[0] + share * random_channel(rng, 3)};
    if (distance_by_definition(problem, channel) > budget) continue;
    ++inside;
    EXPECT_GE(leakage_by_definition(problem, channel), optimal.info.lower_bound_nats);
  }
  EXPECT_GT(inside, 20);
}

TEST_P(RandomChannel, TheMultiplierOfABudgetLeadsBackToIt) {
  const auto problem = random_problem(GetParam(), {.clusters = 6, .values = 5, .groups = 2});
  const auto by_budget = solve_with_budget(problem, budget_at(problem, 0.3)).info;
  const auto by_price = solve_with_multiplier(problem, by_budget.multiplier).info;
  const double price = by_budget.multiplier;
  EXPECT_GT(price, 0);
  EXPECT_NEAR(by_budget.leakage_nats + price * by_budget.distance,
              by_price.leakage_nats + price * by_price.distance, 3 * kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomChannel, testing::Range(20u, 32u));

TEST(Channel, EveryShapeReachesTheCertifiedTolerance) {
  std::mt19937 rng(1);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng); };
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto problem =
        random_problem(seed, {between(1, 14), between(1, 12), between(1, 4), 0.1 * between(0, 7)});
    SCOPED_TRACE(seed);
    expect_answers(problem, budget_at(problem, std::pow(10.0, -between(0, 9)) * 0.9));
    expect_valid(problem, solve_with_multiplier(problem, std::pow(10.0, between(-4, 3))));
  }
}

TEST(Channel, ShortOfIterationsTheAnswerIsStillValidAndItsGapHonest) {
  const auto problem = random_problem(7, {.clusters = 8, .values = 6});
  const double budget = budget_at(problem, 0.3);
  const auto rough = solve_with_budget(problem, budget, {.max_iterations = 6});
  const auto exact = solve_with_budget(problem, budget);
  EXPECT_EQ(rough.info.status, SolveStatus::IterationLimit);
  EXPECT_LE(rough.info.distance, budget * (1 + 1e-12));
  EXPECT_GT(rough.info.gap_nats, kTolerance);
  EXPECT_LE(rough.info.leakage_nats - rough.info.gap_nats, exact.info.leakage_nats);
}

TEST(Channel, SeveralBudgetsHoldAtOnceAndTheLooseOneDoesNotMatter) {
  const auto problem = random_problem(8, {.clusters = 5, .values = 4});
  const MatrixXd cost = problem.joints[0].rowwise().sum().asDiagonal() * problem.distances[0];
  const double budget = budget_at(problem, 0.3);
  const MatrixXd unweighted = zero_one(5) / 5;
  const std::vector<LinearBudget> loose{{{cost}, budget}, {{unweighted}, 0.999}};
  const std::vector<LinearBudget> both{{{cost}, budget}, {{unweighted}, 0.2}};
  const double alone = solve_with_budget(problem, budget).info.leakage_nats;
  EXPECT_NEAR(solve_with_budgets(problem, loose).info.leakage_nats, alone, 2 * kTolerance);
  const auto result = solve_with_budgets(problem, both);
  expect_valid(problem, result);
  EXPECT_LE(result.info.distance, budget * (1 + 1e-12));
  EXPECT_LE(result.channels[0].cwiseProduct(unweighted).sum(), 0.2 * (1 + 1e-12));
  EXPECT_GT(result.info.leakage_nats, alone + 1e-3);
}

// ---- Refusals ----

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(Channel, RefusesABudgetThatNobodyCanMeetAndNamesTheSmallest) {
  const auto problem = with_distance(MatrixXd::Identity(2, 2), MatrixXd{{0.25, 1}, {1, 0.25}});
  EXPECT_THAT(refusal([&] { (void)solve_with_budget(problem, 0.2); }), testing::HasSubstr("0.25"));
}

TEST(Channel, RefusesBudgetsThatExcludeEachOther) {
  const auto problem = with_distance(MatrixXd::Identity(2, 2), zero_one(2));
  const MatrixXd stay = zero_one(2), move = MatrixXd::Identity(2, 2);
  const std::vector<LinearBudget> budgets{{{stay}, 0.8}, {{move}, 0.8}};
  EXPECT_THAT(refusal([&] { (void)solve_with_budgets(problem, budgets); }), testing::HasSubstr("no channel"));
}

TEST(Channel, RefusesMalformedInput) {
  const auto good = random_problem(9, {});
  auto counts = good, negative = good, misshapen = good, missing = good;
  counts.joints[0] *= 100;
  negative.distances[0](0, 1) = -1;
  misshapen.distances[0].conservativeResize(3, 3);
  missing.distances.clear();
  EXPECT_THAT(refusal([&] { (void)solve_with_budget(counts, 1); }), testing::HasSubstr("sum to 1"));
  EXPECT_THAT(refusal([&] { (void)solve_with_budget(negative, 1); }), testing::HasSubstr("not negative"));
  EXPECT_THAT(refusal([&] { (void)solve_with_budget(misshapen, 1); }), testing::HasSubstr("square"));
  EXPECT_THAT(refusal([&] { (void)solve_with_multiplier(missing, 1); }),
              testing::HasSubstr("one matrix a group"));
  EXPECT_THROW((void)solve_with_budget(good, kUnset), InputError);
  EXPECT_THROW((void)solve_with_multiplier(good, -1), InputError);
}

// ---- The reference instances ----

MatrixXd read_matrix(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.at(0).size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    matrix.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<Eigen::RowVectorXd>(rows[i].data(), static_cast<Eigen::Index>(rows[i].size()));
  return matrix;
}

/// Rows by column name; the quoted notes at the end of a line are not read.
std::vector<std::map<std::string, std::string>> read_index(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::string> names;
  std::istringstream header(line);
  for (std::string name; std::getline(header, name, ',');) names.push_back(name);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; rows.back().size() < 20 && std::getline(cells, cell, ',');)
      rows.back()[names[rows.back().size()]] = cell;
  }
  return rows;
}

TEST(Channel, ReachesTheProvenOptimaOfTheReferenceInstances) {
  const auto folder = shared_folder("HYOBSCURE_REFERENCE", "reference") / "oproblem";
  if (!std::filesystem::exists(folder / "index.csv"))
    GTEST_SKIP() << "no reference instances in " << folder << "; set HYOBSCURE_REFERENCE";
  const auto index = read_index(folder / "index.csv");
  ASSERT_EQ(index.size(), 28u);
  for (const auto& row : index) {
    const std::string name = row.at("name");
    SCOPED_TRACE(name);
    const ChannelProblem problem{{read_matrix(folder / (name + "_pgy.csv")).transpose()}, {}};
    std::vector<LinearBudget> budgets;
    for (int k = 0; k < std::stoi(row.at("K")); ++k) {
      const MatrixXd cost = read_matrix(folder / (name + "_JSD" + std::to_string(k) + ".csv"));
      budgets.push_back({{cost / static_cast<double>(cost.rows())}, std::stod(row.at("deltaX"))});
    }
    const auto result = solve_with_budgets(problem, budgets);
    const double optimum = std::stod(row.at("rowstoch_obj_bits"));
    EXPECT_EQ(result.info.status, SolveStatus::Solved);
    EXPECT_NEAR(result.info.leakage_nats * kBitsPerNat, optimum, 1e-6);
    EXPECT_LE(result.info.lower_bound_nats * kBitsPerNat, optimum + 2e-8);  // the optimum itself has 1e-8
    for (const auto& budget : budgets)
      EXPECT_LE(budget.costs[0].cwiseProduct(result.channels[0]).sum(), budget.limit * (1 + 1e-12));
  }
}

}  // namespace
}  // namespace hyobscure::solve
