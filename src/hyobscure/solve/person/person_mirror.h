#pragma once

#include <limits>

#include "hyobscure/solve/person/person_lifts.h"
#include "hyobscure/solve/person/person_support.h"
#include "hyobscure/solve/person/person_terms.h"

namespace hyobscure::solve {

/// Where the accelerated scheme stands: x is the answer so far, w what steps are taken from.
struct MirrorState {
  Floats x;              ///< a probability for each pair, all positive, rows sum to 1
  Floats w = {};         ///< the same; empty: x
  Floats column_prices;  ///< a guess, or zeros
  /// Multipliers of limits on lifts, donors x values: positive at the largest share, negative at the least.
  Floats lift_prices = {};  ///< empty: zeros
  double theta = 1;         ///< share of w in the point where gradients are taken
  double step = 0;          ///< 0: the one that is always allowed
  double growth = 0;        ///< most that a step may grow; 0: that of a beginning
};

/// The problem on a fixed support, by accelerated mirror descent with entropies. Rows of the channel sum to 1
/// within rounding of floats; columns too where balanced, as well as the gap asks for.
class MirrorSolver {
 public:
  MirrorSolver(const PoolTask& task, const Support& support, MirrorState start);

  /// Until the gap on this support is within the tolerance, for at most so many iterations.
  void run(double tolerance, int max_iterations, const Progress& progress);

  const Floats& channel() const { return x_; }
  const Floats& column_prices() const { return scores_.columns; }
  MirrorState state() const {
    return {.x = x_,
            .w = w_,
            .column_prices = scores_.columns,
            .lift_prices = lift_prices_by_value(),
            .theta = theta_,
            .step = step_,
            .growth = growth_};
  }
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

  /// What the gradient is made of: w1 s1 of the cells, w2 s2 of donors and values, nu of the columns.
  struct Scores {
    Floats cells;
    RowMatrixXf learned;
    Floats columns;
  };

  bool learned() const { return counts_learned(task_); }
  bool has_profiles() const { return task_.pool.profiles.size() > 0; }
  bool limited() const { return limits_.any(); }
  /// Whether a step is scaled by more than its rows.
  bool scaled() const { return task_.terms.balanced || limited(); }
  void start_limits(const Floats& lift_prices);
  Floats lift_prices_by_value() const;
  std::size_t lift_place(std::size_t j, std::size_t cell) const {
    return j * task_.pool.values + support_.cell_values[cell];
  }
  Masses empty_masses() const;
  Scores empty_scores(Floats columns) const;
  template <class Value>
  void measure(const Value& value, Masses& masses) const;
  void measure_next();
  void mix(const Masses& x, const Masses& w, double theta, Masses& result) const;
  double linear_cost(const Floats& channel) const;

  void take_step();
  void compute_scores();
  void expand_scores(const Scores& scores, std::size_t begin, std::size_t end);
  template <class Visit>
  void price_pairs(std::size_t u, const Scores& scores, const RowMatrixXf& of_weights,
                   const Visit& visit) const;
  void compute_gradient();
  void move_rows(double scale);
  void scale_step(double scale);
  void copy_by_column();
  void balance_columns();
  double sum_columns();
  void limit_cells(double scale);
  double project_cells(std::size_t j, double scale);
  void scale_rows();
  void carry_prices(double scale);
  double charge_of_limits() const;
  double finish_move(double scale);
  double divergence() const;
  bool move_to_next();
  void restart();

  void check();
  double leakage(const Masses& masses) const;
  PoolDuals duals_of(const Scores& scores, std::vector<double> rows) const;
  void raise_bound(PoolDuals duals);

  const PoolTask& task_;
  const Support& support_;
  const Eigen::VectorXd informed_shares_, learned_shares_;
  Eigen::ArrayXf inverse_learned_shares_;      // 0 for a value that no model ever expects
  std::vector<std::uint32_t> first_profiles_;  // of each person, where there is a learned attacker
  Floats cost_;                                // multiplier (d - nearest)

  Floats x_, w_, next_;
  Floats gradient_;  // less the column prices
  Masses at_x_, at_w_, at_y_, at_next_;
  Scores scores_;
  RowMatrixXf profile_scores_;      // w2 sum_y a_k(y) s2(y), donors x profiles, where there are any
  std::vector<double> row_prices_;  // min_j gradient - nu
  std::vector<double> log_rows_;    // scalings of the step under way
  Floats kernel_by_column_;         // `next` before it is scaled
  // Which scale it: of a row; of a column or, where lifts are limited, of a cell.
  Floats row_factors_, factors_, log_factors_;
  const std::vector<std::uint32_t>& factor_of_pair_;
  std::vector<double> column_sums_;
  const ShareLimits limits_;
  std::vector<double> least_, most_;          // of the cells
  Floats lift_prices_;                        // of the cells
  std::vector<double> weights_, log_scales_;  // of the cells without limits, of the columns
  std::vector<double> allowed_;               // what the cells are brought to
  double theta_ = 1, step_ = 1;
  double growth_ = 1;                // most that a step may grow
  double balance_tolerance_ = 1e-2;  // of the columns, a person

  PoolDuals best_duals_;
  double bound_ = -std::numeric_limits<double>::infinity();
  double value_ = std::numeric_limits<double>::infinity();
  int iterations_ = 0;
};

}  // namespace hyobscure::solve
