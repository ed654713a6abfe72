#pragma once

// Pools of people for the tests of this folder.

#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::solve {

/// A pool and the distances it points to.
struct OwnedPool {
  Eigen::MatrixXd distance;
  std::unique_ptr<DistanceMatrix> kept;
  PersonPool pool;
};

inline OwnedPool make_pool(const Eigen::MatrixXd& distance, std::vector<std::uint32_t> values_of_people) {
  OwnedPool result;
  const DistanceMatrix::Table table = distance.cast<float>();
  result.distance = table.cast<double>();
  result.kept = std::make_unique<DistanceMatrix>(table);
  result.pool.distances = result.kept.get();
  result.pool.values = *std::ranges::max_element(values_of_people) + 1;
  result.pool.value_of_person = std::move(values_of_people);
  return result;
}

/// People as points in a square, distances not symmetric but zero to oneself; the first people have one value
/// each, so that all values occur.
inline OwnedPool random_pool(unsigned seed, std::uint32_t people, std::uint32_t values) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Eigen::MatrixXd points = Eigen::MatrixXd::NullaryExpr(people, 2, [&] { return uniform(rng); });
  Eigen::MatrixXd distance(people, people);
  for (Eigen::Index u = 0; u < distance.rows(); ++u)
    for (Eigen::Index v = 0; v < distance.cols(); ++v)
      distance(u, v) = (points.row(u) - points.row(v)).norm() * (1 + 0.1 * uniform(rng));
  std::vector<std::uint32_t> value(people);
  for (std::uint32_t u = 0; u < people; ++u)
    value[u] = u < values ? u : static_cast<std::uint32_t>(uniform(rng) * values);
  return make_pool(distance, value);
}

/// People on the points 0 .. `farthest` of a grid, 0.1 apart along each dimension: many pairs are equally
/// near. Values at random.
inline OwnedPool pool_of_ties(std::mt19937& rng, Eigen::Index people, Eigen::Index dimensions, int farthest) {
  std::uniform_int_distribution<int> place(0, farthest);
  const Eigen::MatrixXd points = Eigen::MatrixXd::NullaryExpr(people, dimensions, [&] { return place(rng); });
  Eigen::MatrixXd distance(people, people);
  for (Eigen::Index u = 0; u < people; ++u)
    for (Eigen::Index v = 0; v < people; ++v)
      distance(u, v) = 0.1 * (points.row(u) - points.row(v)).lpNorm<1>();
  const auto values = 2 + rng() % 6;
  std::vector<std::uint32_t> value_of_person;
  for (Eigen::Index u = 0; u < people; ++u)
    value_of_person.push_back(static_cast<std::uint32_t>(rng() % values));
  return make_pool(distance, value_of_person);
}

/// The same as a problem of clusters, each holding one person.
inline ChannelProblem one_person_clusters(std::span<const OwnedPool> pools) {
  double people = 0;
  for (const auto& owned : pools) people += static_cast<double>(owned.pool.size());
  ChannelProblem problem;
  for (const auto& owned : pools) {
    Eigen::MatrixXd joint = Eigen::MatrixXd::Zero(owned.distance.rows(), owned.pool.values);
    for (Eigen::Index u = 0; u < joint.rows(); ++u)
      joint(u, owned.pool.value_of_person[static_cast<std::size_t>(u)]) = 1 / people;
    problem.joints.push_back(std::move(joint));
    problem.distances.push_back(owned.distance);
  }
  return problem;
}

inline Eigen::MatrixXd dense(const SparseChannel& channel) {
  const auto people = static_cast<Eigen::Index>(channel.size());
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(people, people);
  for (std::size_t u = 0; u < channel.size(); ++u)
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e)
      result(static_cast<Eigen::Index>(u), channel.donors[e]) += channel.probabilities[e];
  return result;
}

/// The smallest sum of cost(u, permutation(u)) over all permutations.
inline double cheapest_permutation(const Eigen::MatrixXd& cost) {
  std::vector<Eigen::Index> donors(static_cast<std::size_t>(cost.rows()));
  std::iota(donors.begin(), donors.end(), Eigen::Index{0});
  double best = cost.sum() + 1;
  do {
    double sum = 0;
    for (Eigen::Index u = 0; u < cost.rows(); ++u) sum += cost(u, donors[static_cast<std::size_t>(u)]);
    best = std::min(best, sum);
  } while (std::ranges::next_permutation(donors).found);
  return best;
}

}  // namespace hyobscure::solve
