#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

SparseChannel without_zeros(const Eigen::MatrixXd& matrix) {
  SparseChannel channel;
  for (Eigen::Index u = 0; u < matrix.rows(); ++u) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      if (matrix(u, j) > 0) {
        channel.donors.push_back(static_cast<std::uint32_t>(j));
        channel.probabilities.push_back(matrix(u, j));
      }
    channel.starts.push_back(channel.donors.size());
  }
  return channel;
}

TEST(PersonBalance, FillsWhatScalingCannotReach) {
  // Two people share donor 0 and nobody takes donor 1: no scaling of these entries balances them.
  SparseChannel channel{.starts = {0, 1, 2, 3}, .donors = {1, 2, 1}, .probabilities = {1, 1, 1}};
  for (const bool own : {true, false}) {
    const Eigen::MatrixXd balanced = dense(balanced_channel(channel, own));
    EXPECT_LE((balanced.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_LE((balanced.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
    EXPECT_GE(balanced.minCoeff(), 0);
    if (!own) {
      EXPECT_EQ(balanced.diagonal().maxCoeff(), 0);
    }
  }
}

TEST(PersonBalance, LeavesABalancedChannelAsItIs) {
  const OwnedPool owned = solve::random_pool(1, 8, 2);
  const PersonTerms terms{.balanced = true};
  std::mt19937 rng(2);
  const Eigen::MatrixXd channel = channel_within({.pool = owned.pool, .terms = terms}, rng);
  EXPECT_LE((dense(balanced_channel(without_zeros(channel), true)) - channel).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PersonBalance, ScalesRowsAndColumnsAndNothingElse) {
  // Sinkhorn: what is returned is diag(a) X diag(b), so every 2 x 2 minor keeps its cross ratio.
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  const Eigen::MatrixXd start = Eigen::MatrixXd::NullaryExpr(5, 5, [&] { return uniform(rng) / 5; });
  const Eigen::MatrixXd result = dense(balanced_channel(without_zeros(start), true));
  EXPECT_LE((result.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_LE((result.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  const auto cross = [](const Eigen::MatrixXd& m, Eigen::Index u, Eigen::Index j) {
    return m(u, j) * m(0, 0) / (m(u, 0) * m(0, j));
  };
  for (Eigen::Index u = 1; u < 5; ++u)
    for (Eigen::Index j = 1; j < 5; ++j) EXPECT_NEAR(cross(result, u, j), cross(start, u, j), 1e-12);
}

TEST(PersonBalance, WhatNoScalingReachesIsFilledWithinAllSums) {
  // Patterns with few entries mostly carry no balanced channel.
  std::mt19937 rng(4);
  for (int trial = 0; trial < 30; ++trial)
    for (const bool own : {false, true}) {
      Eigen::MatrixXd start = Eigen::MatrixXd::Zero(6, 6);
      for (Eigen::Index u = 0; u < 6; ++u)
        for (int k = 0; k < 2; ++k) {
          const auto j = static_cast<Eigen::Index>(rng() % 6);
          if (own || j != u) start(u, j) += 1;
          if (!own && j == u) start(u, (u + 1) % 6) += 1;
        }
      const Eigen::MatrixXd result = dense(balanced_channel(without_zeros(start), own));
      EXPECT_GE(result.minCoeff(), 0);
      EXPECT_LE((result.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
      EXPECT_LE((result.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
      if (!own) {
        EXPECT_EQ(result.diagonal().maxCoeff(), 0);
      }
    }
}

}  // namespace
}  // namespace hyobscure::solve
