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
constexpr double kFirstGrowth = 1.3;   // of a step, before one has failed the test
constexpr double kMostGrowth = 1.05;   // later
constexpr double kAimOfTest = 0.9;     // the share of what the step test allows that a step aims at
constexpr double kMostOfFailed = 0.9;  // of a step that failed the test
constexpr double kLeastOfFailed = 0.2;
constexpr double kSmallestStep = 1e-3;  // below it only rounding can fail the test
constexpr double kLargestStep = 1e6;    // where nothing moves any more, all steps pass
constexpr int kMostBalancing = 10;  // rounds of Sinkhorn in one step: more change the number of steps little
constexpr int kMostLimiting = 100;  // rounds of projections where lifts are limited
constexpr double kLargestExponent = 600, kLargestLogOutput = 60, kLeastFactor = 1e-280;
constexpr double kAtNoLimit = 1e-5;  // of a logarithm: floats round
constexpr std::size_t kPairsAtOnce = 1 << 14;
constexpr std::size_t kVector = 16;  // floats of the widest vectors
// Columns are balanced to this share of the gap, a person, but no worse and no better than:
constexpr double kBalanceShare = 0.2, kCoarsestBalance = 1e-2, kFinestBalance = 1e-7;

using ConstRow = Eigen::Map<const ArrayXf>;
using Row = Eigen::Map<ArrayXf>;
using Eight = Eigen::Map<Eigen::Matrix<float, 8, 1>>;
using ConstEight = Eigen::Map<const Eigen::Matrix<float, 8, 1>>;

// The innermost work of a step, once a pair. Eight weights, as models of many values have, are one vector of
// the processor; loops of unknown length would take several times as long.

/// sums += amount z, `width` numbers.
inline void add_weights(const float* z, Index width, float amount, float* sums) {
  if (width == 8)
    Eight(sums) += amount * ConstEight(z);
  else
    Eigen::Map<Eigen::VectorXf>(sums, width) += amount * Eigen::Map<const Eigen::VectorXf>(z, width);
}

/// sum_k factors[k] at[places[k]], four sums side by side: an addition need not wait for the one before.
double gathered_product(std::span<const float> factors, const std::uint32_t* places, const float* at) {
  double sums[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= factors.size(); k += 4)
    for (std::size_t lane = 0; lane < 4; ++lane)
      sums[lane] += static_cast<double>(factors[k + lane] * at[places[k + lane]]);
  for (; k < factors.size(); ++k) sums[0] += static_cast<double>(factors[k] * at[places[k]]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
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

MirrorSolver::MirrorSolver(const PoolTask& task, const Support& support, MirrorState start)
    : task_(task),
      support_(support),
      informed_shares_(informed_shares(task.pool)),
      learned_shares_(counts_learned(task) ? learned_shares(task.pool) : Eigen::VectorXd()),
      cost_(support.pairs()),
      x_(std::move(start.x)),
      w_(start.w.empty() ? x_ : std::move(start.w)),
      next_(x_.size()),
      gradient_(x_.size()),
      at_x_(empty_masses()),
      at_w_(at_x_),
      at_y_(at_x_),
      at_next_(at_x_),
      scores_(empty_scores(std::move(start.column_prices))),
      row_prices_(support.people_count()),
      log_rows_(support.people_count()),
      factor_of_pair_(task.terms.lifts.any() ? support.cell_of_pair : support.donors),
      column_sums_(support.people_count()),
      limits_(share_limits(task.pool, task.terms)) {
  for (std::size_t u = 0; u < support.people_count(); ++u)
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      // from the nearest donor: a float keeps the digits of the difference, not of lambda d itself ("Digits")
      cost_[pair] = static_cast<float>(task.multiplier *
                                       (support.distances[pair] - static_cast<double>(support.nearest[u])));
  if (scaled()) {
    kernel_by_column_.resize(support.pairs());
    log_factors_.resize(limited() ? support.cells() : support.people_count());
  }
  if (limited()) start_limits(start.lift_prices);
  if (learned()) {
    for (std::size_t u = 0; u < support.people_count(); ++u)
      first_profiles_.push_back(static_cast<std::uint32_t>(first_profile(task.pool, u)));
    inverse_learned_shares_ =
        (learned_shares_.array() > 0).select(1 / learned_shares_.array(), 0).cast<float>();
    if (has_profiles()) profile_scores_.setZero(at(support.people_count()), profile_count(task.pool));
  }
  // person_sparse.md, "Steps on a support": F is w1 + w2 smooth relative to the entropy, so a first step of
  // this size never goes uphill.
  const double weight = task.terms.informed_weight + task.terms.learned_weight;
  step_ = start.step > 0 ? start.step : weight > 0 ? 1 / weight : 1;
  theta_ = start.theta;
  growth_ = start.growth > 0 ? start.growth : kFirstGrowth;
  measure([&](std::size_t k, std::size_t) { return x_[support.by_column[k]]; }, at_x_);
  measure([&](std::size_t k, std::size_t) { return w_[support.by_column[k]]; }, at_w_);
}

void MirrorSolver::start_limits(const Floats& lift_prices) {
  for (const std::uint32_t y : support_.cell_values) {
    least_.push_back(limits_.least[y]);
    most_.push_back(limits_.most[y]);
  }
  lift_prices_.assign(support_.cells(), 0.0f);
  weights_.resize(support_.cells());
  allowed_.resize(support_.cells());
  log_scales_.resize(support_.people_count());
  if (lift_prices.empty()) return;
  for (std::size_t j = 0; j < support_.people_count(); ++j)
    for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
      lift_prices_[c] = lift_prices[lift_place(j, c)];
}

/// A support that grows has other cells.
Floats MirrorSolver::lift_prices_by_value() const {
  Floats prices;
  if (!limited()) return prices;
  prices.assign(support_.people_count() * task_.pool.values, 0.0f);
  for (std::size_t j = 0; j < support_.people_count(); ++j)
    for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
      prices[lift_place(j, c)] = lift_prices_[c];
  return prices;
}

MirrorSolver::Scores MirrorSolver::empty_scores(Floats columns) const {
  Scores scores{.cells = Floats(support_.cells()), .learned = {}, .columns = std::move(columns)};
  if (learned()) scores.learned.setZero(at(support_.people_count()), learned_shares_.size());
  return scores;
}

MirrorSolver::Masses MirrorSolver::empty_masses() const {
  Masses masses{.cells = std::vector<double>(support_.cells()),
                .columns = std::vector<double>(support_.people_count()),
                .learned = {}};
  if (learned()) masses.learned.setZero(at(support_.people_count()), learned_shares_.size());
  return masses;
}

/// `value(k, factor)`: the probability of the pair at place k of the order by columns, `factor` being the
/// place of what scales it.
template <class Value>
void MirrorSolver::measure(const Value& value, Masses& masses) const {
  const PersonPool& pool = task_.pool;
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    // sum_u x(u,j) z_u, profile by profile; a row per donor, so that profiles are multiplied out together
    RowMatrixXf weights;
    if (learned()) weights.setZero(at(end - begin), profile_count(pool));
    const float* const z = pool.learned.data();
    const Index width = pool.learned.cols();
    for (std::size_t j = begin; j < end; ++j) {
      masses.columns[j] = 0;
      float* const weights_of_donor = learned() ? weights.row(at(j - begin)).data() : nullptr;
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
        double sum = 0;
        for (std::size_t k = support_.cell_starts[c]; k < support_.cell_starts[c + 1]; ++k) {
          const float amount = value(k, limited() ? c : j);
          sum += amount;
          if (weights_of_donor == nullptr) continue;
          const std::uint32_t u = support_.people[k];
          add_weights(z + u * static_cast<std::size_t>(width), width, amount,
                      weights_of_donor + first_profiles_[u]);
        }
        masses.cells[c] = sum;
        // R_j is the same for both attackers, since rows of P2 sum to 1
        masses.columns[j] += sum;
      }
    }
    if (!learned()) return;
    auto rows = masses.learned.middleRows(at(begin), at(end - begin));
    if (has_profiles())
      rows.noalias() = weights * pool.profiles;
    else
      rows = weights;
  });
}

void MirrorSolver::measure_next() {
  if (!scaled()) {
    measure([&](std::size_t k, std::size_t) { return next_[support_.by_column[k]]; }, at_next_);
    return;
  }
  // the same products as in finish_move(), read in the order of the columns
  measure(
      [&](std::size_t k, std::size_t factor) {
        return std::max(kFloor, kernel_by_column_[k] * row_factors_[support_.people[k]] * factors_[factor]);
      },
      at_next_);
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

/// w2 sum_y a_k(y) s2_j(y) of the donors and profiles.
void MirrorSolver::expand_scores(const Scores& scores, std::size_t begin, std::size_t end) {
  profile_scores_.middleRows(at(begin), at(end - begin)).noalias() =
      scores.learned.middleRows(at(begin), at(end - begin)) * task_.pool.profiles.transpose();
}

/// w1 s1 of the cells and w2 s2 of the donors at y. Logarithms of a block of donors are taken together:
/// vectors of the processor are longer than what one donor has.
void MirrorSolver::compute_scores() {
  const auto informed = static_cast<float>(task_.terms.informed_weight);
  const auto weight = static_cast<float>(task_.terms.learned_weight);
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j)
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c)
        // s1_j(y) = log( v / (q R) ): the gradient of F1 by x(u,j) is s1_j(y_u), the terms of R and v cancel
        scores_.cells[c] = static_cast<float>(at_y_.cells[c] /
                                              (informed_shares_(support_.cell_values[c]) * at_y_.columns[j]));
    const std::size_t first = support_.column_cells[begin], last = support_.column_cells[end];
    Row scores(scores_.cells.data() + first, at(last - first));
    scores = informed * scores.log();
    if (limited()) scores += ConstRow(lift_prices_.data() + first, at(last - first));
    if (!learned()) return;
    // s2 with 1e-9 of q blended in: finite where a mass is zero, and sum_y q e^s2 stays 1 but for rounding.
    const auto blend = static_cast<float>(kBlend);
    for (std::size_t j = begin; j < end; ++j) {
      // a donor of whom nobody makes use looks like the pool
      const double column = at_y_.columns[j];
      const auto scale = static_cast<float>(column > 0 ? (1 - kBlend) / column : 0);
      scores_.learned.row(at(j)) =
          scale * at_y_.learned.row(at(j)).array() * inverse_learned_shares_.transpose() + blend;
    }
    const Index values = scores_.learned.cols();
    Row learned_scores(scores_.learned.row(at(begin)).data(), at(end - begin) * values);
    learned_scores = weight * learned_scores.log();
    if (has_profiles()) expand_scores(scores_, begin, end);
  });
}

/// Calls visit(pair, price) with Gamma - nu of all pairs of u, `of_weights` being scores of weights.
template <class Visit>
void MirrorSolver::price_pairs(std::size_t u, const Scores& scores, const RowMatrixXf& of_weights,
                               const Visit& visit) const {
  const Index first = learned() ? first_profile(task_.pool, u) : 0;
  for (std::size_t pair = support_.starts[u]; pair < support_.starts[u + 1]; ++pair) {
    const std::uint32_t j = support_.donors[pair];
    float value = scores.cells[support_.cell_of_pair[pair]] + cost_[pair];
    if (learned()) value += weighted_sum(task_.pool, u, of_weights.row(j).data() + first);
    visit(pair, value - scores.columns[j]);
  }
}

/// Of the objective at y less the column prices, for all pairs; and the least in each row.
void MirrorSolver::compute_gradient() {
  compute_scores();
  const RowMatrixXf& of_weights = has_profiles() ? profile_scores_ : scores_.learned;
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      float least = std::numeric_limits<float>::infinity();
      price_pairs(u, scores_, of_weights, [&](std::size_t pair, float price) {
        gradient_[pair] = price;
        least = std::min(least, price);
      });
      row_prices_[u] = least;
    }
  });
}

/// next = w exp(-scale (gradient - nu)), rows normalised.
void MirrorSolver::move_rows(double scale) {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    ArrayXf factors;
    for (std::size_t u = begin; u < end; ++u) {
      const std::size_t first = support_.starts[u], size = support_.starts[u + 1] - first;
      // exponents are at most 0, because they count from the least price of the row: no overflow. Filled up
      // to whole vectors: single exponentials at the end of each row would take longer than all others.
      if (factors.size() < at(size + kVector)) factors.resize(at(2 * size + kVector));
      auto whole = factors.head(at((size + kVector - 1) / kVector * kVector));
      whole.tail(at(std::min<std::size_t>(kVector, static_cast<std::size_t>(whole.size())))).setZero();
      whole.head(at(size)) = static_cast<float>(scale) * (static_cast<float>(row_prices_[u]) -
                                                          ConstRow(gradient_.data() + first, at(size)));
      whole = whole.exp();
      Row next(next_.data() + first, at(size));
      next = ConstRow(w_.data() + first, at(size)) * whole.head(at(size));
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
          const std::size_t first = support_.cell_starts[support_.column_cells[j]];
          const std::size_t last = support_.cell_starts[support_.column_cells[j + 1]];
          // "Balanced": kernel, row factors and column factors are kept apart, so a round reads memory in
          // order
          column_sums_[j] = gathered_product({kernel_by_column_.data() + first, last - first},
                                             support_.people.data() + first, row_factors_.data()) *
                            static_cast<double>(factors_[j]);
          part += std::abs(column_sums_[j] - 1);
        }
        return part;
      });
  return error / static_cast<double>(support_.people_count());
}

void MirrorSolver::scale_rows() {
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      const std::size_t first = support_.starts[u], size = support_.starts[u + 1] - first;
      row_factors_[u] =
          static_cast<float>(1 / gathered_product({next_.data() + first, size},
                                                  factor_of_pair_.data() + first, factors_.data()));
    }
  });
}

/// Scales `next` so that it keeps its columns and limits, more or less: what is missing is charged at its
/// price in check(), and the tolerance follows the gap.
void MirrorSolver::scale_step(double scale) {
  row_factors_.assign(support_.people_count(), 1.0f);
  factors_.assign(log_factors_.size(), 1.0f);
  copy_by_column();
  if (limited())
    limit_cells(scale);
  else
    balance_columns();
  for (std::size_t u = 0; u < support_.people_count(); ++u)
    log_rows_[u] += std::log(static_cast<double>(row_factors_[u]));
  for (std::size_t k = 0; k < factors_.size(); ++k) log_factors_[k] = std::log(factors_[k]);
}

/// Scalings are kept apart from what they scale, and columns are copied together first: large pools then read
/// memory in order.
void MirrorSolver::copy_by_column() {
  parallel_blocks(support_.pairs(), kPairsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) kernel_by_column_[k] = next_[support_.by_column[k]];
  });
}

/// Sinkhorn's scalings until the columns of `next` sum to 1, more or less.
void MirrorSolver::balance_columns() {
  for (int round = 0; round < kMostBalancing && sum_columns() > balance_tolerance_; ++round) {
    for (std::size_t j = 0; j < column_sums_.size(); ++j)
      factors_[j] = static_cast<float>(static_cast<double>(factors_[j]) / column_sums_[j]);
    scale_rows();
  }
}

/// The same with limits on lifts: rows in turn with columns, each of which is projected onto the shares that
/// are allowed. `next` is projected as it was before the lift prices went into its exponent.
void MirrorSolver::limit_cells(double scale) {
  for (int round = 0; round < kMostLimiting; ++round) {
    const double error =
        sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
          double part = 0;
          for (std::size_t j = begin; j < end; ++j) part += project_cells(j, scale);
          return part;
        });
    if (round > 0 && error <= balance_tolerance_ * static_cast<double>(support_.people_count())) break;
    parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = support_.column_cells[begin]; c < support_.column_cells[end]; ++c)
        factors_[c] = static_cast<float>(allowed_[c] / weights_[c]);
    });
    scale_rows();
  }
}

/// person_sparse.md, "Limits on lifts": the cells of column j as they should be. Returns how far they are
/// from it.
double MirrorSolver::project_cells(std::size_t j, double scale) {
  const std::size_t first = support_.column_cells[j], last = support_.column_cells[j + 1];
  thread_local std::vector<double> weights;
  weights.resize(last - first);
  for (std::size_t c = first; c < last; ++c) {
    const std::size_t begin = support_.cell_starts[c], end = support_.cell_starts[c + 1];
    weights_[c] = gathered_product({kernel_by_column_.data() + begin, end - begin},
                                   support_.people.data() + begin, row_factors_.data());
    weights[c - first] = weights_[c];
    if (lift_prices_[c] != 0)
      weights[c - first] *= std::exp(
          std::clamp(scale * static_cast<double>(lift_prices_[c]), -kLargestExponent, kLargestExponent));
  }
  const std::span<double> shares(allowed_.data() + first, last - first);
  const double factor = nearest_shares(weights, {least_.data() + first, last - first},
                                       {most_.data() + first, last - first}, shares);
  log_scales_[j] = std::log(std::max(factor, kLeastFactor));
  if (!task_.terms.balanced) {
    // free: the output R that minimises R log R - R + R KL(shares | weights)
    double log_output = -scale * static_cast<double>(scores_.columns[j]);
    for (std::size_t k = 0; k < shares.size(); ++k)
      if (shares[k] > 0) log_output -= shares[k] * std::log(shares[k] / weights[k]);
    log_output = std::clamp(log_output, -kLargestLogOutput, kLargestLogOutput);
    for (double& share : shares) share *= std::exp(log_output);
    log_scales_[j] += log_output;
  }
  double error = 0;
  for (std::size_t c = first; c < last; ++c)
    error += std::abs(weights_[c] * static_cast<double>(factors_[c]) - allowed_[c]);
  return error;
}

/// Applies the scalings to `next`. Returns its Bregman distance from w: sum w phi(next / w),
/// phi(r) = r log r - r + 1.
double MirrorSolver::finish_move(double scale) {
  const bool is_scaled = scaled();
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    ArrayXf room;
    for (std::size_t u = begin; u < end; ++u) {
      const std::size_t first = support_.starts[u], size = support_.starts[u + 1] - first;
      if (room.size() < at(size)) room.resize(at(2 * size));
      auto logs = room.head(at(size));
      const ConstRow gradient(gradient_.data() + first, at(size));
      // log(next / w), from what next was made of
      logs = static_cast<float>(scale) * (static_cast<float>(row_prices_[u]) - gradient) +
             static_cast<float>(log_rows_[u]);
      if (is_scaled)
        for (std::size_t k = 0; k < size; ++k) {
          const std::uint32_t factor = factor_of_pair_[first + k];
          next_[first + k] = std::max(kFloor, next_[first + k] * row_factors_[u] * factors_[factor]);
          logs(at(k)) += log_factors_[factor];
        }
      // phi(r) = r log r - r + 1 with r = e^logs: as a sum of terms >= 0 it keeps its digits near the
      // optimum, where a difference of values would be rounding.
      const ConstRow w(w_.data() + first, at(size)), next(next_.data() + first, at(size));
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
          sum += static_cast<double>(gradient_[pair]) * change;
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

/// w+ = w exp( -(eta/theta) (Gamma - nu) ) times the factors: in the exponent these are changes of nu and of
/// the multipliers of the limits.
void MirrorSolver::carry_prices(double scale) {
  if (!limited()) {
    for (std::size_t j = 0; j < scores_.columns.size(); ++j)
      scores_.columns[j] += static_cast<float>(1 / scale * static_cast<double>(log_factors_[j]));
    return;
  }
  parallel_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
        const double old = scale * static_cast<double>(lift_prices_[c]);
        const double excess = log_scales_[j] + std::clamp(old, -kLargestExponent, kLargestExponent) -
                              static_cast<double>(log_factors_[c]);
        // what is not at a limit has no price
        lift_prices_[c] = std::abs(excess) > kAtNoLimit ? static_cast<float>(excess / scale) : 0.0f;
      }
      scores_.columns[j] += static_cast<float>(log_scales_[j] / scale);
    }
  });
}

void MirrorSolver::take_step() {
  mix(at_x_, at_w_, theta_, at_y_);
  compute_gradient();
  // Step test: D_F(x+, y) <= theta^2 / eta D(w+, w), with eta = step_. At theta = 1 relative smoothness
  // grants it for eta <= 1 / (w1 + w2). Below, convexity of the entropy grants theta D(w+, w) only, so it is
  // tested.
  double used;  // of what the test allows: in proportion to the step, since D_F and D go with its square
  for (;;) {
    const double scale = step_ / theta_;
    move_rows(scale);
    if (scaled()) scale_step(scale);
    const double moved = finish_move(scale);
    measure_next();
    const double allowed = theta_ * theta_ / step_ * moved, found = divergence();
    used = allowed > 0 ? found / allowed : 0;
    if (found <= allowed || step_ < kSmallestStep) break;
    growth_ = kMostGrowth;
    step_ *=
        std::isfinite(used) ? std::clamp(kAimOfTest / used, kLeastOfFailed, kMostOfFailed) : kLeastOfFailed;
  }
  const double taken = step_;
  const bool downhill = move_to_next();
  if (scaled()) carry_prices(taken / theta_);
  step_ *= used > kAimOfTest / growth_ ? std::max(kAimOfTest / used, kMostOfFailed) : growth_;
  step_ = std::min(step_, kLargestStep);
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

/// Feasible prices with the learned attacker's scores.
PoolDuals MirrorSolver::duals_of(const Scores& scores, std::vector<double> rows) const {
  PoolDuals duals{.rows = std::move(rows),
                  .columns = std::vector<double>(support_.people_count(), 0.0),
                  .learned = {},
                  .learned_excess = {}};
  if (task_.terms.balanced) std::ranges::copy(scores.columns, duals.columns.begin());
  if (!learned()) return duals;
  duals.learned = scores.learned / static_cast<float>(task_.terms.learned_weight);
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

/// What goes beyond the limits, at its price.
double MirrorSolver::charge_of_limits() const {
  return sum_over_blocks(support_.people_count(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t j = begin; j < end; ++j)
      for (std::size_t c = support_.column_cells[j]; c < support_.column_cells[j + 1]; ++c) {
        const double price = lift_prices_[c];
        const double over = at_x_.cells[c] - at_x_.columns[j] * (price > 0 ? most_[c] : least_[c]);
        sum += std::max(0.0, price * over);
      }
    return sum;
  });
}

/// Value and bound of where we are. Columns that are a little off their sum are charged at their price.
void MirrorSolver::check() {
  // The value is that of x, not of y: a channel that can be returned.
  value_ = leakage(at_x_) + linear_cost(x_);
  if (task_.terms.balanced)
    for (std::size_t j = 0; j < scores_.columns.size(); ++j)
      value_ += scores_.columns[j] * (1 - at_x_.columns[j]);
  if (limited()) value_ += charge_of_limits();
  raise_bound(duals_of(scores_, row_prices_));
}

void MirrorSolver::raise_bound(PoolDuals duals) {
  const double bound = bound_on_support(task_, support_, duals);
  if (bound <= bound_) return;
  bound_ = bound;
  best_duals_ = std::move(duals);
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
