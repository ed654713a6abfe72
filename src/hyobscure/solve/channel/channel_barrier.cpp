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
constexpr int kStalledSteps = 8;  // in a row, before giving up

double dot(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Memory and steps of one group. Column j of every |C| x |C| matrix belongs to the published cluster j.
class GroupSolver {
 public:
  explicit GroupSolver(const BarrierGroup& group);

  const MatrixXd& channel() const { return x_; }
  double objective() const { return objective_; }
  double weight_of_barrier() const { return row_weights_.dot(group_.allowed.rowwise().sum()); }
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
  double largest_change() const { return (direction_.array() / (x_ + closed_).array()).abs().maxCoeff(); }
  double longest_step() const;

  void try_step(double step);
  double trial_cost(Index k) const { return dot(group_.costs[at(k)], trial_); }
  double trial_value(double tau) const { return trial_objective_ - tau * trial_barrier_; }
  double value(double tau) const { return objective_ - tau * barrier_; }
  void accept_step(double step, double tau);
  void stay(double tau);

 private:
  Index budgets() const { return static_cast<Index>(group_.costs.size()); }
  void evaluate_trial();
  void factor_column(Index j);
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
  factors_.setZero(m_, m_ * n_);
  responses_.assign(group.costs.size(), MatrixXd::Zero(m_, m_));
  trial_ = group.start;
  evaluate_trial();
  std::swap(x_, trial_);
  trial_.setZero(m_, m_);
  objective_ = trial_objective_;
  barrier_ = trial_barrier_;
}

/// Posteriors, objective and sum of logarithms of the trial channel.
void GroupSolver::evaluate_trial() {
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
  scores_ = scores_.array().log();
  // F = sum_j sum_y v s
  trial_objective_ = dot(published_, scores_) + dot(group_.price, trial_);
  trial_barrier_ = 0;
  for (Index j = 0; j < m_; ++j)
    trial_barrier_ += row_weights_.dot((trial_.col(j) + closed_.col(j)).array().log().matrix());
}

void GroupSolver::centre_duals(double tau) {
  for (Index j = 0; j < m_; ++j)
    // on the central path x z = tau w
    z_.col(j) = tau * row_weights_.array() / (x_.col(j) + closed_.col(j)).array();
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
  for (Index k = 0; k < budgets(); ++k) raw_ += multipliers(k) * group_.costs[at(k)];
  // channel.md, "Certificate": any s with sum_y q e^s <= 1 and any lambda >= 0 bound the optimum from below.
  // An interior iterate has equality; what rounding may have added to the sum, n + 8 operations a term, is
  // taken off.
  const double size = total_ * (1 + scores_.cwiseAbs().maxCoeff()) + raw_.diagonal().cwiseAbs().sum();
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

/// sum_j M_j^-1, the Schur complement of the row sums. Rounding may leave it indefinite: lift the diagonal.
void GroupSolver::factor_row_sums() {
  row_sums_ = inverse_.rowwise().sum();
  row_matrix_.setZero();
  // sum_j ( T_j - W_j W_j^T ): one symmetric product for all columns at once
  row_matrix_.selfadjointView<Eigen::Lower>().rankUpdate(factors_, -1);
  row_matrix_.diagonal() += row_sums_;
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
    // primal-dual: Theta = z / x, not tau w / x^2; the 1e-9 bounds the cancellation in the Schur complement
    curvature_.col(j) = z_.col(j).array() / x + kRegularisation * row_weights_.array();
    inverse_.col(j) = group_.allowed.col(j).array() / curvature_.col(j).array();
    factor_column(j);
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
    const double mean = image_.col(j).sum() / outputs_(j);
    image_.col(j) = image_.col(j).array() / published_.col(j).array() - mean;
  }
  residual_ = gradient_ + curvature_.cwiseProduct(direction_);
  residual_.noalias() += group_.joint * image_;
  for (Index k = 0; k < budgets(); ++k) residual_ += coefficients(k) * group_.costs[at(k)];
  // any vector may be added to the residual of a row: it belongs to nu. The best guess keeps numbers small.
  column_ = residual_.cwiseProduct(inverse_).rowwise().sum().cwiseQuotient(row_sums_);
  residual_.colwise() -= column_;
}

double GroupSolver::longest_step() const {
  const double fastest = (-direction_.array() / (x_ + closed_).array()).maxCoeff();
  return fastest > 0 ? 1 / fastest : std::numeric_limits<double>::infinity();
}

void GroupSolver::try_step(double step) {
  // rows are normalised after each step ("Safeguards")
  trial_ = x_ + step * direction_;
  column_ = trial_.rowwise().sum().cwiseInverse();
  trial_.array().colwise() *= column_.array();
  evaluate_trial();
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
  std::swap(x_, trial_);
  objective_ = trial_objective_;
  barrier_ = trial_barrier_;
}

/// After steps that led nowhere: the posteriors of x again, and fresh duals.
void GroupSolver::stay(double tau) {
  trial_ = x_;
  evaluate_trial();
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
  std::vector<GroupSolver> groups_;
  VectorXd slacks_, multipliers_, slack_steps_, trial_slacks_, coefficients_;
  double tau_ = 0, weight_ = 0, slope_ = 0, largest_change_ = 0, floor_ = 0;
  double lower_bound_ = -std::numeric_limits<double>::infinity();
  VectorXd best_multipliers_;
};

Barrier::Barrier(const BarrierProblem& problem) : problem_(problem), budgets_(problem.limits.size()) {
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
  // solved, then once more for what is left: Theta spans twenty orders of magnitude near the end
  solve_budgets(factored);
  for (auto& group : groups_) group.update_residual(coefficients_);
  solve_budgets(factored);
  slope_ = largest_change_ = 0;
  for (const auto& group : groups_) {
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
  else if (step > 0.5 && decrement < 50 && largest_change_ < 20)
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
