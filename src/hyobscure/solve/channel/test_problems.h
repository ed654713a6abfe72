#pragma once

// Problems for the tests of this folder.

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

#include "hyobscure/solve/channel/channel.h"

namespace hyobscure::solve {

struct ProblemShape {
  int clusters = 4;
  int values = 3;
  int groups = 1;
  double empty_cells = 0;  ///< share of the cells of the joint that hold nobody
};

/// Weights from a gamma distribution, clusters as points in a cube; d(c, c) > 0 as for means over pairs.
inline ChannelProblem random_problem(unsigned seed, const ProblemShape& shape) {
  std::mt19937 rng(seed);
  std::gamma_distribution<double> weight(0.5);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto cell = [&] { return uniform(rng) < shape.empty_cells ? 0.0 : weight(rng) + 1e-6; };
  ChannelProblem problem;
  double total = 0;
  for (int g = 0; g < shape.groups; ++g) {
    Eigen::MatrixXd joint = Eigen::MatrixXd::NullaryExpr(shape.clusters, shape.values, cell);
    for (int c = 0; c < shape.clusters; ++c)
      if (joint.row(c).sum() == 0) joint(c, c % shape.values) = 0.1;
    const Eigen::MatrixXd points =
        Eigen::MatrixXd::NullaryExpr(shape.clusters, 3, [&] { return uniform(rng); });
    Eigen::MatrixXd distance(shape.clusters, shape.clusters);
    for (int i = 0; i < shape.clusters; ++i)
      for (int j = 0; j < shape.clusters; ++j)
        distance(i, j) = 0.1 * (1 + uniform(rng)) + (points.row(i) - points.row(j)).norm();
    total += joint.sum();
    problem.joints.push_back(std::move(joint));
    problem.distances.push_back(std::move(distance));
  }
  for (auto& joint : problem.joints) joint /= total;
  return problem;
}

/// Between the smallest distance (0) and the harmless one (1).
inline double budget_at(const ChannelProblem& problem, double share) {
  return smallest_distance(problem) + share * (harmless_distance(problem) - smallest_distance(problem));
}

inline void normalise_rows(Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd sums = matrix.rowwise().sum();
  matrix.array().colwise() /= sums.array();
}

inline Eigen::MatrixXd random_channel(std::mt19937& rng, Eigen::Index clusters) {
  std::gamma_distribution<double> weight(0.3);
  Eigen::MatrixXd channel =
      Eigen::MatrixXd::NullaryExpr(clusters, clusters, [&] { return weight(rng) + 1e-12; });
  normalise_rows(channel);
  return channel;
}

}  // namespace hyobscure::solve
