#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/learn/forest.h"

namespace hyobscure::learn {

struct StoppedBoostingSettings {
  int most_rounds = 200;  ///< at least 1
  int patience = 15;      ///< rounds without a gain for the rows that are held out, then it stops; at least 1
  int depth = 4;          ///< of the trees, 1 to 16
  double rate = 0.1;      ///< step of boosting, above 0 up to 1
  int parts = 4;          ///< rows are held out a part at a time; at least 2
};

/// Boosted trees (XGBoost) that begin with a guess of the caller's for every row and learn what the row adds
/// to it. The rows are cut at random into parts; a model is grown on all but one part, for each part, all in
/// step, and they stop where the held-out rows gain no more. What predicts is the mean of these models. Where
/// held-out rows never gain, the guess is what is predicted: noise costs nothing.
///
/// Numbers are learned by absolute and by squared error; the one with the smaller held-out absolute error is
/// taken. Classes are learned by their log-probability. One thread.
///
/// Cost: parts * (rounds + patience) * depth * entries, twice for numbers, times the classes for classes.
class StoppedBoosting {
 public:
  /// guess_of_row: rows x 1. Throws InputError for no rows, settings out of range or entries that are not
  /// finite, and Stopped.
  static StoppedBoosting of_numbers(const data::SparseRows& rows, std::span<const double> number_of_row,
                                    const Predictions& guess_of_row, const StoppedBoostingSettings& settings,
                                    const Key& key, const Progress& progress = {});
  /// guess_of_row: rows x classes, probabilities above 0.
  static StoppedBoosting of_classes(const data::SparseRows& rows, std::span<const std::uint32_t> class_of_row,
                                    const Predictions& guess_of_row, const StoppedBoostingSettings& settings,
                                    const Key& key, const Progress& progress = {});
  ~StoppedBoosting();
  StoppedBoosting(StoppedBoosting&&) noexcept;

  /// Rows must have the columns of the training rows, and a guess each.
  [[nodiscard]] Predictions predict(const data::SparseRows& rows, const Predictions& guess_of_row) const;

  int rounds() const;  ///< 0: the guess is the prediction

 private:
  struct Parts;
  explicit StoppedBoosting(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

/// A random part of 0 .. parts-1 for each of the rows, all of about the same size.
[[nodiscard]] std::vector<std::uint32_t> random_parts(std::size_t rows, int parts, const Key& key);

}  // namespace hyobscure::learn
