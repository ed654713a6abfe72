#include "hyobscure/solve/channel/channel_barrier.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRegularisation = 1e-9;  // of the curvature, relative to the weight of the row
constexpr double kToBoundary = 0.99;      // share of the way to the boundary that a step may go
constexpr double kArmijo = 1e-4;          // share of the predicted decrease that a step must bring
constexpr double kDualCorridor = 10;      // the duals stay within this factor of tau w / x
constexpr double kFirstBarrier = 1;       // gap of the first centre, in units of the objective
constexpr double kNobody = 1e-280;        // weight of a value that nobody who may be published as j has
constexpr double kRounding = 4e-16;
constexpr int kRefinements = 1;         // of Newton's direction
constexpr int kRefinementsOfLifts = 5;  // where lifts are limited
constexpr int kStalledSteps = 8;        // in a row, before giving up

double dot(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// One side of the limits on lifts, for all published clusters: slack_j(y) = sign (v_j(y) - factor q(y) R_j)
/// > 0.
///
/// channel.md, "Limits on lifts": with A = sign (I - factor q 1^T) the slack is A v, linear in the channel.
/// The barrier takes q(y) p_g log slack, so that a value weighs as its people do.
class LiftSide {
 public:
  LiftSide(double sign, double factor, const VectorXd& shares, double people, Index columns)
      : sign_(sign), factor_(factor), shares_(shares), weights_(people * shares) {
    slack_.setZero(shares.size(), columns);
    multipliers_ = steps_ = slack_;
    curvature_.setZero(shares.size());
  }

  double weight_of_barrier() const { return weights_.sum() * static_cast<double>(slack_.cols()); }

  /// From the channel itself; later steps add to it, which keeps the digits of a slack that is almost gone.
  void start(const MatrixXd& published, double tau) {
    for (Index j = 0; j < slack_.cols(); ++j) slack_.col(j) = of(published.col(j));
    centre(tau);
  }
  void centre(double tau) {
    for (Index j = 0; j < slack_.cols(); ++j)
      multipliers_.col(j) = tau * weights_.array() / slack_.col(j).array();
  }

  /// A^T k: what prices k of the slacks are to the people of each value.
  VectorXd transposed(const VectorXd& k) const {
    return sign_ * (k.array() - factor_ * shares_.dot(k)).matrix();
  }
  /// What the multipliers take off the price of publishing people of each value as j.
  VectorXd price(Index j) const { return -transposed(multipliers_.col(j)); }
  /// Gradient of the barrier in v_j.
  VectorXd gradient(Index j, double tau) const {
    return -tau * transposed((weights_.array() / slack_.col(j).array()).matrix());
  }
  /// Adds P A^T D A P^T to the Hessian of column j, D = multiplier / slack. Column y of P A^T is, but for its
  /// sign, P_y - factor q(y) p.
  void add_hessian(Index j, const MatrixXd& joint, const VectorXd& cluster_weights, MatrixXd& hessian) {
    curvature_ = (multipliers_.col(j).array() / slack_.col(j).array()).sqrt();
    scaled_ = joint - (factor_ * cluster_weights) * shares_.transpose();
    scaled_.array().rowwise() *= curvature_.transpose().array();
    hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled_);
  }
  /// A^T D A times a change of v_j.
  VectorXd hessian_times(Index j, const VectorXd& change) const {
    return transposed((multipliers_.col(j).array() / slack_.col(j).array() * of(change).array()).matrix());
  }

  /// `changes`: of v, by the direction.
  void set_direction(const MatrixXd& changes) {
    for (Index j = 0; j < steps_.cols(); ++j) steps_.col(j) = of(changes.col(j));
  }
  double largest_change() const { return (steps_.array() / slack_.array()).abs().maxCoeff(); }
  double longest_step() const {
    const double fastest = (-steps_.array() / slack_.array()).maxCoeff();
    return fastest > 0 ? 1 / fastest : std::numeric_limits<double>::infinity();
  }
  /// Sum of the weighted logarithms; NaN outside of the limits.
  double barrier(double step) const {
    return (((slack_ + step * steps_).array().log()).colwise() * weights_.array()).sum();
  }
  void accept(double step, double tau) {
    for (Index j = 0; j < slack_.cols(); ++j) {
      const auto full = (tau * weights_.array() - multipliers_.col(j).array() * steps_.col(j).array()) /
                        slack_.col(j).array();
      curvature_ = (1 - step) * multipliers_.col(j).array() + step * full;
      slack_.col(j) += step * steps_.col(j);
      multipliers_.col(j) = (tau * weights_.array() / slack_.col(j).array()).matrix();
      multipliers_.col(j) = curvature_.cwiseMax(multipliers_.col(j) / kDualCorridor)
                                .cwiseMin(multipliers_.col(j) * kDualCorridor);
    }
  }

 private:
  VectorXd of(const VectorXd& v) const { return sign_ * (v - (factor_ * v.sum()) * shares_); }

  double sign_, factor_;
  VectorXd shares_, weights_;
  MatrixXd slack_, multipliers_, steps_;
  VectorXd curvature_;
  MatrixXd scaled_;
};

/// Memory and steps of one group. Column j of every |C| x |C| matrix belongs to the published cluster j.
class GroupSolver {
 public:
  explicit GroupSolver(const BarrierGroup& group);

  const MatrixXd& channel() const { return x_; }
  double objective() const { return objective_; }
  double weight_of_barrier() const;
  double cost(Index k) const { return dot(group_.costs[at(k)], x_); }

  void centre_duals(double tau);
  void update_gradient();
  double lower_bound(const VectorXd& multipliers);

  void factor(double tau, const VectorXd& slack_gradients);
  double response(Index k, Index l) const { return dot(group_.costs[at(k)], responses_[at(l)]); }
  void solve_residual() { solve(residual_, raw_); }
  double raw_cost(Index k) const { return dot(group_.costs[at(k)], raw_); }
  void add_to_direction(const VectorXd& coefficients);
  void update_residual(const VectorXd& coefficients);
  double direction_cost(Index k) const { return dot(group_.costs[at(k)], direction_); }
  double slope() const { return dot(gradient_, direction_); }
  double largest_change() const;
  void finish_direction();
  double longest_step() const;

  void try_step(double step);
  double trial_cost(Index k) const { return dot(group_.costs[at(k)], trial_); }
  double trial_value(double tau) const { return trial_objective_ - tau * trial_barrier_; }
  double value(double tau) const { return objective_ - tau * barrier_; }
  void accept_step(double step, double tau);
  void stay(double tau);

 private:
  Index budgets() const { return static_cast<Index>(group_.costs.size()); }
  void evaluate_trial(double step);
  void factor_column(Index j);
  void factor_whole_column(Index j);
  void factor_row_sums();
  void apply_inverse(Index j, const Eigen::Ref<const VectorXd>& right, Eigen::Ref<VectorXd> result);
  void solve(const MatrixXd& right, MatrixXd& result);

  const BarrierGroup& group_;
  const Index m_, n_;      // clusters, values
  const MatrixXd closed_;  // 1 where the channel must be zero: keeps quotients and logarithms finite there
  const VectorXd cluster_weights_, value_shares_, row_weights_;
  const double total_;

  MatrixXd x_, z_;               // the channel and the duals of x >= 0
  MatrixXd published_, scores_;  // v_j(y) and s_j(y)
  VectorXd outputs_;             // R_j
  double objective_ = 0, barrier_ = 0;
  MatrixXd trial_;
  double trial_objective_ = 0, trial_barrier_ = 0;

  MatrixXd curvature_, inverse_;  // Theta and its reciprocal; the latter 0 where closed
  MatrixXd factors_;              // W_j side by side: M_j^-1 = diag(inverse_j) - W_j W_j^T
  Eigen::LLT<MatrixXd> small_factor_, row_factor_;
  MatrixXd scaled_, small_, row_matrix_;
  VectorXd root_, row_sums_, row_duals_, column_, projected_;

  MatrixXd gradient_, residual_, raw_, direction_, image_;
  std::vector<MatrixXd> responses_;  // to a unit price of each budget

  std::vector<LiftSide> sides_;  // of the limits on lifts, those that there are
  MatrixXd hessian_;
  std::vector<Eigen::LLT<MatrixXd>> columns_;  // of M_j, where lifts are limited
};

GroupSolver::GroupSolver(const BarrierGroup& group)
    : group_(group),
      m_(group.joint.rows()),
      n_(group.joint.cols()),
      closed_(MatrixXd::Ones(m_, m_) - group.allowed),
      cluster_weights_(group.joint.rowwise().sum()),
      value_shares_(group.joint.colwise().sum().transpose() / group.joint.sum()),
      row_weights_(group.row_weights),
      total_(cluster_weights_.sum()) {
  for (auto* matrix :
       {&x_, &z_, &curvature_, &inverse_, &row_matrix_, &gradient_, &residual_, &raw_, &direction_})
    matrix->setZero(m_, m_);
  for (auto* matrix : {&published_, &scores_, &image_}) matrix->setZero(n_, m_);
  for (auto* vector : {&outputs_, &root_, &row_sums_, &row_duals_, &column_}) vector->setZero(m_);
  projected_.setZero(n_);
  scaled_.setZero(m_, n_);
  small_.setZero(n_, n_);
  if (!group.lifts.any()) factors_.setZero(m_, m_ * n_);
  responses_.assign(group.costs.size(), MatrixXd::Zero(m_, m_));
  if (group.lifts.has_most()) sides_.emplace_back(-1, group.lifts.most, value_shares_, total_, m_);
  if (group.lifts.has_least()) sides_.emplace_back(1, group.lifts.least, value_shares_, total_, m_);
  if (!sides_.empty()) {
    hessian_.setZero(m_, m_);
    columns_.resize(at(m_));
  }
  trial_ = group.start;
  evaluate_trial(0);
  for (LiftSide& side : sides_) side.start(published_, 1);
  evaluate_trial(0);  // with the slacks
  std::swap(x_, trial_);
  trial_.setZero(m_, m_);
  objective_ = trial_objective_;
  barrier_ = trial_barrier_;
}

double GroupSolver::weight_of_barrier() const {
  double weight = row_weights_.dot(group_.allowed.rowwise().sum());
  for (const LiftSide& side : sides_) weight += side.weight_of_barrier();
  return weight;
}

double GroupSolver::largest_change() const {
  double largest = (direction_.array() / (x_ + closed_).array()).abs().maxCoeff();
  for (const LiftSide& side : sides_) largest = std::max(largest, side.largest_change());
  return largest;
}

/// Posteriors, objective and sum of logarithms of the trial channel, so far along the direction.
void GroupSolver::evaluate_trial(double step) {
  // v_j(y) = sum_c P(c,y) O(c,j), R_j, s_j(y) = log( v / (q R) ): the notation of channel.md
  published_.noalias() = group_.joint.transpose() * trial_;
  for (Index j = 0; j < m_; ++j) {
    outputs_(j) = published_.col(j).sum();
    if (outputs_(j) <= 0) {  // nobody may be published as j: any posterior will do
      published_.col(j) = value_shares_;
      outputs_(j) = 1;
    }
    // channel.md, "Edges": a value without weight keeps 1e-280, so that quotients and logarithms stay finite
    published_.col(j) = published_.col(j).cwiseMax(kNobody);
    scores_.col(j) = published_.col(j).array() / (outputs_(j) * value_shares_.array());
  }
  if (group_.leaks)
    scores_ = scores_.array().log();
  else
    scores_.setZero();
  // F = sum_j sum_y v s
  trial_objective_ = dot(published_, scores_) + dot(group_.price, trial_);
  trial_barrier_ = 0;
  for (Index j = 0; j < m_; ++j)
    trial_barrier_ += row_weights_.dot((trial_.col(j) + closed_.col(j)).array().log().matrix());
  for (const LiftSide& side : sides_) trial_barrier_ += side.barrier(step);
}

void GroupSolver::centre_duals(double tau) {
  for (Index j = 0; j < m_; ++j)
    // on the central path x z = tau w
    z_.col(j) = tau * row_weights_.array() / (x_.col(j) + closed_.col(j)).array();
  for (LiftSide& side : sides_) side.centre(tau);
}

void GroupSolver::update_gradient() {
  gradient_ = group_.price;
  // channel.md, "Certificate": dF/dO(c,j) = sum_y P(c,y) s_j(y); the derivatives of v and R in the logarithm
  // cancel
  gradient_.noalias() += group_.joint * scores_;
}

/// sum_c min_j Gamma(c, j): scores with sum_y q e^s <= 1 bound the optimum from below. Both the sum and that
/// condition hold up to rounding, which is taken off on the safe side.
double GroupSolver::lower_bound(const VectorXd& multipliers) {
  raw_ = gradient_;
  double largest_price = 0;
  if (!sides_.empty()) {
    // "Limits on lifts": any multipliers of theirs from 0 on leave the bound a bound
    image_.setZero();
    for (const LiftSide& side : sides_)
      for (Index j = 0; j < m_; ++j) image_.col(j) += side.price(j);
    raw_.noalias() += group_.joint * image_;
    largest_price = image_.cwiseAbs().maxCoeff();
  }
  for (Index k = 0; k < budgets(); ++k) raw_ += multipliers(k) * group_.costs[at(k)];
  // channel.md, "Certificate": any s with sum_y q e^s <= 1 and any lambda >= 0 bound the optimum from below.
  // An interior iterate has equality; what rounding may have added to the sum, n + 8 operations a term, is
  // taken off.
  const double size =
      total_ * (1 + scores_.cwiseAbs().maxCoeff() + largest_price) + raw_.diagonal().cwiseAbs().sum();
  raw_ = (closed_.array() > 0).select(std::numeric_limits<double>::max(), raw_);
  return raw_.rowwise().minCoeff().sum() - kRounding * static_cast<double>(n_ + 8) * size;
}

/// W_j = T^1/2 U L^-T, where T = 1/Theta_j, U = T^1/2 P B_j, L L^T = I + U^T U and B_j B_j^T = K_j.
void GroupSolver::factor_column(Index j) {
  // channel.md, "Step": with B_j = diag(v)^-1/2 (I - u u^T), u = (v/R)^1/2, column y of P B_j is P_y /
  // sqrt(v) - p sqrt(v) / R. Woodbury: (Theta + P K P^T)^-1 = T - T^1/2 U (I + U^T U)^-1 U^T T^1/2.
  root_ = inverse_.col(j).cwiseSqrt();
  for (Index y = 0; y < n_; ++y) {
    const double root_of_v = std::sqrt(published_(y, j));
    scaled_.col(y) = root_.array() * (group_.joint.col(y).array() / root_of_v -
                                      cluster_weights_.array() * (root_of_v / outputs_(j)));
  }
  // I + U^T U is never singular, however small v and however large T
  small_.setIdentity();
  small_.selfadjointView<Eigen::Lower>().rankUpdate(scaled_.transpose());
  small_factor_.compute(small_);
  auto factor = factors_.middleCols(j * n_, n_);
  factor = scaled_;
  small_factor_.matrixU().solveInPlace<Eigen::OnTheRight>(factor);
  factor.array().colwise() *= root_.array();
}

/// M_j itself where limits on lifts add to it, whose slacks span as many orders of magnitude as Theta does:
/// differences as above would have no digits left.
void GroupSolver::factor_whole_column(Index j) {
  hessian_.setZero();
  hessian_.diagonal() = curvature_.col(j);
  if (group_.leaks) {
    for (Index y = 0; y < n_; ++y) {
      const double root_of_v = std::sqrt(published_(y, j));
      scaled_.col(y) = group_.joint.col(y) / root_of_v - cluster_weights_ * (root_of_v / outputs_(j));
    }
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(scaled_);
  }
  for (LiftSide& side : sides_) side.add_hessian(j, group_.joint, cluster_weights_, hessian_);
  columns_[at(j)].compute(hessian_);
}

/// sum_j M_j^-1, the Schur complement of the row sums. Rounding may leave it indefinite: lift the diagonal.
void GroupSolver::factor_row_sums() {
  row_sums_ = inverse_.rowwise().sum();
  row_matrix_.setZero();
  if (sides_.empty()) {
    // sum_j ( T_j - W_j W_j^T ): one symmetric product for all columns at once
    row_matrix_.selfadjointView<Eigen::Lower>().rankUpdate(factors_, -1);
    row_matrix_.diagonal() += row_sums_;
  } else {
    for (const auto& column : columns_) {
      hessian_.setIdentity();
      column.matrixL().solveInPlace(hessian_);  // L^-1, and M^-1 = L^-T L^-1
      row_matrix_.selfadjointView<Eigen::Lower>().rankUpdate(hessian_.transpose());
    }
  }
  // "Safeguards": the difference cancels where T is huge; the lift is relative to sum_j T_j, from its
  // rounding upwards
  row_factor_.compute(row_matrix_);
  for (double lift = 1e-14; row_factor_.info() != Eigen::Success && lift < 1; lift *= 10) {
    row_matrix_.diagonal() += lift * row_sums_;
    row_factor_.compute(row_matrix_);
  }
}

/// Completes the gradient of the barrier problem, factors its Hessian and answers the price of each budget.
void GroupSolver::factor(double tau, const VectorXd& slack_gradients) {
  for (Index j = 0; j < m_; ++j) {
    const auto x = (x_.col(j) + closed_.col(j)).array();
    gradient_.col(j).array() -= tau * row_weights_.array() / x;
    for (const LiftSide& side : sides_) gradient_.col(j).noalias() += group_.joint * side.gradient(j, tau);
    // primal-dual: Theta = z / x, not tau w / x^2; the 1e-9 bounds the cancellation in the Schur complement
    curvature_.col(j) = z_.col(j).array() / x + kRegularisation * row_weights_.array();
    inverse_.col(j) = group_.allowed.col(j).array() / curvature_.col(j).array();
    if (sides_.empty())
      factor_column(j);
    else
      factor_whole_column(j);
  }
  factor_row_sums();
  for (Index k = 0; k < budgets(); ++k) {
    // gradient of -tau log slack_k: + tau / slack_k C_k
    gradient_ += slack_gradients(k) * group_.costs[at(k)];
    solve(group_.costs[at(k)], responses_[at(k)]);
  }
  residual_ = gradient_;
  direction_.setZero();
}

void GroupSolver::apply_inverse(Index j, const Eigen::Ref<const VectorXd>& right,
                                Eigen::Ref<VectorXd> result) {
  if (!sides_.empty()) {
    result = columns_[at(j)].solve(right);
    return;
  }
  const auto factor = factors_.middleCols(j * n_, n_);
  projected_.noalias() = factor.transpose() * right;
  result = inverse_.col(j).cwiseProduct(right);
  result.noalias() -= factor * projected_;
}

/// M_j result_j + nu = -right_j for all j, with nu such that sum_j result_j = 0.
void GroupSolver::solve(const MatrixXd& right, MatrixXd& result) {
  row_duals_.setZero();
  for (Index j = 0; j < m_; ++j) {
    apply_inverse(j, right.col(j), result.col(j));
    // S nu = -sum_j M_j^-1 right_j makes the row sums of the result zero
    row_duals_ -= result.col(j);
  }
  row_factor_.solveInPlace(row_duals_);
  for (Index j = 0; j < m_; ++j) {
    apply_inverse(j, row_duals_, column_);
    result.col(j) = -(result.col(j) + column_);
  }
}

void GroupSolver::add_to_direction(const VectorXd& coefficients) {
  direction_ += raw_;
  for (Index k = 0; k < budgets(); ++k) direction_ += coefficients(k) * responses_[at(k)];
  // "Rows are normalised": a direction must not change row sums, or the certificate loses its meaning
  column_ = direction_.rowwise().sum();  // zero but for rounding
  for (Index j = 0; j < m_; ++j) direction_.col(j) -= column_.cwiseProduct(x_.col(j));
}

/// What the Newton equations lack, up to the row duals, whose best guess is taken off.
void GroupSolver::update_residual(const VectorXd& coefficients) {
  image_.noalias() = group_.joint.transpose() * direction_;
  for (Index j = 0; j < m_; ++j) {
    // Hessian times direction, P ( diag(1/v) - 11^T/R ) P^T dx, from the exact Hessian and not from its
    // factor
    const VectorXd change = image_.col(j);
    const double mean = change.sum() / outputs_(j);
    if (group_.leaks)
      image_.col(j) = change.array() / published_.col(j).array() - mean;
    else
      image_.col(j).setZero();
    for (const LiftSide& side : sides_) image_.col(j) += side.hessian_times(j, change);
  }
  residual_ = gradient_ + curvature_.cwiseProduct(direction_);
  residual_.noalias() += group_.joint * image_;
  for (Index k = 0; k < budgets(); ++k) residual_ += coefficients(k) * group_.costs[at(k)];
  // any vector may be added to the residual of a row: it belongs to nu. The best guess keeps numbers small.
  column_ = residual_.cwiseProduct(inverse_).rowwise().sum().cwiseQuotient(row_sums_);
  residual_.colwise() -= column_;
}

/// What the direction does to the slacks of lifts.
void GroupSolver::finish_direction() {
  if (sides_.empty()) return;
  image_.noalias() = group_.joint.transpose() * direction_;
  for (LiftSide& side : sides_) side.set_direction(image_);
}

double GroupSolver::longest_step() const {
  const double fastest = (-direction_.array() / (x_ + closed_).array()).maxCoeff();
  double step = fastest > 0 ? 1 / fastest : std::numeric_limits<double>::infinity();
  for (const LiftSide& side : sides_) step = std::min(step, side.longest_step());
  return step;
}

void GroupSolver::try_step(double step) {
  // rows are normalised after each step ("Safeguards")
  trial_ = x_ + step * direction_;
  column_ = trial_.rowwise().sum().cwiseInverse();
  trial_.array().colwise() *= column_.array();
  evaluate_trial(step);
}

void GroupSolver::accept_step(double step, double tau) {
  for (Index j = 0; j < m_; ++j) {
    const auto x = (x_.col(j) + closed_.col(j)).array();
    const auto z = z_.col(j).array();
    // Newton for z x = tau w gives z + dz = (tau w - z dx) / x; the corridor keeps columns from dying early
    root_ = (1 - step) * z + step * (tau * row_weights_.array() - z * direction_.col(j).array()) / x;
    column_ = tau * row_weights_.array() / (trial_.col(j) + closed_.col(j)).array();
    z_.col(j) = root_.cwiseMax(column_ / kDualCorridor).cwiseMin(column_ * kDualCorridor);
  }
  for (LiftSide& side : sides_) side.accept(step, tau);
  std::swap(x_, trial_);
  objective_ = trial_objective_;
  barrier_ = trial_barrier_;
}

/// After steps that led nowhere: the posteriors of x again, and fresh duals.
void GroupSolver::stay(double tau) {
  trial_ = x_;
  evaluate_trial(0);
  centre_duals(tau);
}

/// The iteration over all groups, which meet in the budgets only.
class Barrier {
 public:
  explicit Barrier(const BarrierProblem& problem);
  BarrierAnswer minimise(double gap_tolerance, int max_iterations);

 private:
  void certify();
  double objective() const;
  void find_direction();
  void solve_budgets(const Eigen::LLT<MatrixXd>& system);
  double take_step();
  double longest_step() const;
  double value(const VectorXd& slacks, bool trial) const;
  void accept(double step);
  void cool(double step);
  BarrierAnswer answer(int iterations) const;

  const BarrierProblem& problem_;
  const Index budgets_;
  const bool limits_lifts_;
  std::vector<GroupSolver> groups_;
  VectorXd slacks_, multipliers_, slack_steps_, trial_slacks_, coefficients_;
  double tau_ = 0, weight_ = 0, slope_ = 0, largest_change_ = 0, floor_ = 0;
  double lower_bound_ = -std::numeric_limits<double>::infinity();
  VectorXd best_multipliers_;
};

Barrier::Barrier(const BarrierProblem& problem)
    : problem_(problem),
      budgets_(problem.limits.size()),
      limits_lifts_(
          std::ranges::any_of(problem.groups, [](const auto& group) { return group.lifts.any(); })) {
  groups_.reserve(problem.groups.size());
  for (const auto& group : problem.groups) groups_.emplace_back(group);
  // gap on the central path = tau weight_, "Step"
  weight_ = static_cast<double>(budgets_);
  slacks_ = problem.limits;
  for (const auto& group : groups_) {
    weight_ += group.weight_of_barrier();
    for (Index k = 0; k < budgets_; ++k) slacks_(k) -= group.cost(k);
  }
  // "tau starts at the scale of the objective"; 1e-3 nats where a start leaks next to nothing
  tau_ = kFirstBarrier * std::max(objective(), 1e-3) / weight_;
  for (auto& group : groups_) group.centre_duals(tau_);
  multipliers_ = best_multipliers_ = tau_ * slacks_.cwiseInverse();
  slack_steps_ = trial_slacks_ = coefficients_ = VectorXd::Zero(budgets_);
}

BarrierAnswer Barrier::minimise(double gap_tolerance, int max_iterations) {
  // "tau has a floor": half the tolerance, the other half is for the distance from the centre
  floor_ = 0.5 * gap_tolerance / weight_;
  int iterations = 0;
  int stalled = 0;
  for (; iterations < max_iterations; ++iterations) {
    certify();
    if (objective() - lower_bound_ <= gap_tolerance || stalled >= kStalledSteps) break;
    if (problem_.enough && problem_.enough(objective(), lower_bound_)) break;
    find_direction();
    const double step = take_step();
    // after kStalledSteps of these rounding allows no further progress
    stalled = step > 1e-6 ? 0 : stalled + 1;
    cool(step);
  }
  return answer(iterations);
}

double Barrier::objective() const {
  double sum = 0;
  for (const auto& group : groups_) sum += group.objective();
  return sum;
}

void Barrier::certify() {
  // bound = sum_g sum_c min_j Gamma - sum_k lambda_k L_k
  const double prices = multipliers_.dot(problem_.limits);
  double bound = -prices - kRounding * prices;
  for (auto& group : groups_) {
    group.update_gradient();
    bound += group.lower_bound(multipliers_);
  }
  if (bound <= lower_bound_) return;
  lower_bound_ = bound;
  best_multipliers_ = multipliers_;
}

/// Newton's direction for all groups. The budgets add lambda/slack c c^T to the Hessian: a system of the size
/// of their number (Woodbury). Solved once and refined once.
void Barrier::find_direction() {
  const VectorXd slack_gradients = tau_ * slacks_.cwiseInverse();
  // Woodbury for sum_k lambda_k / slack_k C_k C_k^T: slack/lambda + C^T M^-1 C is the system of the
  // coefficients a. The responses are -M^-1 C_k, hence the minus.
  MatrixXd system = slacks_.cwiseQuotient(multipliers_).asDiagonal();
  for (auto& group : groups_) {
    group.factor(tau_, slack_gradients);
    for (Index k = 0; k < budgets_; ++k)
      for (Index l = 0; l < budgets_; ++l) system(k, l) -= group.response(k, l);
  }
  const Eigen::LLT<MatrixXd> factored(system);
  coefficients_.setZero();
  slack_steps_.setZero();
  // solved, then again for what is left: Theta spans twenty orders of magnitude near the end
  solve_budgets(factored);
  for (int i = 0; i < (limits_lifts_ ? kRefinementsOfLifts : kRefinements); ++i) {
    for (auto& group : groups_) group.update_residual(coefficients_);
    solve_budgets(factored);
  }
  slope_ = largest_change_ = 0;
  for (auto& group : groups_) {
    group.finish_direction();
    slope_ += group.slope();
    largest_change_ = std::max(largest_change_, group.largest_change());
  }
}

/// Adds to the direction what it lacks: M dx + nu + sum_k a_k c_k = -gradient and c_k dx = a_k
/// slack_k/lambda_k.
void Barrier::solve_budgets(const Eigen::LLT<MatrixXd>& system) {
  VectorXd right = -slack_steps_ - coefficients_.cwiseProduct(slacks_).cwiseQuotient(multipliers_);
  for (auto& group : groups_) {
    group.solve_residual();
    for (Index k = 0; k < budgets_; ++k) right(k) += group.raw_cost(k);
  }
  if (budgets_ > 0) system.solveInPlace(right);
  coefficients_ += right;
  for (auto& group : groups_) group.add_to_direction(right);
  slack_steps_.setZero();
  for (const auto& group : groups_)
    for (Index k = 0; k < budgets_; ++k) slack_steps_(k) -= group.direction_cost(k);
}

double Barrier::longest_step() const {
  double step = std::numeric_limits<double>::infinity();
  for (const auto& group : groups_) step = std::min(step, group.longest_step());
  for (Index k = 0; k < budgets_; ++k)
    if (slack_steps_(k) < 0) step = std::min(step, -slacks_(k) / slack_steps_(k));
  return step;
}

double Barrier::value(const VectorXd& slacks, bool trial) const {
  double sum = -tau_ * slacks.array().log().sum();
  for (const auto& group : groups_) sum += trial ? group.trial_value(tau_) : group.value(tau_);
  return sum;
}

/// Armijo's rule on the barrier. Returns the step taken, 0 if none lowers it.
double Barrier::take_step() {
  const double before = value(slacks_, false);
  // near the centre the predicted decrease is below the rounding of the value: a step must not fail by that
  const double noise = 1e-15 * (1 + std::abs(before));
  double step = std::min(1.0, kToBoundary * longest_step());
  for (int halvings = 0; halvings < 40; ++halvings, step *= 0.5) {
    trial_slacks_ = problem_.limits;
    for (auto& group : groups_) {
      group.try_step(step);
      for (Index k = 0; k < budgets_; ++k) trial_slacks_(k) -= group.trial_cost(k);
    }
    if ((trial_slacks_.array() <= 0).any()) continue;
    if (!(value(trial_slacks_, true) <= before + kArmijo * step * slope_ + noise)) continue;  // NaN is none
    accept(step);
    return step;
  }
  for (auto& group : groups_) group.stay(tau_);
  return 0;
}

void Barrier::accept(double step) {
  for (auto& group : groups_) group.accept_step(step, tau_);
  for (Index k = 0; k < budgets_; ++k) {
    // "Coefficients, not slacks, give lambda": the rounding of a slack of 1e-10 would enter lambda at 1e-6
    const double full = tau_ / slacks_(k) + coefficients_(k);
    const double centred = tau_ / trial_slacks_(k);
    multipliers_(k) = std::clamp((1 - step) * multipliers_(k) + step * full, centred / kDualCorridor,
                                 centred * kDualCorridor);
  }
  slacks_ = trial_slacks_;
}

/// The barrier goes down fast only where Newton's method has settled, tiny entries included: columns that die
/// before their posterior has settled spoil the certificate. On the central path the gap is tau times the
/// weight of the barrier, so there is nothing to gain below the floor; there, only centring helps.
void Barrier::cool(double step) {
  // Newton decrement in units of tau: what the quadratic model still promises
  const double decrement = -slope_ / tau_;
  if (step > 0.9 && decrement < 3 && largest_change_ < 0.5)
    tau_ *= 0.1;
  else if (step > 0.5 && decrement < (limits_lifts_ ? 8 : 50) && largest_change_ < (limits_lifts_ ? 1 : 20))
    tau_ *= 0.316;
  tau_ = std::max(tau_, floor_);
}

BarrierAnswer Barrier::answer(int iterations) const {
  BarrierAnswer result{.channels = {},
                       .lower_bound = lower_bound_,
                       .multipliers = best_multipliers_,
                       .iterations = iterations};
  for (const auto& group : groups_) result.channels.push_back(group.channel());
  return result;
}

}  // namespace

BarrierAnswer minimise_by_barrier(const BarrierProblem& problem, double gap_tolerance, int max_iterations) {
  return Barrier(problem).minimise(gap_tolerance, max_iterations);
}

}  // namespace hyobscure::solve
