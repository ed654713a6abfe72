#include "hyobscure/solve/person/person_mirror.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hyobscure/solve/person/person_bound.h"

namespace hyobscure::solve {
namespace {

using Eigen::ArrayXf;
using Eigen::Index;

constexpr float kFloor = 1e-30f;  // of a probability: it can come back, and floats stay normal
constexpr double kBlend = 1e-9;   // share of q in a posterior of the learned attacker
constexpr int kCheckEvery = 10;
constexpr double kStepGrowth = 1.2;     // tried before each step; halved until the step test holds
constexpr double kSmallestStep = 1e-3;  // below it only rounding can fail the test
constexpr int kMostBalancing = 10;  // rounds of Sinkhorn in one step: more change the number of steps little
constexpr std::size_t kPairsAtOnce = 1 << 14;
// Columns are balanced to this share of the gap, a person, but no worse and no better than:
constexpr double kBalanceShare = 0.2, kCoarsestBalance = 1e-2, kFinestBalance = 1e-7;

using ConstRow = Eigen::Map<const ArrayXf>;
using Row = Eigen::Map<ArrayXf>;
using Eight = Eigen::Map<Eigen::Matrix<float, 8, 1>>;
using ConstEight = Eigen::Map<const Eigen::Matrix<float, 8, 1>>;

// The innermost work of a step, once a pair. Eight weights, as models of many values have, are one vector of
// the processor; loops of unknown length would take several times as long.

/// sums += amount z_u, at the profiles of u.
void add_weights(const PersonPool& pool, std::size_t u, float amount, float* sums) {
  const float* weights = pool.learned.row(at(u)).data();
  const Index width = pool.learned.cols();
  sums += first_profile(pool, u);
  if (width == 8)
    Eight(sums) += amount * ConstEight(weights);
  else
    Eigen::Map<Eigen::VectorXf>(sums, width) += amount * Eigen::Map<const Eigen::VectorXf>(weights, width);
}

/// sum_k z_uk scores(k), `scores` beginning at the profiles of u.
float weighted_sum(const PersonPool& pool, std::size_t u, const float* scores) {
  const float* weights = pool.learned.row(at(u)).data();
  const Index width = pool.learned.cols();
  if (width == 8) return ConstEight(weights).dot(ConstEight(scores));
  return Eigen::Map<const Eigen::VectorXf>(weights, width)
      .dot(Eigen::Map<const Eigen::VectorXf>(scores, width));
}

}  // namespace

MirrorSolver::MirrorSolver(const PoolTask& task, const Support& support, Floats start, Floats column_prices)
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
      column_sums_(support.people_count()),
      column_prices_(std::move(column_prices)) {
  for (std::size_t u = 0; u < support.people_count(); ++u)
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      // from the nearest donor: a float keeps the digits of the difference, not of lambda d itself ("Digits")
      cost_[pair] = static_cast<float>(task.multiplier *
                                       (support.distances[pair] - static_cast<double>(support.nearest[u])));
  if (task.terms.balanced) kernel_by_column_.resize(support.pairs());
  if (learned()) {
    inverse_learned_shares_ =
        (learned_shares_.array() > 0).select(1 / learned_shares_.array(), 0).cast<float>();
    learned_scores_.setZero(at(support.people_count()), learned_shares_.size());
    if (has_profiles()) profile_scores_.setZero(at(support.people_count()), profile_count(task.pool));
  }
  // person_sparse.md, "Steps on a support": F is w1 + w2 smooth relative to the entropy, so a first step of
  // this size never goes uphill.
  const double weight = task.terms.informed_weight + task.terms.learned_weight;
  step_ = weight > 0 ? 1 / weight : 1;
  measure(x_, at_x_);
  at_w_ = at_x_;
}

MirrorSolver::Masses MirrorSolver::empty_masses() const {
  Masses masses{.cells = std::vector<double>(support_.cells()),
                .columns = std::vector<double>(support_.people_count()),
                .learned = {}};
  if (learned()) masses.learned.setZero(at(support_.people_count()), learned_shares_.size());
  return masses;
}

void MirrorSolver::measure(const Floats& channel, Masses& masses) const {
  const PersonPool& pool = task_.pool;
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    // sum_u x(u,j) z_u, profile by profile
    Eigen::RowVectorXf weights(learned() ? profile_count(pool) : 0);
    for (std::size_t j = begin; j < end; ++j) {
      masses.columns[j] = 0;
      weights.setZero();
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
        double sum = 0;
        for (std::size_t k = support_.cell_starts[c]; k < support_.cell_starts[c + 1]; ++k) {
          const std::uint32_t pair = support_.by_column[k];
          sum += channel[pair];
          if (learned()) add_weights(pool, support_.people[k], channel[pair], weights.data());
        }
        masses.cells[c] = sum;
        // R_j is the same for both attackers, since rows of P2 sum to 1
        masses.columns[j] += sum;
      }
      if (!learned()) continue;
      if (has_profiles())
        masses.learned.row(at(j)).noalias() = weights * pool.profiles;
      else
        masses.learned.row(at(j)) = weights;
    }
  });
}

void MirrorSolver::mix(const Masses& x, const Masses& w, double theta, Masses& result) const {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = support_.column_cells[begin]; c < support_.column_cells[end]; ++c)
      // v_j(y) is linear in the channel: y = (1 - theta) x + theta w needs no pass over the pairs.
      result.cells[c] = (1 - theta) * x.cells[c] + theta * w.cells[c];
    for (std::size_t j = begin; j < end; ++j)
      result.columns[j] = (1 - theta) * x.columns[j] + theta * w.columns[j];
    if (!learned()) return;
    const auto rows = at(end - begin);
    result.learned.middleRows(at(begin), rows) =
        static_cast<float>(1 - theta) * x.learned.middleRows(at(begin), rows) +
        static_cast<float>(theta) * w.learned.middleRows(at(begin), rows);
  });
}

/// w1 s1 of the cells and w2 s2 of the donors at y.
void MirrorSolver::compute_scores() {
  const auto informed = static_cast<float>(task_.terms.informed_weight);
  const auto weight = static_cast<float>(task_.terms.learned_weight);
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      const std::size_t first = support_.column_cells[j], last = support_.column_cells[j + 1];
      if (first == last) continue;
      for (std::size_t c = first; c < last; ++c)
        // s1_j(y) = log( v / (q R) ): the gradient of F1 by x(u,j) is s1_j(y_u), the terms of R and v cancel
        scores_[c] = static_cast<float>(at_y_.cells[c] /
                                        (informed_shares_(support_.cell_values[c]) * at_y_.columns[j]));
      Row scores(scores_.data() + first, at(last - first));
      scores = informed * scores.log();
      if (!learned()) continue;
      // s2 with 1e-9 of q blended in: finite where a mass is zero, and sum_y q e^s2 stays 1 but for rounding.
      const auto blend = static_cast<float>(kBlend);
      learned_scores_.row(at(j)) =
          weight * ((1 - blend) / static_cast<float>(at_y_.columns[j]) * at_y_.learned.row(at(j)).array() *
                        inverse_learned_shares_.transpose() +
                    blend)
                       .log();
      if (has_profiles())
        profile_scores_.row(at(j)).noalias() = learned_scores_.row(at(j)) * task_.pool.profiles.transpose();
    }
  });
}

/// Of the objective at y, for all pairs; and the least price in each row.
void MirrorSolver::compute_gradient() {
  compute_scores();
  const RowMatrixXf& of_weights = has_profiles() ? profile_scores_ : learned_scores_;
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      float least = std::numeric_limits<float>::infinity();
      const Index first = learned() ? first_profile(task_.pool, u) : 0;
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair) {
        const std::uint32_t j = support_.donors[pair];
        float value = scores_[support_.cell_of_pair[pair]] + cost_[pair];
        if (learned()) value += weighted_sum(task_.pool, u, of_weights.row(j).data() + first);
        gradient_[pair] = value;
        // mu_u = min_j (Gamma - nu_j) over the support: what bound_on_support starts from
        least = std::min(least, value - column_prices_[j]);
      }
      row_prices_[u] = least;
    }
  });
}

/// next = w exp(-scale (gradient - nu)), rows normalised.
void MirrorSolver::move_rows(double scale) {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    ArrayXf logs;
    for (std::size_t u = begin; u < end; ++u) {
      const std::size_t first = support_.starts[u], size = support_.starts[u + 1] - first;
      log_ratios(u, static_cast<float>(scale), logs);
      Row next(next_.data() + first, at(size));
      // exponents are at most 0, because log_ratios counts from the least price of the row: no overflow
      next = ConstRow(w_.data() + first, at(size)) * logs.exp();
      const double sum = next.cast<double>().sum();
      next = (next * static_cast<float>(1 / sum)).max(kFloor);
      log_rows_[u] = -std::log(sum);
    }
  });
}

/// Sums of the scaled columns, and how far they are from 1, a person.
double MirrorSolver::sum_columns() {
  const double error =
      sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t j = begin; j < end; ++j) {
          double sum = 0;
          const std::size_t last = support_.cell_starts[support_.column_cells[j + 1]];
          for (std::size_t k = support_.cell_starts[support_.column_cells[j]]; k < last; ++k)
            sum += static_cast<double>(kernel_by_column_[k] * row_factors_[support_.people[k]]);
          // "Balanced": kernel, row factors and column factors are kept apart, so a round reads memory in
          // order
          column_sums_[j] = sum * static_cast<double>(column_factors_[j]);
          part += std::abs(column_sums_[j] - 1);
        }
        return part;
      });
  return error / static_cast<double>(support_.people_count());
}

void MirrorSolver::scale_rows() {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      double sum = 0;
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair)
        sum += static_cast<double>(next_[pair] * column_factors_[support_.donors[pair]]);
      row_factors_[u] = static_cast<float>(1 / sum);
    }
  });
}

void MirrorSolver::apply_factors() {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair)
        next_[pair] =
            std::max(kFloor, next_[pair] * row_factors_[u] * column_factors_[support_.donors[pair]]);
      log_rows_[u] += std::log(static_cast<double>(row_factors_[u]));
      log_columns_[u] = std::log(static_cast<double>(column_factors_[u]));
    }
  });
}

/// Sinkhorn's scalings until the columns of `next` sum to 1, more or less. Scalings are kept apart from what
/// they scale, and columns are copied together first: large pools then read memory in order.
void MirrorSolver::balance_columns() {
  row_factors_.assign(support_.people_count(), 1.0f);
  column_factors_.assign(support_.people_count(), 1.0f);
  parallel_blocks(support_.pairs(), kPairsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) kernel_by_column_[k] = next_[support_.by_column[k]];
  });
  // The columns need not be exact: what they lack is charged at nu in check(). The tolerance follows the gap.
  for (int round = 0; round < kMostBalancing && sum_columns() > balance_tolerance_; ++round) {
    for (std::size_t j = 0; j < column_sums_.size(); ++j)
      column_factors_[j] = static_cast<float>(static_cast<double>(column_factors_[j]) / column_sums_[j]);
    scale_rows();
  }
  apply_factors();
}

/// The logarithm of next / w over a row, without the scaling of the row.
void MirrorSolver::log_ratios(std::size_t u, float scale, ArrayXf& result) const {
  const std::size_t first = support_.starts[u], size = support_.starts[u + 1] - first;
  const auto least = static_cast<float>(row_prices_[u]);
  result.resize(at(size));
  for (std::size_t k = 0; k < size; ++k)
    result(at(k)) = scale * (least - (gradient_[first + k] - column_prices_[support_.donors[first + k]]));
}

/// The Bregman distance of next from w: sum w phi(next / w), phi(r) = r log r - r + 1.
double MirrorSolver::distance_moved(double scale) const {
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    ArrayXf logs;
    for (std::size_t u = begin; u < end; ++u) {
      const std::size_t first = support_.starts[u];
      log_ratios(u, static_cast<float>(scale), logs);
      logs += static_cast<float>(log_rows_[u]);
      if (task_.terms.balanced)
        for (Index k = 0; k < logs.size(); ++k)
          logs(k) += static_cast<float>(log_columns_[support_.donors[first + static_cast<std::size_t>(k)]]);
      // phi(r) = r log r - r + 1 with r = e^logs: as a sum of terms >= 0 it keeps its digits near the
      // optimum, where a difference of values would be rounding.
      const ConstRow w(w_.data() + first, logs.size()), next(next_.data() + first, logs.size());
      // near r = 1 by its series in log r, elsewhere as it stands
      sum += (logs.abs() < 0.02f)
                 .select(w * logs.square() * (0.5f + logs * (1.0f / 3 + logs / 8)), next * (logs - 1) + w)
                 .sum();
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
      // D_F(x+, y) for F = sum v log v - sum R log R + linear terms: each x log x contributes y phi(x+ / y),
      // masses of v with +, those of R with -.
      const double column = at_y_.columns[j];
      if (column <= 0) continue;
      if (informed > 0)
        for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
          sum += informed * at_y_.cells[c] *
                 relative_entropy_of_change(theta_ * (at_next_.cells[c] - at_w_.cells[c]) / at_y_.cells[c]);
      if (learned())
        for (Index y = 0; y < learned_shares_.size(); ++y)
          if (at_y_.learned(at(j), y) > 0)
            sum +=
                weight * at_y_.learned(at(j), y) *
                relative_entropy_of_change(theta_ * (at_next_.learned(at(j), y) - at_w_.learned(at(j), y)) /
                                           at_y_.learned(at(j), y));
      sum -= (informed + weight) * column *
             relative_entropy_of_change(theta_ * (at_next_.columns[j] - at_w_.columns[j]) / column);
    }
    return sum;
  });
}

/// Moves x and w. Returns whether x went downhill.
bool MirrorSolver::move_to_next() {
  const auto share = static_cast<float>(theta_);
  const double slope =
      sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t pair = support_.starts[begin]; pair < support_.starts[end]; ++pair) {
          // x+ - x = theta (w+ - x); the slope along Gamma(y) - nu decides about a restart
          const float change = share * (next_[pair] - x_[pair]);
          sum += static_cast<double>(gradient_[pair] - column_prices_[support_.donors[pair]]) * change;
          x_[pair] += change;
        }
        return sum;
      });
  std::swap(w_, next_);
  std::swap(at_w_, at_next_);
  mix(at_x_, at_w_, theta_, at_x_);
  return slope <= 0;
}

void MirrorSolver::restart() {
  theta_ = 1;
  // momentum is dropped: w returns to x and theta to 1
  w_ = x_;
  at_w_ = at_x_;
}

void MirrorSolver::take_step() {
  mix(at_x_, at_w_, theta_, at_y_);
  compute_gradient();
  // Step test: D_F(x+, y) <= theta^2 / eta D(w+, w), with eta = step_. At theta = 1 relative smoothness
  // grants it for eta <= 1 / (w1 + w2). Below, convexity of the entropy grants theta D(w+, w) only, so it is
  // tested.
  for (step_ *= kStepGrowth;; step_ *= 0.5) {
    const double scale = step_ / theta_;
    move_rows(scale);
    if (task_.terms.balanced) balance_columns();
    measure(next_, at_next_);
    if (divergence() <= theta_ * theta_ / step_ * distance_moved(scale) || step_ < kSmallestStep) break;
  }
  // before the prices change: the slope belongs to the nu of this step
  const bool downhill = move_to_next();
  if (task_.terms.balanced)
    for (std::size_t j = 0; j < column_prices_.size(); ++j)
      // w+ = w exp( -(eta/theta) (Gamma - nu) ) times the column factor: in the exponent that is a change of
      // nu
      column_prices_[j] += static_cast<float>(theta_ / step_ * log_columns_[j]);
  if (downhill) {
    // theta+^2 = (1 - theta+) theta^2, solved for theta+
    const double square = theta_ * theta_;
    theta_ = (std::sqrt(square * square + 4 * square) - square) / 2;
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

double MirrorSolver::linear_cost(const Floats& channel) const {
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
                  .learned = {},
                  .learned_excess = {}};
  if (!learned()) return duals;
  duals.learned = learned_scores_ / static_cast<float>(task_.terms.learned_weight);
  duals.learned_excess.resize(support_.people_count());
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j)
      // log sum_y q e^s2 of the floats as they are: person_bound takes it off again, which makes s2 feasible
      // exactly
      duals.learned_excess[j] = std::log(
          (duals.learned.row(at(j)).transpose().cast<double>().array().exp() * learned_shares_.array())
              .sum());
  });
  return duals;
}

/// Value and bound of where we are. Columns that are a little off their sum are charged at their price.
void MirrorSolver::check() {
  // The value is that of x, not of y: a channel that can be returned.
  value_ = leakage(at_x_) + linear_cost(x_);
  for (std::size_t j = 0; j < column_prices_.size(); ++j)
    value_ += column_prices_[j] * (1 - at_x_.columns[j]);
  PoolDuals duals = current_duals();
  const double bound = bound_on_support(task_, support_, duals);
  if (bound > bound_) {
    bound_ = bound;
    best_duals_ = std::move(duals);
  }
}

void MirrorSolver::run(double tolerance, int max_iterations, const Progress& progress) {
  const auto people = static_cast<double>(support_.people_count());
  balance_tolerance_ = std::clamp(kBalanceShare * tolerance / people, kFinestBalance, kCoarsestBalance);
  for (int k = 1; k <= max_iterations; ++k) {
    progress.throw_if_stopped();
    take_step();
    iterations_ += 1;
    // a check is two more passes over all pairs
    if (k % kCheckEvery != 0 && k != max_iterations) continue;
    check();
    if (value_ - bound_ <= tolerance) return;
    balance_tolerance_ =
        std::clamp(kBalanceShare * (value_ - bound_) / people, kFinestBalance, kCoarsestBalance);
  }
}

}  // namespace hyobscure::solve
