#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/data/people/people.h"

namespace hyobscure::learn {

using PosteriorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of the data as XGBoost wants them: the chosen ones, or all. Every row starts from the same `prior`
/// (log-probabilities of the classes, or one number), so that a model of no trees predicts the prior.
class BoostData {
 public:
  BoostData(const data::SparseRows& rows, std::span<const std::uint32_t> chosen,
            std::span<const float> prior);
  BoostData(const data::SparseRows& rows, std::span<const float> prior);
  /// The same from a prior of its own for every row of `rows`.
  BoostData(const data::SparseRows& rows, std::span<const std::uint32_t> chosen,
            const PosteriorMatrix& prior_of_row);
  BoostData(const data::SparseRows& rows, const PosteriorMatrix& prior_of_row);
  ~BoostData();
  BoostData(const BoostData&) = delete;
  BoostData& operator=(const BoostData&) = delete;

  void set_labels(std::span<const std::uint32_t> class_of_row);
  void set_labels(std::span<const float> number_of_row);
  void* handle() const { return handle_; }
  std::size_t size() const { return size_; }

 private:
  template <class PriorOf>
  void make(const data::SparseRows& rows, std::span<const std::uint32_t> chosen, const PriorOf& prior_of);

  void* handle_ = nullptr;
  std::size_t size_ = 0;
};

enum class BoostObjective {
  Classes,  ///< a probability for every class
  Number,   ///< the expected number (least squares)
  Median,   ///< a number of least absolute error
};

/// Boosted trees. One thread each: sums of several threads would depend on their number.
class BoostModel {
 public:
  struct Settings {
    BoostObjective objective = BoostObjective::Classes;
    std::uint32_t classes = 1;  ///< 1 for a number
    int depth;
    double rate;
    double columns = 1;               ///< share of the columns that a tree may ask
    double columns_of_split = 1;      ///< share of these that a single split may ask
    double least_weight_of_leaf = 1;  ///< of numbers: rows
  };
  /// Predictions for `watched`, if any, are kept from round to round; both must outlive the model.
  BoostModel(const Settings& settings, const BoostData& training, const BoostData* watched = nullptr);
  ~BoostModel();
  BoostModel(const BoostModel&) = delete;
  BoostModel& operator=(const BoostModel&) = delete;

  void add_round();
  /// Rows x classes, or rows x 1; by the first `rounds` rounds, at least 1, or by all.
  PosteriorMatrix predict(const BoostData& data, std::optional<int> rounds = {}) const;
  /// The same before probabilities are made of it: the prior and what the trees add.
  PosteriorMatrix predict_margins(const BoostData& data, std::optional<int> rounds = {}) const;

 private:
  PosteriorMatrix predict(const BoostData& data, std::optional<int> rounds, bool margins) const;

  void* handle_ = nullptr;
  const BoostData& training_;
  std::uint32_t classes_;
  int rounds_ = 0;
};

}  // namespace hyobscure::learn
