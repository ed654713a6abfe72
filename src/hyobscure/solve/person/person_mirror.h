#pragma once

#include <limits>

#include "hyobscure/solve/person/person_support.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {

/// The problem on a fixed support, by accelerated mirror descent with entropies. Rows of the channel sum to 1
/// within rounding of floats; columns too where balanced, as well as the gap asks for.
class MirrorSolver {
 public:
  /// `start`: a probability for each pair, all positive, rows sum to 1. `column_prices`: a guess, or zeros.
  MirrorSolver(const PoolTask& task, const Support& support, Floats start, Floats column_prices);

  /// Until the gap on this support is within the tolerance, for at most so many iterations.
  void run(double tolerance, int max_iterations, const Progress& progress);

  const Floats& channel() const { return x_; }
  const Floats& column_prices() const { return column_prices_; }
  const PoolDuals& duals() const { return best_duals_; }  ///< of the best bound
  double bound() const { return bound_; }
  double value() const { return value_; }
  int iterations() const { return iterations_; }

 private:
  /// Linear in the channel: v_j(y) of either attacker, R_j.
  struct Masses {
    std::vector<double> cells, columns;
    RowMatrixXf learned;
  };

  bool learned() const { return counts_learned(task_); }
  bool has_profiles() const { return task_.pool.profiles.size() > 0; }
  Masses empty_masses() const;
  void measure(const Floats& channel, Masses& masses) const;
  void mix(const Masses& x, const Masses& w, double theta, Masses& result) const;
  double linear_cost(const Floats& channel) const;

  void take_step();
  void compute_scores();
  void compute_gradient();
  void move_rows(double scale);
  void log_ratios(std::size_t u, float scale, Eigen::ArrayXf& result) const;
  void balance_columns();
  double sum_columns();
  void scale_rows();
  void apply_factors();
  double distance_moved(double scale) const;
  double divergence() const;
  bool move_to_next();
  void restart();

  void check();
  double leakage(const Masses& masses) const;
  PoolDuals current_duals() const;

  const PoolTask& task_;
  const Support& support_;
  const Eigen::VectorXd informed_shares_, learned_shares_;
  Eigen::ArrayXf inverse_learned_shares_;  // 0 for a value that no model ever expects
  Floats cost_;                            // multiplier (d - nearest)

  Floats x_, w_, next_, gradient_;
  Masses at_x_, at_w_, at_y_, at_next_;
  Floats scores_;                   // w1 s1 of each cell
  RowMatrixXf learned_scores_;      // w2 s2, donors x values
  RowMatrixXf profile_scores_;      // w2 sum_y a_k(y) s2(y), donors x profiles, where there are any
  std::vector<double> row_prices_;  // min_j gradient - nu
  std::vector<double> log_rows_, log_columns_;  // scalings of the step under way
  Floats kernel_by_column_;                     // `next` before it is balanced
  Floats row_factors_, column_factors_;         // which balance it
  std::vector<double> column_sums_;
  Floats column_prices_;  // nu_j
  double theta_ = 1, step_ = 1;
  double balance_tolerance_ = 1e-2;  // of the columns, a person

  PoolDuals best_duals_;
  double bound_ = -std::numeric_limits<double>::infinity();
  double value_ = std::numeric_limits<double>::infinity();
  int iterations_ = 0;
};

}  // namespace hyobscure::solve
