#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "hyobscure/solve/person/person_lifts.h"
#include "hyobscure/solve/person/person_pool.h"

// The derivations are in person_channel.md; the safeguards are those of channel.md.

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRegularisation = 1e-9;  // of the curvature of an entry
constexpr double kToBoundary = 0.99;      // share of the way to the boundary that a step may go
constexpr double kArmijo = 1e-4;          // share of the predicted decrease that a step must bring
constexpr double kDualCorridor = 10;      // the duals stay within this factor of tau / x
constexpr double kNoWeight = 1e-280;      // weight of a value that nobody who may take donor j has
constexpr double kForbidden = 1e100;      // price of one's own row where it is never published
constexpr double kRounding = 4e-16;
constexpr int kStalledSteps = 8;     // in a row, before giving up
constexpr double kNarrowest = 1e-6;  // of a share: limits nearer to it leave no interior

/// The people of a pool, those of one value side by side, and the price of every pair.
struct PricedPool {
  std::vector<std::uint32_t> people;  ///< in the order of their values
  std::vector<Index> starts;          ///< value y: people starts[y] .. starts[y + 1] - 1
  VectorXd shares;                    ///< q_y; nobody lacks
  ShareLimits limits;                 ///< on lifts, of the same values
  MatrixXd price;                     ///< (u, j), counted from the cheapest donor of u
  double base = 0;                    ///< what all cheapest donors cost together
  double largest_price = 0;
  bool own = true;  ///< one's own row may be published

  Index size() const { return price.rows(); }
  Index values() const { return shares.size(); }
};

/// One side of the limits on lifts, balanced: slack = sign (limit - v) of every value and donor.
struct LiftSide {
  double sign;     // +1: the most; -1: the least
  VectorXd limit;  // of the values
  MatrixXd slack, dual, trial;

  LiftSide(double side, const std::vector<double>& limits, const VectorXd& shares, Index people)
      : sign(side), limit(shares.size()) {
    for (Index y = 0; y < limit.size(); ++y) {
      const double asked = limits[static_cast<std::size_t>(y)];
      limit(y) = side > 0 ? std::max(asked, shares(y) * (1 + kNarrowest))
                          : std::min(asked, shares(y) * (1 - kNarrowest));
    }
    slack.setZero(limit.size(), people);
    dual = trial = slack;
  }
};

void sort_by_value(const PersonPool& pool, PricedPool& result) {
  result.people.resize(pool.size());
  std::iota(result.people.begin(), result.people.end(), 0U);
  std::ranges::stable_sort(result.people, {}, [&](std::uint32_t u) { return pool.value_of_person[u]; });
  std::vector<double> counts;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    const auto value_at = [&](std::size_t place) { return pool.value_of_person[result.people[place]]; };
    if (i == 0 || value_at(i) != value_at(i - 1)) {
      result.starts.push_back(static_cast<Index>(i));
      counts.push_back(0);
    }
    counts.back() += 1;
  }
  result.starts.push_back(static_cast<Index>(pool.size()));
  result.shares = Eigen::Map<const VectorXd>(counts.data(), static_cast<Index>(counts.size())) /
                  static_cast<double>(pool.size());
}

/// Limits of the values that somebody has.
void take_limits(const PersonPool& pool, const PersonTerms& terms, PricedPool& result) {
  const ShareLimits limits = share_limits(pool, terms);
  if (!limits.any()) return;
  for (Index y = 0; y < result.values(); ++y) {
    const auto first = static_cast<std::size_t>(result.starts[static_cast<std::size_t>(y)]);
    const std::uint32_t value = pool.value_of_person[result.people[first]];
    result.limits.least.push_back(limits.least[value]);
    result.limits.most.push_back(limits.most[value]);
  }
}

PricedPool priced_pool(const PersonPool& pool, const PersonTerms& terms, double price_of_distance) {
  PricedPool result;
  const bool own = terms.self_donor;
  result.own = own;
  sort_by_value(pool, result);
  take_limits(pool, terms, result);
  const auto m = static_cast<Index>(pool.size());
  result.price.resize(m, m);
  std::vector<float> row(pool.size());
  VectorXd sorted(m);
  for (Index u = 0; u < m; ++u) {
    read_distances(pool, result.people[static_cast<std::size_t>(u)], row);
    for (Index j = 0; j < m; ++j)
      sorted(j) = price_of_distance * static_cast<double>(row[result.people[static_cast<std::size_t>(j)]]);
    if (!own) sorted(u) = std::numeric_limits<double>::infinity();
    const double cheapest = sorted.minCoeff();
    // prices count from the cheapest donor, a constant because rows sum to 1: differences keep their digits
    result.base += cheapest;
    sorted.array() -= cheapest;
    if (!own) sorted(u) = 0;
    result.largest_price = std::max(result.largest_price, sorted.maxCoeff());
    if (!own) sorted(u) = kForbidden;
    result.price.row(u) = sorted.transpose();
  }
  return result;
}

/// The interior point. Column j of every people x people matrix belongs to donor j.
class PoolBarrier {
 public:
  PoolBarrier(const PricedPool& pool, bool balanced, double tolerance);

  int minimise(int max_iterations, const Progress& progress);
  const MatrixXd& channel() const { return x_; }
  double lower_bound() const { return lower_bound_; }  ///< above the base price

 private:
  void certify();
  void find_direction();
  void factor_column(Index j);
  void complete_laplacian();
  void factor_row_sums();
  void apply_inverse(Index j, Eigen::Ref<const VectorXd> right, double lacking, Eigen::Ref<VectorXd> result);
  void solve_residual();
  void update_residual();
  void measure_direction();
  double take_step();
  void try_step(double step);
  void evaluate_trial();
  void accept_step(double step);
  void cool(double step);

  /// The people of value y in a vector over people.
  template <class Column>
  auto part(Column&& column, Index y) const {
    return column.segment(pool_.starts[at(y)], pool_.starts[at(y + 1)] - pool_.starts[at(y)]);
  }
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double entries() const { return static_cast<double>(m_ * (pool_.own ? m_ : m_ - 1)); }
  /// On the central path the gap is tau times this.
  double terms_of_barrier() const {
    return entries() + static_cast<double>(n_ * m_) * static_cast<double>(sides_.size());
  }

  const PricedPool& pool_;
  const bool balanced_;
  const double tolerance_;
  const Index m_, n_;  // people, values

  MatrixXd x_, z_;               // the channel and the duals of x >= 0
  MatrixXd published_, scores_;  // v_j(y) and s_j(y)
  VectorXd outputs_;             // R_j
  double objective_ = 0, barrier_ = 0;
  MatrixXd trial_;
  double trial_objective_ = 0, trial_barrier_ = 0;

  MatrixXd gradient_, residual_, direction_;
  MatrixXd inverse_;                    // t = 1/theta; 0 where forbidden
  MatrixXd spread_, weights_, damped_;  // sigma, W and a of each value and donor
  MatrixXd softened_;                   // v, or what limits on lifts make of it: 1 / (1/v + kappa/a)
  VectorXd coupling_;                   // c of each donor
  std::vector<Index> heaviest_;         // whose t is the largest, of each donor
  MatrixXd value_factor_, donor_factor_;
  MatrixXd row_matrix_;
  std::vector<LiftSide> sides_;  // none without limits on lifts
  MatrixXd moved_;               // by the direction: of v
  Eigen::LLT<MatrixXd> row_factor_;
  VectorXd row_sums_, row_duals_, duals_change_, lacking_, column_, image_;
  VectorXd prices_of_people_, cheapest_;  // mu, and the terms of the bound
  MatrixXd dual_scores_;
  LimitedMaximum largest_;

  double tau_ = 0, slope_ = 0, largest_change_ = 0, longest_step_ = 0;
  double lower_bound_ = -std::numeric_limits<double>::infinity();
  bool has_duals_ = false;
};

PoolBarrier::PoolBarrier(const PricedPool& pool, bool balanced, double tolerance)
    : pool_(pool), balanced_(balanced), tolerance_(tolerance), m_(pool.size()), n_(pool.values()) {
  for (auto* matrix : {&x_, &z_, &trial_, &gradient_, &residual_, &direction_, &inverse_, &value_factor_,
                       &donor_factor_, &row_matrix_})
    matrix->setZero(m_, m_);
  for (auto* matrix : {&published_, &scores_, &spread_, &weights_, &damped_, &softened_, &dual_scores_})
    matrix->setZero(n_, m_);
  for (auto* vector : {&outputs_, &coupling_, &row_sums_, &row_duals_, &duals_change_, &lacking_, &column_,
                       &prices_of_people_, &cheapest_})
    vector->setZero(m_);
  image_.setZero(n_);
  moved_.setZero(n_, m_);
  if (pool.limits.any()) {
    sides_.emplace_back(1.0, pool.limits.most, pool.shares, m_);
    if (std::ranges::any_of(pool.limits.least, [](double least) { return least > 0; }))
      sides_.emplace_back(-1.0, pool.limits.least, pool.shares, m_);
  }
  heaviest_.assign(at(m_), 0);
  // the uniform donor: inside, and balanced
  x_.setConstant(1 / static_cast<double>(pool.own ? m_ : m_ - 1));
  if (!pool.own) x_.diagonal().setZero();
  try_step(0);
  tau_ = std::max(trial_objective_, 1e-3) / terms_of_barrier();  // gap of the first centre: the objective
  accept_step(0);
}

int PoolBarrier::minimise(int max_iterations, const Progress& progress) {
  int iterations = 0;
  int stalled = 0;
  for (; iterations < max_iterations; ++iterations) {
    progress.throw_if_stopped();
    certify();
    if (objective_ - lower_bound_ <= tolerance_ || stalled >= kStalledSteps) break;
    find_direction();
    const double step = take_step();
    stalled = step > 1e-6 ? 0 : stalled + 1;
    cool(step);
  }
  return iterations;
}

// ---- Certificate ----

/// The price dual: proven for any mu, whatever the channel.
void PoolBarrier::certify() {
  if (!has_duals_) return;
  prices_of_people_ = -row_duals_;
  cheapest_.setConstant(std::numeric_limits<double>::max());
  double logs = 0;
  double size = 0;
  for (Index j = 0; j < m_; ++j) {
    auto scores = dual_scores_.col(j);
    // person_channel.md, "Certificate": b_j(y) = max_u (mu_u - lambda d(u,j)), h_j = log sum_y q e^b
    column_ = prices_of_people_ - pool_.price.col(j);
    for (Index y = 0; y < n_; ++y) scores(y) = part(column_, y).maxCoeff();
    // the largest exponent taken out: no overflow at any price
    const double top = scores.maxCoeff();
    const double h = pool_.limits.any()
                         ? largest_({scores.data(), at(n_)}, {pool_.shares.data(), at(n_)},
                                    pool_.limits.least, pool_.limits.most, 1)
                         : top + std::log((pool_.shares.array() * (scores.array() - top).exp()).sum());
    size += std::abs(h);
    if (balanced_)
      logs += h;
    else
      // free: s = b - h is feasible. Balanced: s = b as it is, and h is subtracted once per donor.
      scores.array() -= h;
    const double own = cheapest_(j);
    column_ = pool_.price.col(j);
    for (Index y = 0; y < n_; ++y) part(column_, y).array() += scores(y);
    cheapest_ = cheapest_.cwiseMin(column_);
    // the own pair is no choice: it must not enter the minimum
    if (!pool_.own) cheapest_(j) = own;
  }
  size += cheapest_.cwiseAbs().sum() + static_cast<double>(m_) * (1 + pool_.largest_price);
  // lowered by the rounding of its terms, some n + 8 operations each
  const double bound = cheapest_.sum() - logs - kRounding * static_cast<double>(n_ + 8) * size;
  lower_bound_ = std::max(lower_bound_, bound);
}

// ---- Newton's direction ----

void PoolBarrier::factor_column(Index j) {
  const auto x = x_.col(j).array();
  gradient_.col(j) = pool_.price.col(j).array() - tau_ / x;
  inverse_.col(j) = (z_.col(j).array() / x + kRegularisation).inverse();
  if (!pool_.own) inverse_(j, j) = 0;
  double rho = 0;
  double kappa = 0;
  for (Index y = 0; y < n_; ++y) {
    double price = scores_(y, j), curvature = 1 / published_(y, j);
    for (const LiftSide& side : sides_) {
      // of -tau log slack, slack = sign (limit - v): a multiplier of v in the gradient, one over v's square
      price += side.sign * tau_ / side.slack(y, j);
      curvature += side.dual(y, j) / side.slack(y, j);
    }
    part(gradient_.col(j), y).array() += price;
    // without limits v itself, to the last digit
    const double v = sides_.empty() ? published_(y, j) : 1 / curvature;
    softened_(y, j) = v;
    // person_channel.md, "Step": t = 1/theta, sigma, W = 1/(v + sigma), a = v W; rho = sum v^2 W and kappa =
    // sum sigma a
    const double sigma = part(inverse_.col(j), y).sum();
    const double w = 1 / (v + sigma);
    spread_(y, j) = sigma;
    weights_(y, j) = w;
    damped_(y, j) = v * w;
    rho += v * v * w;
    kappa += sigma * v * w;
  }
  if (!pool_.own) gradient_(j, j) = 0;
  // c = 1/(R - kappa) = 1/rho without the cancellation of R - kappa; balanced, the column multiplier takes
  // its place
  coupling_(j) = balanced_ ? -1 / kappa : 1 / rho;
  inverse_.col(j).maxCoeff(&heaviest_[at(j)]);
  const double root = std::sqrt(std::abs(coupling_(j)));
  for (Index y = 0; y < n_; ++y) {
    const auto t = part(inverse_.col(j), y);
    part(value_factor_.col(j), y) = std::sqrt(weights_(y, j)) * t;
    part(donor_factor_.col(j), y) = root * damped_(y, j) * t;
  }
}

/// Where balanced, sum_j M_j^-1 is the Laplacian of a graph: no entry off the diagonal is positive, and rows
/// sum to zero. Its diagonal from its other entries, not by subtraction: near a permutation all that is left
/// of it lies far below the rounding of sum_j t. Rows and columns have the same total, so that the row duals
/// are known up to a constant only, which the added constant fixes.
void PoolBarrier::complete_laplacian() {
  row_matrix_.diagonal().setZero();
  row_sums_.setOnes();
  column_.noalias() = row_matrix_.selfadjointView<Eigen::Lower>() * row_sums_;
  row_sums_ = -column_;
  row_matrix_.diagonal() = row_sums_;
  row_matrix_.array() += row_sums_.mean() / static_cast<double>(m_);
}

/// The Schur complement of the row sums: sum_j M_j^-1.
void PoolBarrier::factor_row_sums() {
  row_sums_ = inverse_.rowwise().sum();
  row_matrix_.setZero();
  // "Row sums": S = diag(sum t) - same-value blocks of W t t^T + c (a t)(a t)^T; the sign of c decides the
  // rank update
  row_matrix_.selfadjointView<Eigen::Lower>().rankUpdate(donor_factor_, balanced_ ? -1 : 1);
  for (Index y = 0; y < n_; ++y) {
    const Index begin = pool_.starts[at(y)];
    const Index count = pool_.starts[at(y + 1)] - begin;
    row_matrix_.block(begin, begin, count, count)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(value_factor_.middleRows(begin, count), -1);
  }
  if (balanced_)
    complete_laplacian();
  else
    row_matrix_.diagonal() += row_sums_;
  row_factor_.compute(row_matrix_);
  for (double lift = 1e-14; row_factor_.info() != Eigen::Success && lift < 1; lift *= 10) {
    row_matrix_.diagonal() += lift * row_sums_;
    row_factor_.compute(row_matrix_);
  }
}

/// M_j^-1 right. Where balanced: the solution of A_j result + constant = right that sums to -lacking.
void PoolBarrier::apply_inverse(Index j, Eigen::Ref<const VectorXd> right, double lacking,
                                Eigen::Ref<VectorXd> result) {
  result = inverse_.col(j).cwiseProduct(right);
  double total = lacking;
  for (Index y = 0; y < n_; ++y) {
    image_(y) = part(result, y).sum();
    total += damped_(y, j) * image_(y);
  }
  // t [ b + shift - W (beta + shift sigma) ]: b is shifted first, which keeps the digits of the difference
  const double shift = coupling_(j) * total;
  for (Index y = 0; y < n_; ++y) {
    const double change = shift - weights_(y, j) * (image_(y) + shift * spread_(y, j));
    part(result, y) += change * part(inverse_.col(j), y);
  }
  if (!balanced_) return;
  // The heaviest entry from the sum of the column: its own digits are lost in t.
  double& heaviest = result(heaviest_[at(j)]);
  heaviest = 0;
  heaviest = -lacking - result.sum();
}

/// Adds to the direction what takes the residual away, with row duals that make its row sums zero. Where
/// balanced, its column sums become what the columns of the channel lack.
void PoolBarrier::solve_residual() {
  // "Refinement includes the row sums": the second solve starts from what the first has left
  duals_change_ = direction_.rowwise().sum();
  for (Index j = 0; j < m_; ++j) {
    lacking_(j) = balanced_ ? 1 - outputs_(j) - direction_.col(j).sum() : 0;
    apply_inverse(j, residual_.col(j), lacking_(j), column_);
    duals_change_ -= column_;
  }
  row_factor_.solveInPlace(duals_change_);
  row_duals_ += duals_change_;
  for (Index j = 0; j < m_; ++j) {
    residual_.col(j) += duals_change_;
    apply_inverse(j, residual_.col(j), lacking_(j), column_);
    direction_.col(j) -= column_;
  }
}

/// What Newton's equations lack. A constant for a whole column is left where balanced: apply_inverse takes it
/// off.
void PoolBarrier::update_residual() {
  for (Index j = 0; j < m_; ++j) {
    residual_.col(j) = gradient_.col(j) + row_duals_ + direction_.col(j).cwiseQuotient(inverse_.col(j));
    if (!pool_.own) residual_(j, j) = 0;
    for (Index y = 0; y < n_; ++y) image_(y) = part(direction_.col(j), y).sum();
    // E diag(1/v) E^T dx - 11^T/R dx; balanced steps keep column sums, so the second term is nothing
    const double mean = balanced_ ? 0 : image_.sum() / outputs_(j);
    for (Index y = 0; y < n_; ++y) part(residual_.col(j), y).array() += image_(y) / softened_(y, j) - mean;
  }
}

/// Row sums of the direction are zero but for rounding, which is taken off; then its slope and its reach.
void PoolBarrier::measure_direction() {
  row_sums_ = direction_.rowwise().sum();
  slope_ = 0;
  largest_change_ = 0;
  double fastest_fall = 0;
  for (Index j = 0; j < m_; ++j) {
    direction_.col(j) -= row_sums_.cwiseProduct(x_.col(j));
    slope_ += gradient_.col(j).dot(direction_.col(j));
    column_ = direction_.col(j).cwiseQuotient(x_.col(j));
    if (!pool_.own) column_(j) = 0;
    fastest_fall = std::max(fastest_fall, -column_.minCoeff());
    largest_change_ = std::max({largest_change_, fastest_fall, column_.maxCoeff()});
    for (Index y = 0; y < n_; ++y) moved_(y, j) = part(direction_.col(j), y).sum();
    for (const LiftSide& side : sides_) {
      const auto change = side.sign * moved_.col(j).array() / side.slack.col(j).array();
      fastest_fall = std::max(fastest_fall, change.maxCoeff());
      largest_change_ = std::max({largest_change_, fastest_fall, -change.minCoeff()});
    }
  }
  longest_step_ = fastest_fall > 0 ? 1 / fastest_fall : std::numeric_limits<double>::infinity();
}

void PoolBarrier::find_direction() {
  for (Index j = 0; j < m_; ++j) factor_column(j);
  factor_row_sums();
  direction_.setZero();
  row_duals_.setZero();
  residual_ = gradient_;
  solve_residual();
  update_residual();
  solve_residual();
  measure_direction();
  has_duals_ = true;
}

// ---- Step ----

/// Posteriors, objective and sum of logarithms of the trial channel.
void PoolBarrier::evaluate_trial() {
  trial_objective_ = 0;
  trial_barrier_ = 0;
  for (Index j = 0; j < m_; ++j) {
    for (Index y = 0; y < n_; ++y) published_(y, j) = std::max(kNoWeight, part(trial_.col(j), y).sum());
    outputs_(j) = published_.col(j).sum();
    scores_.col(j) = (published_.col(j).array() / (outputs_(j) * pool_.shares.array())).log();
    trial_objective_ += published_.col(j).dot(scores_.col(j)) + pool_.price.col(j).dot(trial_.col(j));
    if (!pool_.own) trial_(j, j) = 1;
    trial_barrier_ += trial_.col(j).array().log().sum();
    if (!pool_.own) trial_(j, j) = 0;
    for (LiftSide& side : sides_) {
      side.trial.col(j) = side.sign * (side.limit - published_.col(j));
      trial_barrier_ += side.trial.col(j).array().log().sum();
    }
  }
}

void PoolBarrier::try_step(double step) {
  column_.setZero();
  for (Index j = 0; j < m_; ++j) {
    trial_.col(j) = x_.col(j) + step * direction_.col(j);
    column_ += trial_.col(j);
  }
  // rows are normalised after each step: the certificate needs their sums
  column_ = column_.cwiseInverse();
  for (Index j = 0; j < m_; ++j) trial_.col(j).array() *= column_.array();
  evaluate_trial();
}

/// Armijo's rule on the barrier. Returns the step taken, 0 if none lowers it.
double PoolBarrier::take_step() {
  const double before = objective_ - tau_ * barrier_;
  // a step near the centre may be worth less than the rounding of the value
  const double noise = 1e-15 * (1 + std::abs(before));
  double step = std::min(1.0, kToBoundary * longest_step_);
  for (int halvings = 0; halvings < 40; ++halvings, step *= 0.5) {
    try_step(step);
    // negated: a direction without digits (no factor of the row sums) gives NaN, which is no decrease
    if (!(trial_objective_ - tau_ * trial_barrier_ <= before + kArmijo * step * slope_ + noise)) continue;
    accept_step(step);
    return step;
  }
  direction_.setZero();
  try_step(0);
  accept_step(0);
  return 0;
}

/// Takes over the trial. A step of 0 centres the duals.
void PoolBarrier::accept_step(double step) {
  const bool centre = step == 0;
  for (Index j = 0; j < m_; ++j) {
    const auto x = x_.col(j).array();
    auto z = z_.col(j).array();
    column_ = tau_ / trial_.col(j).array();
    if (centre)
      z = column_;
    else
      z = ((1 - step) * z + step * (tau_ - z * direction_.col(j).array()) / x)
              .max(column_.array() / kDualCorridor)
              .min(column_.array() * kDualCorridor);
    if (!pool_.own) z_(j, j) = 0;
  }
  for (LiftSide& side : sides_) {
    const auto slack = side.slack.array();
    auto dual = side.dual.array();
    const auto centred = tau_ / side.trial.array();
    if (centre)
      dual = centred;
    else
      dual = ((1 - step) * dual + step * (tau_ + side.sign * dual * moved_.array()) / slack)
                 .max(centred / kDualCorridor)
                 .min(centred * kDualCorridor)
                 .eval();
    std::swap(side.slack, side.trial);
  }
  std::swap(x_, trial_);
  objective_ = trial_objective_;
  barrier_ = trial_barrier_;
}

/// The barrier goes down where Newton's method has settled, or where a full step changed no entry by much
/// more than its size. On the central path the gap is tau times the entries, so there is nothing to gain
/// below the floor.
void PoolBarrier::cool(double step) {
  const double decrement = -slope_ / tau_;
  const bool settled = step > 0.9 && decrement < 3 && largest_change_ < 0.5;
  const bool fair = step > 0.5 && decrement < 50 && largest_change_ < 20;
  // "tau also falls after a full step": 15 % fewer iterations than the rule of channel.md
  const bool full = step > 0.9 && largest_change_ < 1.2;
  if (settled)
    tau_ *= 0.1;
  else if (fair || full)
    tau_ *= 0.316;
  // on the central path the gap is tau times the entries: half of the tolerance
  tau_ = std::max(tau_, 0.5 * tolerance_ / terms_of_barrier());
}

// ---- The channel to return ----

/// Entries from `threshold` on, people and donors by their own numbers.
SparseChannel without_small_entries(const PricedPool& pool, const MatrixXd& channel, double threshold) {
  std::vector<Index> place(pool.people.size());
  for (std::size_t i = 0; i < place.size(); ++i) place[pool.people[i]] = static_cast<Index>(i);
  SparseChannel result;
  for (const Index u : place) {
    double kept = 0;
    const std::size_t begin = result.donors.size();
    for (std::size_t j = 0; j < place.size(); ++j) {
      const double x = channel(u, place[j]);
      // "The channel returned": the bound does not depend on the channel; the caller measures what pruning
      // costs
      if (x <= 0 || x < threshold) continue;
      result.donors.push_back(static_cast<std::uint32_t>(j));
      result.probabilities.push_back(x);
      kept += x;
    }
    for (std::size_t e = begin; e < result.donors.size(); ++e) result.probabilities[e] /= kept;
    result.starts.push_back(result.donors.size());
  }
  return result;
}

void account(const PoolTask& task, PoolAnswer& answer) {
  answer.distance = total_distance(task.pool, answer.channel);
  answer.objective = task.terms.informed_weight * informed_information(task.pool, answer.channel) +
                     task.multiplier * answer.distance;
}

/// One person, or two who may not publish themselves, have no choice.
PoolAnswer forced_answer(const PoolTask& task) {
  PoolAnswer answer;
  answer.channel = task.pool.size() == 1 ? one_donor_each({0}) : one_donor_each({1, 0});
  account(task, answer);
  answer.lower_bound = answer.objective;
  return answer;
}

}  // namespace

PoolAnswer solve_pool_dense(const PoolTask& task, const Progress& progress) {
  const std::size_t people = task.pool.size();
  if (people == 1 || (people == 2 && !task.terms.self_donor)) return forced_answer(task);

  const double weight = task.terms.informed_weight;
  const PricedPool pool = priced_pool(task.pool, task.terms, task.multiplier / weight);
  // Pruning takes a little of the tolerance.
  PoolBarrier barrier(pool, task.terms.balanced, 0.8 * task.tolerance / weight);
  PoolAnswer answer;
  answer.iterations = barrier.minimise(task.max_iterations, progress);
  answer.lower_bound = weight * (pool.base + barrier.lower_bound());
  // the sparsest channel whose gap stays within the tolerance
  for (const double threshold : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 0.0}) {
    answer.channel = without_small_entries(pool, barrier.channel(), threshold);
    if (task.terms.balanced) answer.channel = balanced_channel(answer.channel, task.terms.self_donor);
    if (task.terms.lifts.any()) answer.channel = within_lift_limits(task.pool, task.terms, answer.channel);
    account(task, answer);
    if (answer.objective - answer.lower_bound <= task.tolerance) break;
  }
  return answer;
}

}  // namespace hyobscure::solve
