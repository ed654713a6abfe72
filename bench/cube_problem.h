#pragma once

#include <random>

#include "hyobscure/solve/channel/channel.h"

/// Counts of people over clusters that are points in a cube; values shift people towards some clusters.
inline hyobscure::solve::ChannelProblem clusters_in_a_cube(int clusters, int values) {
  std::mt19937 rng(7);  // fixed: runs on different days compare the same problem
  std::gamma_distribution<double> weight(0.5);
  std::uniform_real_distribution<double> uniform(0, 1);
  Eigen::MatrixXd joint = Eigen::MatrixXd::NullaryExpr(clusters, values, [&] { return weight(rng) + 1e-6; });
  joint /= joint.sum();
  const Eigen::MatrixXd points = Eigen::MatrixXd::NullaryExpr(clusters, 3, [&] { return uniform(rng); });
  Eigen::MatrixXd distance(clusters, clusters);
  for (int i = 0; i < clusters; ++i)
    for (int j = 0; j < clusters; ++j) distance(i, j) = 0.2 + (points.row(i) - points.row(j)).norm();
  return {{joint}, {distance}};
}

/// 30 % of the way from the smallest distance to the harmless one.
inline double usual_budget(const hyobscure::solve::ChannelProblem& problem) {
  const double smallest = hyobscure::solve::smallest_distance(problem);
  return smallest + 0.3 * (hyobscure::solve::harmless_distance(problem) - smallest);
}
