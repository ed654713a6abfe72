#pragma once

// The O-problem of one group in Ipopt, a general interior-point solver: an oracle for tests, a rival for
// benchmarks. Shares nothing with our solver but the definition.

#include <Eigen/Core>
#include <IpIpoptApplication.hpp>
#include <IpTNLP.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "hyobscure/solve/channel/lift_limits.h"

namespace hyobscure::solve {

/// Variables: the channel O(c, j), what is published v_j(y), its totals R_j.
///
///   minimise   sum_{j,y} v_j(y) log( v_j(y) / (q_y R_j) )
///   subject to v_j(y) = sum_c P(c,y) O(c,j),   R_j = sum_y v_j(y),   sum_j O(c,j) = 1,   <cost, O> <= budget
///
/// and, where lifts are limited, least q_y R_j <= v_j(y) <= most q_y R_j; balanced: all R_j the same.
///
/// With v and R as variables of their own the Hessian is sparse and exact.
class IpoptChannel : public Ipopt::TNLP {
 public:
  using Index = Ipopt::Index;
  using Number = Ipopt::Number;

  IpoptChannel(const Eigen::MatrixXd& joint, const Eigen::MatrixXd& distance, double budget,
               const LiftLimits& lifts, double seconds_allowed, bool balanced)
      : joint_(joint),
        cost_(joint.rowwise().sum().asDiagonal() * distance),
        shares_(joint.colwise().sum().transpose() / joint.sum()),
        budget_(budget),
        lifts_(lifts),
        balanced_(balanced),
        m_(static_cast<Index>(joint.rows())),
        n_(static_cast<Index>(joint.cols())),
        last_moment_(std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds_allowed)) {}

  const Eigen::MatrixXd& channel() const { return channel_; }

  bool get_nlp_info(Index& variables, Index& constraints, Index& jacobian, Index& hessian,
                    IndexStyleEnum& style) override {
    variables = total(m_);
    constraints = m_ * n_ + m_ + m_ + 1 + 2 * lifts();
    jacobian = m_ * n_ * (m_ + 1) + m_ * (n_ + 1) + m_ * m_ + m_ * m_ + 4 * lifts();
    hessian = m_ * (2 * n_ + 1);
    style = C_STYLE;
    return true;
  }

  bool get_bounds_info(Index variables, Number* low, Number* high, Index constraints, Number* least,
                       Number* most) override {
    std::fill_n(low, variables, 0.0);
    std::fill_n(high, variables, 2e19);  // Ipopt's infinity
    for (Index j = 0; j < m_ && balanced_; ++j)
      low[total(j)] = high[total(j)] = joint_.sum() / static_cast<double>(m_);
    std::fill_n(least, constraints, 0.0);
    std::fill_n(most, constraints, 0.0);
    for (Index c = 0; c < m_; ++c) least[row_sum(c)] = most[row_sum(c)] = 1;
    least[budget_row()] = -2e19;
    most[budget_row()] = budget_;
    for (Index k = 0; k < lifts(); ++k) {
      least[budget_row() + 1 + 2 * k] = -2e19;  // v - most q R <= 0
      most[budget_row() + 2 + 2 * k] = 2e19;    // v - least q R >= 0
    }
    (void)constraints;
    return true;
  }

  /// Everybody anywhere: inside all bounds.
  bool get_starting_point(Index, bool, Number* x, bool, Number*, Number*, Index, bool, Number*) override {
    for (Index j = 0; j < m_; ++j) {
      for (Index c = 0; c < m_; ++c) x[entry(c, j)] = 1.0 / m_;
      for (Index y = 0; y < n_; ++y) x[published(y, j)] = joint_.col(y).sum() / m_;
      x[total(j)] = joint_.sum() / m_;
    }
    return true;
  }

  bool eval_f(Index, const Number* x, bool, Number& value) override {
    value = 0;
    for (Index j = 0; j < m_; ++j)
      for (Index y = 0; y < n_; ++y) value += x[published(y, j)] * score(x, y, j);
    return true;
  }

  bool eval_grad_f(Index variables, const Number* x, bool, Number* gradient) override {
    std::fill_n(gradient, variables, 0.0);
    for (Index j = 0; j < m_; ++j)
      for (Index y = 0; y < n_; ++y) {
        gradient[published(y, j)] = score(x, y, j) + 1;
        gradient[total(j)] -= x[published(y, j)] / x[total(j)];
      }
    return true;
  }

  bool eval_g(Index, const Number* x, bool, Index, Number* g) override {
    const Eigen::Map<const Eigen::MatrixXd> channel(x, m_, m_), v(x + m_ * m_, n_, m_);
    const Eigen::MatrixXd difference = v - joint_.transpose() * channel;
    std::copy_n(difference.data(), difference.size(), g);
    for (Index j = 0; j < m_; ++j) {
      g[m_ * n_ + j] = x[total(j)] - v.col(j).sum();
      g[row_sum(j)] = channel.row(j).sum();
    }
    g[budget_row()] = cost_.cwiseProduct(channel).sum();
    for_each_lift([&](Index row, Index j, Index y, double factor) {
      g[row] = x[published(y, j)] - factor * shares_(y) * x[total(j)];
    });
    return true;
  }

  bool eval_jac_g(Index, const Number*, bool, Index, Index, Index* rows, Index* columns,
                  Number* values) override {
    Index k = 0;
    const auto put = [&](Index row, Index column, double value) {
      if (values == nullptr) {
        rows[k] = row;
        columns[k] = column;
      } else {
        values[k] = value;
      }
      ++k;
    };
    for (Index j = 0; j < m_; ++j) {
      for (Index y = 0; y < n_; ++y) {
        for (Index c = 0; c < m_; ++c) put(j * n_ + y, entry(c, j), -joint_(c, y));
        put(j * n_ + y, published(y, j), 1);
        put(m_ * n_ + j, published(y, j), -1);
      }
      put(m_ * n_ + j, total(j), 1);
      for (Index c = 0; c < m_; ++c) {
        put(row_sum(c), entry(c, j), 1);
        put(budget_row(), entry(c, j), cost_(c, j));
      }
    }
    for_each_lift([&](Index row, Index j, Index y, double factor) {
      put(row, published(y, j), 1);
      put(row, total(j), -factor * shares_(y));
    });
    return true;
  }

  /// The constraints are linear: only the objective counts.
  bool eval_h(Index, const Number* x, bool, Number factor, Index, const Number*, bool, Index, Index* rows,
              Index* columns, Number* values) override {
    Index k = 0;
    for (Index j = 0; j < m_; ++j) {
      double weight = 0;
      for (Index y = 0; y < n_; ++y, k += 2) {
        if (values == nullptr) {
          rows[k] = columns[k] = columns[k + 1] = published(y, j);
          rows[k + 1] = total(j);
        } else {
          values[k] = factor / x[published(y, j)];
          values[k + 1] = -factor / x[total(j)];
          weight += x[published(y, j)];
        }
      }
      if (values == nullptr)
        rows[k] = columns[k] = total(j);
      else
        values[k] = factor * weight / (x[total(j)] * x[total(j)]);
      ++k;
    }
    return true;
  }

  /// Ipopt's own limit counts CPU time only.
  bool intermediate_callback(Ipopt::AlgorithmMode, Index, Number, Number, Number, Number, Number, Number,
                             Number, Number, Index, const Ipopt::IpoptData*,
                             Ipopt::IpoptCalculatedQuantities*) override {
    return std::chrono::steady_clock::now() < last_moment_;
  }

  void finalize_solution(Ipopt::SolverReturn, Index, const Number* x, const Number*, const Number*, Index,
                         const Number*, const Number*, Number, const Ipopt::IpoptData*,
                         Ipopt::IpoptCalculatedQuantities*) override {
    channel_ = Eigen::Map<const Eigen::MatrixXd>(x, m_, m_).cwiseMax(0);
    const Eigen::VectorXd sums = channel_.rowwise().sum();
    channel_.array().colwise() /= sums.array();
  }

 private:
  Index entry(Index c, Index j) const { return j * m_ + c; }
  Index published(Index y, Index j) const { return m_ * m_ + j * n_ + y; }
  Index total(Index j) const { return m_ * m_ + m_ * n_ + j; }
  Index budget_row() const { return m_ * n_ + m_ + m_; }
  Index lifts() const { return lifts_.any() ? m_ * n_ : 0; }
  /// visit(row, j, y, factor): v_j(y) - factor q_y R_j, from above, then from below.
  template <class Visit>
  void for_each_lift(const Visit& visit) const {
    for (Index k = 0; k < lifts(); ++k) {
      visit(budget_row() + 1 + 2 * k, k / n_, k % n_, std::min(lifts_.most, 1e6));
      visit(budget_row() + 2 + 2 * k, k / n_, k % n_, lifts_.least);
    }
  }
  Index row_sum(Index c) const { return m_ * n_ + m_ + c; }
  double score(const Number* x, Index y, Index j) const {
    return std::log(x[published(y, j)] / (shares_(y) * x[total(j)]));
  }

  Eigen::MatrixXd joint_, cost_, channel_;
  Eigen::VectorXd shares_;
  double budget_;
  LiftLimits lifts_;
  bool balanced_;
  Index m_, n_;
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>> last_moment_;
};

struct IpoptAnswer {
  Eigen::MatrixXd channel;  ///< not negative, rows sum to 1; may overdraw the budget by Ipopt's tolerance
  bool solved = false;
  double seconds = 0;      ///< by the clock
  double cpu_seconds = 0;  ///< of the process, all threads
};

/// Every value of the joint must have weight.
inline IpoptAnswer solve_with_ipopt(const Eigen::MatrixXd& joint, const Eigen::MatrixXd& distance,
                                    double budget, double seconds_allowed = 600, const LiftLimits& lifts = {},
                                    bool balanced = false) {
  Ipopt::SmartPtr<IpoptChannel> problem =
      new IpoptChannel(joint, distance, budget, lifts, seconds_allowed, balanced);
  Ipopt::SmartPtr<Ipopt::IpoptApplication> ipopt = new Ipopt::IpoptApplication();
  ipopt->Options()->SetIntegerValue("print_level", 0);
  ipopt->Options()->SetStringValue("sb", "yes");  // no banner
  ipopt->Options()->SetNumericValue("tol", 1e-9);
  ipopt->Options()->SetNumericValue("bound_relax_factor", 0);
  ipopt->Options()->SetStringValue("jac_c_constant", "yes");
  ipopt->Options()->SetStringValue("jac_d_constant", "yes");
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t cpu_begin = std::clock();
  ipopt->Initialize("");
  const auto status = ipopt->OptimizeTNLP(Ipopt::GetRawPtr(problem));
  return {problem->channel(), status == Ipopt::Solve_Succeeded,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC};
}

}  // namespace hyobscure::solve
