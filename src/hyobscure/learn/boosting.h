#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/learn/forest.h"

namespace hyobscure::learn {

/// Those of the paper.
struct BoostingSettings {
  int rounds = 160;   ///< at least 1
  int depth = 5;      ///< of the trees, 1 to 16
  double rate = 0.1;  ///< step of boosting, above 0 up to 1
};

/// Gradient-boosted trees (XGBoost, Chen and Guestrin 2016). It starts from the mean of the numbers or the
/// frequencies of the classes, so that the rounds are spent on what the rows add. One thread each.
///
/// Cost: rounds * depth * entries, times the classes.
class Boosting {
 public:
  /// Throws InputError for no rows, settings out of range or entries that are not finite, and Stopped.
  static Boosting of_numbers(const data::SparseRows& rows, std::span<const double> number_of_row,
                             const BoostingSettings& settings, const Progress& progress = {});
  static Boosting of_classes(const data::SparseRows& rows, std::span<const std::uint32_t> class_of_row,
                             std::uint32_t classes, const BoostingSettings& settings,
                             const Progress& progress = {});
  ~Boosting();
  Boosting(Boosting&&) noexcept;

  /// Rows x outputs: the predicted number, or a probability for every class. Rows must have the columns of
  /// the training rows.
  [[nodiscard]] Predictions predict(const data::SparseRows& rows) const;

 private:
  struct Model;
  explicit Boosting(std::unique_ptr<Model> model);

  std::unique_ptr<Model> model_;
};

}  // namespace hyobscure::learn
