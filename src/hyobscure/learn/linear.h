#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/learn/forest.h"

namespace hyobscure::learn {

struct LinearSettings {
  std::size_t components = 40;  ///< at least 1
  int parts = 5;                ///< strengths of the penalty are judged on held-out parts; at least 2
};

/// Rows in few columns: the directions in which they differ most (the first right singular vectors, by
/// randomised subspace iteration, Halko, Martinsson and Tropp 2011), columns first scaled to the same mean
/// square. All columns where there are no more of them than components.
class Reduction {
 public:
  static Reduction of(const data::SparseRows& rows, std::size_t components, const Key& key);
  /// Rows x components. Rows must have the columns of the training rows.
  [[nodiscard]] Eigen::MatrixXd operator()(const data::SparseRows& rows) const;

 private:
  Eigen::MatrixXd loadings_;  ///< columns x components
};

/// A linear model of what a row adds to a guess that the caller has for it. Rows belong to cells (groups of
/// people who share a guess) and enter as deviations z from the mean of their cell, in the space of
/// Reduction: what tells cells apart is known already.
///
///   numbers   guess + b z            b by ridge regression of number - guess
///   classes   guess_c exp(m_c' S^-1 z - m_c' S^-1 m_c / 2), scaled to sum 1: linear discriminants, with m_c
///             the mean of z over the class, drawn towards 0 as if n_0 more rows lay there, and S the
///             covariance within classes
///
/// The penalty (n_0) is the one with the smallest absolute error (log loss) of held-out rows; an infinite
/// one, which leaves the guess, takes part.
class Linear {
 public:
  /// guess_of_row as in StoppedBoosting; every cell is below `cells`. Throws InputError for no rows, settings
  /// out of range or entries that are not finite, and Stopped.
  static Linear of_numbers(const data::SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                           std::uint32_t cells, std::span<const double> number_of_row,
                           const Predictions& guess_of_row, const LinearSettings& settings, const Key& key,
                           const Progress& progress = {});
  static Linear of_classes(const data::SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                           std::uint32_t cells, std::span<const std::uint32_t> class_of_row,
                           const Predictions& guess_of_row, const LinearSettings& settings, const Key& key,
                           const Progress& progress = {});

  [[nodiscard]] Predictions predict(const data::SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                                    const Predictions& guess_of_row) const;

  bool is_guess() const { return weights_.size() == 0; }  ///< held-out rows gained nothing

 private:
  Reduction reduction_;
  Eigen::MatrixXd cell_means_;  ///< cells x components
  Eigen::MatrixXd weights_;     ///< components x outputs; empty: the guess is the prediction
  Eigen::RowVectorXd offsets_;  ///< of the classes; empty for numbers
};

}  // namespace hyobscure::learn
