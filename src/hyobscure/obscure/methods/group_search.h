#pragma once

#include <memory>

#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/areas/value_layout.h"

namespace hyobscure::obscure {

struct GroupSearchSettings {
  double gap_bits = 1e-9;                ///< of the channels returned
  double closing_tolerance_bits = 1e-8;  ///< groups that could only be better by less are not looked at
};

/// Groups and channels together, under the terms of a method's input. What one budget teaches serves the
/// next.
class GroupSearch {
 public:
  /// The input must outlive it; its groups are not fixed.
  GroupSearch(const MethodInput& input, const GroupSearchSettings& settings);

  [[nodiscard]] solve::FoundGroups solve(double drawn_budget, const Progress& progress);
  [[nodiscard]] double smallest_distance() const { return search_->smallest_distance(); }

 private:
  const MethodInput& input_;
  std::unique_ptr<solve::JointSearch> search_;
};

}  // namespace hyobscure::obscure
