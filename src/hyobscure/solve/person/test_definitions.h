#pragma once

// The problem of person_sparse.md written out from its definition, slowly and in double: what the numerics of
// this folder are held against.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hyobscure/solve/person/person_bound.h"
#include "hyobscure/solve/person/person_support.h"
#include "hyobscure/solve/person/person_terms.h"
#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {

/// random_pool with a model of the learned attacker that is neither certain nor ignorant. Probabilities are
/// multiples of 1/1024: floats hold them exactly, and rows sum to 1 exactly.
inline OwnedPool pool_with_model(unsigned seed, std::uint32_t people, std::uint32_t values) {
  OwnedPool owned = solve::random_pool(seed, people, values);
  std::mt19937 rng(seed + 7919);
  std::uniform_int_distribution<int> part(10, 600 / static_cast<int>(values));
  auto& learned = owned.pool.learned;
  learned.resize(people, values);
  for (Eigen::Index u = 0; u < learned.rows(); ++u) {
    int rest = 1024;
    for (Eigen::Index y = 0; y < learned.cols(); ++y) {
      const int parts = part(rng);
      learned(u, y) = static_cast<float>(parts) / 1024;
      rest -= parts;
    }
    learned(u, owned.pool.value_of_person[static_cast<std::size_t>(u)]) += static_cast<float>(rest) / 1024;
  }
  return owned;
}

/// Either attacker alone and both, free and balanced, with and without oneself.
inline std::vector<PersonTerms> terms_of_all_kinds() {
  std::vector<PersonTerms> all;
  for (const auto& [informed, learned] : {std::pair(1.0, 0.0), std::pair(0.0, 1.0), std::pair(0.3, 0.9)})
    for (const bool balanced : {false, true})
      for (const bool own : {false, true})
        all.push_back({.informed_weight = informed,
                       .learned_weight = learned,
                       .balanced = balanced,
                       .self_donor = own});
  return all;
}

inline std::string name_of(const PersonTerms& terms) {
  return std::string(terms.balanced ? "balanced" : "free") + (terms.self_donor ? "" : ", never oneself") +
         ", weights " + std::to_string(terms.informed_weight) + " " + std::to_string(terms.learned_weight);
}

/// P(u, y) of the informed attacker: one-hot.
inline Eigen::MatrixXd informed_beliefs(const PersonPool& pool) {
  Eigen::MatrixXd beliefs = Eigen::MatrixXd::Zero(at(pool.size()), pool.values);
  for (std::size_t u = 0; u < pool.size(); ++u) beliefs(at(u), pool.value_of_person[u]) = 1;
  return beliefs;
}

/// sum_j sum_y v log( v / (q R) ). The channel need not be normalised: a derivative can be taken by
/// differences.
inline double information_by_definition(const Eigen::MatrixXd& beliefs, const Eigen::MatrixXd& channel) {
  const Eigen::MatrixXd v = beliefs.transpose() * channel;
  const Eigen::VectorXd q = beliefs.colwise().mean();
  double sum = 0;
  for (Eigen::Index j = 0; j < v.cols(); ++j)
    for (Eigen::Index y = 0; y < v.rows(); ++y)
      if (v(y, j) > 0)
        sum += v(y, j) * std::log(v(y, j) / (q(y) * beliefs.rowwise().sum().dot(channel.col(j))));
  return sum;
}

/// What is minimised.
inline double value_by_definition(const PoolTask& task, const Eigen::MatrixXd& distance,
                                  const Eigen::MatrixXd& channel) {
  double value = task.multiplier * channel.cwiseProduct(distance).sum();
  if (task.terms.informed_weight > 0)
    value += task.terms.informed_weight * information_by_definition(informed_beliefs(task.pool), channel);
  if (task.terms.learned_weight > 0)
    value += task.terms.learned_weight * information_by_definition(task.pool.learned.cast<double>(), channel);
  return value;
}

/// Gamma(u, j) by central differences, at a channel whose allowed entries are positive.
inline Eigen::MatrixXd gradient_by_differences(const PoolTask& task, const Eigen::MatrixXd& distance,
                                               const Eigen::MatrixXd& channel) {
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(channel.rows(), channel.cols());
  Eigen::MatrixXd moved = channel;
  for (Eigen::Index u = 0; u < channel.rows(); ++u)
    for (Eigen::Index j = 0; j < channel.cols(); ++j) {
      if (channel(u, j) <= 0) continue;
      const double step = 1e-5 * channel(u, j);
      moved(u, j) = channel(u, j) + step;
      const double above = value_by_definition(task, distance, moved);
      moved(u, j) = channel(u, j) - step;
      gradient(u, j) = (above - value_by_definition(task, distance, moved)) / (2 * step);
      moved(u, j) = channel(u, j);
    }
  return gradient;
}

/// Rows scaled to sum 1 and, where balanced, columns too: Sinkhorn's sweeps.
inline void scale_to_sums(const PersonTerms& terms, Eigen::MatrixXd& channel) {
  for (int sweep = 0; sweep < (terms.balanced ? 500 : 1); ++sweep) {
    if (terms.balanced) channel.array().rowwise() /= channel.colwise().sum().eval().array();
    channel.array().colwise() /= channel.rowwise().sum().eval().array();
    if (terms.balanced && (channel.colwise().sum().array() - 1).abs().maxCoeff() < 1e-14) break;
  }
}

/// A channel within the terms: spiky, so that corners are visited too.
inline Eigen::MatrixXd channel_within(const PoolTask& task, std::mt19937& rng, double shape = 0.3) {
  std::gamma_distribution<double> weight(shape);
  const Eigen::Index people = at(task.pool.size());
  Eigen::MatrixXd channel = Eigen::MatrixXd::NullaryExpr(people, people, [&] { return weight(rng) + 1e-9; });
  for (std::size_t u = 0; u < task.pool.size(); ++u)
    if (!is_allowed(task.pool, task.terms, u, u)) channel(at(u), at(u)) = 0;
  scale_to_sums(task.terms, channel);
  return channel;
}

/// The least value that plain exponentiated gradients find. Never below the optimum; for a handful of people
/// within about 1e-4 of it.
inline double value_of_slow_descent(const PoolTask& task, const Eigen::MatrixXd& distance, int steps = 1500) {
  std::mt19937 rng(1);
  Eigen::MatrixXd x = channel_within(task, rng, 50);
  const double step = 1 / (task.terms.informed_weight + task.terms.learned_weight);
  const auto scores = [&](const Eigen::MatrixXd& beliefs) {
    const Eigen::MatrixXd v = (beliefs.transpose() * x).cwiseMax(1e-300);
    const Eigen::VectorXd q = beliefs.colwise().mean();
    const Eigen::RowVectorXd outputs = v.colwise().sum();
    return Eigen::MatrixXd(beliefs * (v.array() / (q * outputs).array()).log().matrix());
  };
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < steps; ++k) {
    Eigen::MatrixXd gradient = task.multiplier * distance;
    if (task.terms.informed_weight > 0)
      gradient += task.terms.informed_weight * scores(informed_beliefs(task.pool));
    if (task.terms.learned_weight > 0)
      gradient += task.terms.learned_weight * scores(task.pool.learned.cast<double>());
    x = x.array() * (-step * gradient.array()).exp();
    scale_to_sums(task.terms, x);
    if (k % 100 == 99) best = std::min(best, value_by_definition(task, distance, x));
  }
  return best;
}

/// The distance to the nearest allowed donor, of each person.
inline std::vector<float> nearest_allowed(const PoolTask& task) {
  std::vector<float> nearest, row(task.pool.size());
  for (std::size_t u = 0; u < task.pool.size(); ++u) {
    task.pool.distances->row(u, row);
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t j = 0; j < row.size(); ++j)
      if (is_allowed(task.pool, task.terms, u, j)) least = std::min(least, row[j]);
    nearest.push_back(least);
  }
  return nearest;
}

/// The allowed pairs that `keep(u, j)` accepts.
template <class Keep>
Support support_of(const PoolTask& task, const Keep& keep) {
  DonorRows rows(task.pool.size());
  std::vector<float> row(task.pool.size());
  for (std::size_t u = 0; u < rows.size(); ++u) {
    task.pool.distances->row(u, row);
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (is_allowed(task.pool, task.terms, u, j) && keep(u, j))
        rows[u].push_back({static_cast<std::uint32_t>(j), row[j]});
  }
  return index_pairs(task.pool, rows, nearest_allowed(task));
}

inline Support support_of_all_pairs(const PoolTask& task) {
  return support_of(task, [](std::size_t, std::size_t) { return true; });
}

/// Prices that have nothing to do with any channel; the learned scores obey sum_y q e^(s - excess) = 1, by an
/// excess that is large, or of the size of rounding as the solver has it.
inline PoolDuals random_duals(const PoolTask& task, std::mt19937& rng, double size = 1,
                              bool large_excess = true) {
  std::uniform_real_distribution<double> uniform(-size, size);
  const std::size_t people = task.pool.size();
  PoolDuals duals{.rows = std::vector<double>(people),
                  .columns = std::vector<double>(people, 0.0),
                  .learned = {},
                  .learned_excess = {}};
  for (double& price : duals.rows) price = uniform(rng);
  if (task.terms.balanced)
    for (double& price : duals.columns) price = uniform(rng);
  if (task.terms.learned_weight <= 0) return duals;
  const Eigen::VectorXd shares = learned_shares(task.pool);
  duals.learned =
      RowMatrixXf::NullaryExpr(at(people), shares.size(), [&] { return static_cast<float>(uniform(rng)); });
  const auto excess_of = [&](std::size_t j) {
    return std::log(
        (duals.learned.row(at(j)).transpose().cast<double>().array().exp() * shares.array()).sum());
  };
  for (std::size_t j = 0; j < people; ++j) {
    if (!large_excess) duals.learned.row(at(j)).array() -= static_cast<float>(excess_of(j));
    duals.learned_excess.push_back(excess_of(j));
  }
  return duals;
}

/// person_sparse.md, "The bound", as it stands there: b, h, s1 and nu from mu and s2, then the sum of minima,
/// over the pairs that `has(u, j)` accepts. `heights` gets w1 h_j, or max_u b without the informed attacker.
template <class Has>
double bound_by_formula(const PoolTask& task, const Eigen::MatrixXd& distance, const PoolDuals& duals,
                        const Has& has, std::vector<double>* heights = nullptr) {
  const double w1 = task.terms.informed_weight, w2 = task.terms.learned_weight;
  const std::size_t people = task.pool.size();
  const auto infinity = std::numeric_limits<double>::infinity();
  const std::vector<float> nearest = nearest_allowed(task);
  const Eigen::VectorXd q = informed_shares(task.pool);
  const auto fixed = [&](std::size_t u, std::size_t j) {
    double price = task.multiplier * (distance(at(u), at(j)) - static_cast<double>(nearest[u]));
    if (w2 > 0)
      for (Eigen::Index y = 0; y < duals.learned.cols(); ++y)
        price += w2 * static_cast<double>(task.pool.learned(at(u), y)) *
                 (static_cast<double>(duals.learned(at(j), y)) - duals.learned_excess[j]);
    return price;
  };
  Eigen::MatrixXd best = Eigen::MatrixXd::Constant(at(people), task.pool.values, -infinity);
  std::vector<double> h(people, 0.0);
  for (std::size_t j = 0; j < people; ++j) {
    double highest = -infinity, sum = 0;
    for (std::size_t u = 0; u < people; ++u) {
      if (!has(u, j)) continue;
      double& cell = best(at(j), task.pool.value_of_person[u]);
      cell = std::max(cell, duals.rows[u] - fixed(u, j));
      highest = std::max(highest, cell);
    }
    for (Eigen::Index y = 0; w1 > 0 && y < q.size(); ++y)
      if (best(at(j), y) > -infinity) sum += q(y) * std::exp(best(at(j), y) / w1);
    h[j] = w1 > 0 ? w1 * std::log(sum) : highest;
  }
  double bound = 0;
  for (std::size_t u = 0; u < people; ++u) {
    double least = infinity;
    for (std::size_t j = 0; j < people; ++j) {
      if (!has(u, j)) continue;
      const double s1 = w1 > 0 ? best(at(j), task.pool.value_of_person[u]) - h[j] : 0;
      const double nu = task.terms.balanced ? -h[j] : 0;
      least = std::min(least, s1 + fixed(u, j) - nu);
    }
    bound += least + task.multiplier * static_cast<double>(nearest[u]);
  }
  if (task.terms.balanced)
    for (const double height : h)
      if (std::isfinite(height)) bound -= height;
  if (heights != nullptr) *heights = std::move(h);
  return bound;
}

/// The same people in another order: person k of the result is person order[k].
inline OwnedPool reordered(const OwnedPool& owned, const std::vector<std::size_t>& order) {
  Eigen::MatrixXd distance(owned.distance.rows(), owned.distance.cols());
  std::vector<std::uint32_t> values;
  for (std::size_t k = 0; k < order.size(); ++k) {
    values.push_back(owned.pool.value_of_person[order[k]]);
    for (std::size_t l = 0; l < order.size(); ++l)
      distance(at(k), at(l)) = owned.distance(at(order[k]), at(order[l]));
  }
  OwnedPool result = make_pool(distance, std::move(values));
  result.pool.learned.resize(owned.pool.learned.rows(), owned.pool.learned.cols());
  if (result.pool.learned.size() > 0)
    for (std::size_t k = 0; k < order.size(); ++k)
      result.pool.learned.row(at(k)) = owned.pool.learned.row(at(order[k]));
  return result;
}

}  // namespace hyobscure::solve
