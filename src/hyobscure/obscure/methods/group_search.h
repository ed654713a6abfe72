#pragma once

#include <memory>
#include <optional>

#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/areas/area_search.h"
#include "hyobscure/solve/groups/exact.h"

namespace hyobscure::obscure {

struct GroupSearchSettings {
  double gap_bits = 1e-9;                ///< of the channels returned
  double closing_tolerance_bits = 1e-8;  ///< groups that could only be better by less are not looked at
};

struct FoundGroups {
  solve::Partition partition;
  solve::ChannelResult solution;
  double objective_nats = kUnset;
  double lower_bound_nats = kUnset;  ///< proven for all groups within the terms
  bool finished = true;              ///< false: stopped early, or the proof is open where there should be one
};

/// Groups and channels together: the joint optimum with its proof where the values lie in a row, the best
/// found where they are areas. What one budget teaches serves the next.
class GroupSearch {
 public:
  /// The input must outlive it; its groups are not fixed.
  GroupSearch(const MethodInput& input, const GroupSearchSettings& settings);

  [[nodiscard]] FoundGroups solve(double drawn_budget, const Progress& progress);
  [[nodiscard]] double smallest_distance() const;

 private:
  [[nodiscard]] FoundGroups solve_areas(double drawn_budget, const Progress& progress);

  const MethodInput& input_;
  std::unique_ptr<solve::ExactSearch> runs_;
  std::unique_ptr<solve::AreaSearch> areas_;
};

}  // namespace hyobscure::obscure
