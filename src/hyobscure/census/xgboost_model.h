#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/data/people.h"

namespace hyobscure::census {

using PosteriorMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Some rows of the data as XGBoost wants them. Every row starts from the same log-probabilities, so that a
/// model of no trees predicts the prior.
class BoostData {
 public:
  BoostData(const data::SparseRows& rows, std::span<const std::uint32_t> chosen,
            std::span<const float> prior_logs);
  ~BoostData();
  BoostData(const BoostData&) = delete;
  BoostData& operator=(const BoostData&) = delete;

  void set_labels(std::span<const std::uint32_t> class_of_chosen);
  void* handle() const { return handle_; }
  std::size_t size() const { return size_; }

 private:
  void* handle_ = nullptr;
  std::size_t size_ = 0;
};

/// Boosted trees that give every class a probability. One thread each: sums of several threads would depend
/// on their number.
class BoostModel {
 public:
  struct Settings {
    std::uint32_t classes;
    int depth;
    double rate;
  };
  /// Predictions for `watched`, if any, are kept from round to round; both must outlive the model.
  BoostModel(const Settings& settings, const BoostData& training, const BoostData* watched = nullptr);
  ~BoostModel();
  BoostModel(const BoostModel&) = delete;
  BoostModel& operator=(const BoostModel&) = delete;

  void add_round();
  /// Rows x classes.
  PosteriorMatrix predict(const BoostData& data) const;

 private:
  void* handle_ = nullptr;
  const BoostData& training_;
  std::uint32_t classes_;
  int rounds_ = 0;
};

}  // namespace hyobscure::census
