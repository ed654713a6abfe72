#include "hyobscure/solve/channel/leakage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/solve/channel/test_problems.h"

namespace hyobscure::solve {
namespace {

using Eigen::MatrixXd;

TEST(Leakage, ClustersThatTellTheValueLeakTheEntropyOfTheGroup) {
  const std::vector<MatrixXd> joints{MatrixXd{{0.25, 0}, {0, 0.25}}, MatrixXd{{0.5}}};
  EXPECT_NEAR(unobscured_leakage(joints), 0.5 * std::log(2), 1e-15);
  EXPECT_NEAR(group_entropy(joints), std::log(2), 1e-15);
  EXPECT_NEAR(secret_entropy(joints), 1.5 * std::log(2), 1e-15);
  const std::vector<MatrixXd> stay{MatrixXd::Identity(2, 2), MatrixXd::Identity(1, 1)};
  EXPECT_NEAR(total_leakage(joints, stay), secret_entropy(joints), 1e-15);
}

TEST(Leakage, TheSameRowForEverybodyLeaksNothing) {
  const auto problem = random_problem(1, {.clusters = 3, .values = 4});
  MatrixXd channel(3, 3);
  channel.rowwise() = Eigen::RowVector3d(0.2, 0, 0.8);
  EXPECT_NEAR(group_leakage(problem.joints[0], channel), 0, 1e-15);
  EXPECT_GE(group_leakage(problem.joints[0], channel), 0);
}

TEST(Leakage, NoChannelTellsMoreThanTheClustersThemselves) {
  std::mt19937 rng(2);
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto problem = random_problem(seed, {.clusters = 4, .values = 3, .empty_cells = 0.3});
    const double all = unobscured_leakage(problem.joints);
    EXPECT_NEAR(group_leakage(problem.joints[0], MatrixXd::Identity(4, 4)), all, 1e-14);
    EXPECT_LE(group_leakage(problem.joints[0], random_channel(rng, 4)), all);
  }
}

}  // namespace
}  // namespace hyobscure::solve
