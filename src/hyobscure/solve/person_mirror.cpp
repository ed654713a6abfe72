#include "hyobscure/solve/person_mirror.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <utility>

#include "hyobscure/solve/person_pricing.h"

namespace hyobscure::solve {
namespace {

using Eigen::ArrayXf;
using Eigen::Index;

constexpr std::size_t kBlock = 256;        // rows or columns that one thread takes at a time
constexpr float kFloor = 1e-30f;           // of a probability: it can come back, and floats stay normal
constexpr double kBlend = 1e-9;            // share of q in a posterior of the learned attacker
constexpr int kCheckEvery = 10;
constexpr double kStepGrowth = 1.2;
constexpr int kMostBalancing = 40;         // rounds of Sinkhorn in one step

Index at(std::size_t i) { return static_cast<Index>(i); }

using ConstRow = Eigen::Map<const ArrayXf>;
using Row = Eigen::Map<ArrayXf>;

}  // namespace

MirrorSolver::MirrorSolver(const PoolTask& task, const Support& support, std::vector<float> start)
    : task_(task),
      support_(support),
      informed_shares_(informed_shares(task.pool)),
      learned_shares_(counts_learned(task) ? learned_shares(task.pool) : Eigen::VectorXd()),
      cost_(support.pairs()),
      x_(std::move(start)),
      w_(x_),
      next_(x_.size()),
      gradient_(x_.size()),
      at_x_(empty_masses()),
      at_w_(at_x_),
      at_y_(at_x_),
      at_next_(at_x_),
      scores_(support.cells()),
      row_prices_(support.people_count()),
      log_rows_(support.people_count()),
      log_columns_(support.people_count()),
      column_prices_(support.people_count(), 0.0f) {
  for (std::size_t pair = 0; pair < cost_.size(); ++pair)
    cost_[pair] = static_cast<float>(task.multiplier *
                                     (support.distances[pair] -
                                      static_cast<double>(support.nearest[support.people[pair]])));
  if (learned()) learned_scores_.resize(at(support.people_count()), task.pool.learned.cols());
  const double weight = task.terms.informed_weight + task.terms.learned_weight;
  step_ = weight > 0 ? 1 / weight : 1;
  measure(x_, at_x_);
  at_w_ = at_x_;
}

MirrorSolver::Masses MirrorSolver::empty_masses() const {
  Masses masses{.cells = std::vector<double>(support_.cells()),
                .columns = std::vector<double>(support_.people_count()),
                .learned = {}};
  if (learned()) masses.learned.setZero(at(support_.people_count()), task_.pool.learned.cols());
  return masses;
}

void MirrorSolver::measure(const std::vector<float>& channel, Masses& masses) const {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      masses.columns[j] = 0;
      if (learned()) masses.learned.row(at(j)).setZero();
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
        double sum = 0;
        for (std::size_t k = support_.cell_starts[c]; k < support_.cell_starts[c + 1]; ++k) {
          const std::uint32_t pair = support_.by_column[k];
          sum += channel[pair];
          if (learned())
            masses.learned.row(at(j)) += channel[pair] * task_.pool.learned.row(support_.people[pair]);
        }
        masses.cells[c] = sum;
        masses.columns[j] += sum;
      }
    }
  });
}

void MirrorSolver::mix(const Masses& x, const Masses& w, double theta, Masses& result) const {
  for (std::size_t c = 0; c < x.cells.size(); ++c)
    result.cells[c] = (1 - theta) * x.cells[c] + theta * w.cells[c];
  for (std::size_t j = 0; j < x.columns.size(); ++j)
    result.columns[j] = (1 - theta) * x.columns[j] + theta * w.columns[j];
  if (learned())
    result.learned = static_cast<float>(1 - theta) * x.learned + static_cast<float>(theta) * w.learned;
}

/// Of the objective at y, for all pairs; and its least entry in each row.
void MirrorSolver::compute_gradient() {
  const double informed = task_.terms.informed_weight, weight = task_.terms.learned_weight;
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
        scores_[c] = static_cast<float>(
            informed * std::log(at_y_.cells[c] /
                                (informed_shares_(support_.cell_values[c]) * at_y_.columns[j])));
      if (!learned() || at_y_.columns[j] <= 0) continue;
      for (Index y = 0; y < learned_shares_.size(); ++y)
        learned_scores_(at(j), y) =
            learned_shares_(y) > 0
                ? static_cast<float>(weight * std::log((1 - kBlend) * at_y_.learned(at(j), y) /
                                                           (learned_shares_(y) * at_y_.columns[j]) +
                                                       kBlend))
                : 0.0f;
    }
  });
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      float least = std::numeric_limits<float>::infinity();
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair) {
        const std::uint32_t j = support_.donors[pair];
        float value = scores_[support_.cell_of_pair[pair]] + cost_[pair];
        if (learned()) value += task_.pool.learned.row(at(u)).dot(learned_scores_.row(j));
        gradient_[pair] = value;
        least = std::min(least, value - column_prices_[j]);
      }
      row_prices_[u] = least;
    }
  });
}

/// next = w exp(-scale (gradient - nu)), rows normalised.
void MirrorSolver::move_rows(double scale) {
  const auto factor = static_cast<float>(scale);
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    ArrayXf exponents;
    for (std::size_t u = begin; u < end; ++u) {
      const std::size_t first = support_.starts[u], size = support_.starts[u + 1] - first;
      exponents.resize(at(size));
      const auto least = static_cast<float>(row_prices_[u]);
      for (std::size_t k = 0; k < size; ++k)
        exponents(at(k)) =
            factor * (least - (gradient_[first + k] - column_prices_[support_.donors[first + k]]));
      Row next(next_.data() + first, at(size));
      next = ConstRow(w_.data() + first, at(size)) * exponents.exp();
      const double sum = next.cast<double>().sum();
      next = (next * static_cast<float>(1 / sum)).max(kFloor);
      log_rows_[u] = -std::log(sum);
    }
  });
}

double MirrorSolver::column_error() const {
  double error = 0;
  for (const double sum : at_next_.columns) error += std::abs(sum - 1);
  return error / static_cast<double>(support_.people_count());
}

/// Sinkhorn's scalings until the columns of `next` sum to 1, more or less; rows last.
void MirrorSolver::balance_columns() {
  std::fill(log_columns_.begin(), log_columns_.end(), 0.0);
  for (int round = 0; round < kMostBalancing; ++round) {
    measure(next_, at_next_);
    if (column_error() <= balance_tolerance_) return;
    std::vector<float> factors(support_.people_count());
    for (std::size_t j = 0; j < factors.size(); ++j) {
      factors[j] = static_cast<float>(1 / at_next_.columns[j]);
      log_columns_[j] -= std::log(at_next_.columns[j]);
    }
    parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t u = begin; u < end; ++u) {
        double sum = 0;
        for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair) {
          next_[pair] *= factors[support_.donors[pair]];
          sum += next_[pair];
        }
        const auto inverse = static_cast<float>(1 / sum);
        for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair)
          next_[pair] = std::max(next_[pair] * inverse, kFloor);
        log_rows_[u] -= std::log(sum);
      }
    });
  }
  measure(next_, at_next_);
}

/// The Bregman distance of next from w: sum w phi(next / w).
double MirrorSolver::moved(double scale) const {
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t u = begin; u < end; ++u)
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair) {
        const std::uint32_t j = support_.donors[pair];
        const double logarithm = scale * (row_prices_[u] - (gradient_[pair] - column_prices_[j])) +
                                 log_rows_[u] + (task_.terms.balanced ? log_columns_[j] : 0);
        // the same function of r = e^logarithm, by its own series
        const double phi = std::abs(logarithm) < 1e-2
                               ? logarithm * logarithm * (0.5 + logarithm * (1.0 / 3 + logarithm / 8))
                               : next_[pair] / w_[pair] * (logarithm - 1) + 1;
        sum += w_[pair] * phi;
      }
    return sum;
  });
}

/// F(x+) - F(y) - <G(y), x+ - y>: relative entropies of the masses, which move by theta (w+ - w).
double MirrorSolver::divergence() const {
  const double informed = task_.terms.informed_weight, weight = task_.terms.learned_weight;
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) {
      const double column = at_y_.columns[j];
      if (column <= 0) continue;
      if (informed > 0)
        for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
          sum += informed * at_y_.cells[c] *
                 relative_entropy_of_change(theta_ * (at_next_.cells[c] - at_w_.cells[c]) / at_y_.cells[c]);
      if (learned())
        for (Index y = 0; y < learned_shares_.size(); ++y)
          if (at_y_.learned(at(j), y) > 0)
            sum += weight * at_y_.learned(at(j), y) *
                   relative_entropy_of_change(theta_ *
                                              (at_next_.learned(at(j), y) - at_w_.learned(at(j), y)) /
                                              at_y_.learned(at(j), y));
      sum -= (informed + weight) * column *
             relative_entropy_of_change(theta_ * (at_next_.columns[j] - at_w_.columns[j]) / column);
    }
    return sum;
  });
}

/// Moves x and w. Returns whether x went downhill.
bool MirrorSolver::accept(double theta) {
  const auto share = static_cast<float>(theta);
  const double slope = sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t pair = support_.starts[begin]; pair < support_.starts[end]; ++pair) {
      const float change = share * (next_[pair] - x_[pair]);
      sum += static_cast<double>(gradient_[pair] - column_prices_[support_.donors[pair]]) * change;
      x_[pair] += change;
    }
    return sum;
  });
  std::swap(w_, next_);
  std::swap(at_w_, at_next_);
  mix(at_x_, at_w_, theta, at_x_);
  return slope <= 0;
}

void MirrorSolver::restart() {
  theta_ = 1;
  w_ = x_;
  at_w_ = at_x_;
}

void MirrorSolver::take_step() {
  mix(at_x_, at_w_, theta_, at_y_);
  compute_gradient();
  const double previous = step_;
  for (step_ *= kStepGrowth;; step_ *= 0.5) {
    const double scale = step_ / theta_;
    move_rows(scale);
    if (task_.terms.balanced)
      balance_columns();
    else
      measure(next_, at_next_);
    if (divergence() <= theta_ * theta_ / step_ * moved(scale)) break;
    if (step_ < 1e-3) break;
  }
  const bool downhill = accept(theta_);
  if (task_.terms.balanced)
    for (std::size_t j = 0; j < column_prices_.size(); ++j)
      column_prices_[j] += static_cast<float>(theta_ / step_ * log_columns_[j]);
  (void)previous;
  if (downhill) {
    const double ratio = theta_ * theta_;
    theta_ = (std::sqrt(ratio * ratio + 4 * ratio) - ratio) / 2;
  } else {
    restart();
  }
}

double MirrorSolver::leakage(const Masses& masses) const {
  const double informed = task_.terms.informed_weight, weight = task_.terms.learned_weight;
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j) {
      if (informed > 0)
        for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
          sum += informed * masses.cells[c] *
                 std::log(masses.cells[c] / (informed_shares_(support_.cell_values[c]) * masses.columns[j]));
      if (learned())
        for (Index y = 0; y < learned_shares_.size(); ++y)
          if (masses.learned(at(j), y) > 0)
            sum += weight * masses.learned(at(j), y) *
                   std::log(masses.learned(at(j), y) / (learned_shares_(y) * masses.columns[j]));
    }
    return sum;
  });
}

double MirrorSolver::linear_cost(const std::vector<float>& channel) const {
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t u = begin; u < end; ++u) {
      sum += task_.multiplier * support_.nearest[u];
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair)
        sum += static_cast<double>(channel[pair]) * cost_[pair];
    }
    return sum;
  });
}

PoolDuals MirrorSolver::current_duals() const {
  PoolDuals duals{.rows = row_prices_,
                  .columns = std::vector<double>(column_prices_.begin(), column_prices_.end()),
                  .learned = {}};
  if (learned()) duals.learned = learned_scores_ / static_cast<float>(task_.terms.learned_weight);
  return duals;
}

/// Value and bound of where we are. Columns that are a little off their sum are charged at their price.
void MirrorSolver::check() {
  value_ = leakage(at_x_) + linear_cost(x_);
  for (std::size_t j = 0; j < column_prices_.size(); ++j)
    value_ += column_prices_[j] * (1 - at_x_.columns[j]);
  PoolDuals duals = current_duals();
  const double bound = bound_on_support(task_, support_, duals);
  if (std::getenv("DBG")) {
    double raw = 0;
    for (std::size_t u = 0; u < row_prices_.size(); ++u) raw += row_prices_[u] + task_.multiplier * support_.nearest[u];
    for (const float c : column_prices_) raw += c;
    const double m = static_cast<double>(row_prices_.size());
    double err = 0;
    for (const double c : at_x_.columns) err += std::abs(c - 1) / m;
    std::printf("   it %d value %.6f bound %.6f raw %.6f gap %.2e theta %.3f step %.3g colerr %.1e\n", iterations_, value_ / m, bound / m,
                raw / m, (value_ - std::max(bound, bound_)) / m, theta_, step_, err);
  }
  if (bound > bound_) {
    bound_ = bound;
    best_duals_ = std::move(duals);
  }
}

void MirrorSolver::run(double tolerance, int max_iterations, const Progress& progress) {
  for (int k = 0; k < max_iterations; ++k) {
    progress.throw_if_stopped();
    take_step();
    iterations_ += 1;
    if (iterations_ % kCheckEvery == 0 || k + 1 == max_iterations) {
      check();
      if (value_ - bound_ <= tolerance) break;
      if (task_.terms.balanced)
        balance_tolerance_ =
            std::clamp(0.05 * (value_ - bound_) / static_cast<double>(support_.people_count()), 1e-7, 1e-2);
    }
  }
}

}  // namespace hyobscure::solve
