#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "hyobscure/census/cell_products.h"
#include "hyobscure/census/fixed_point.h"

namespace hyobscure::census {

/// Raw features of an entry, in fixed point.
class FixedFeatures {
 public:
  FixedFeatures(const FeatureMap& map, const FixedPoint& fixed)
      : map_(map), fixed_(fixed), raw_(static_cast<std::size_t>(map.scale.size())) {}

  void write(double x, std::int64_t* features) {
    map_.raw(x, raw_.data());
    for (std::size_t j = 0; j < raw_.size(); ++j) features[j] = fixed_(raw_[j]);
  }

 private:
  const FeatureMap& map_;
  FixedPoint fixed_;
  std::vector<double> raw_;
};

/// The features of the values that a row has: most rows repeat a few values (ratings, counts) many times.
class RowFeatures {
 public:
  RowFeatures(const FeatureMap& map, const FixedPoint& fixed)
      : fixed_(map, fixed),
        width_(static_cast<std::size_t>(map.scale.size())),
        rows_(kSlots, 0),
        values_(kSlots, 0),
        features_(std::make_unique_for_overwrite<std::int64_t[]>(kSlots * width_)) {}

  void start_row(double scale) {
    row_ += 1;
    scale_ = scale;
  }
  const std::int64_t* of(double value) {
    const std::size_t slot = slot_of(value);
    std::int64_t* features = features_.get() + slot * width_;
    if (rows_[slot] != row_ || values_[slot] != value) {
      fixed_.write(value * scale_, features);
      rows_[slot] = row_;
      values_[slot] = value;
    }
    return features;
  }

 private:
  static constexpr int kSlotBits = 8;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  static std::size_t slot_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return ((bits ^ (bits >> 32)) * 0x9E3779B97F4A7C15u) >> (64 - kSlotBits);
  }

  FixedFeatures fixed_;
  std::size_t width_;
  std::size_t row_ = 0;
  double scale_ = 1;
  std::vector<std::size_t> rows_;  // whose features a slot holds
  std::vector<double> values_;
  std::unique_ptr<std::int64_t[]> features_;
};

}  // namespace hyobscure::census
