#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/groups/exact.h"

namespace hyobscure::solve {

struct AreaSearchSettings {
  std::optional<int> groups;  ///< absent: any number
  Objective objective = Objective::Total;
  double gap_tolerance_bits = 1e-9;    ///< of the channels returned
  double price_tolerance_bits = 1e-6;  ///< of channels at a price of distance, while areas are compared
  LiftLimits lifts = {};
  double most_memory_bytes = 1e9;  ///< of the tables along curves: where they need more, fewer curves
};

struct AreaSearchResult {
  Partition partition;
  ChannelResult solution;            ///< the optimal channels for the partition
  double objective_nats = kUnset;    ///< what was minimised
  double lower_bound_nats = kUnset;  ///< proven for any groups within the limits: what their sizes must tell
  bool stopped = false;              ///< by the user: the best so far
  int moves_tried = 0;               ///< of the local search, each with its channels solved again
  int moves_made = 0;
};

/// Areas and channels that tell least together:
///
///   minimise  H(G) + sum_g p_g I(Y; C'|g)   over connected areas within the limits and channels, D <= budget
///
/// (without H(G) for Objective::Conditional). The exact search along curves through the map (exact.h), whose
/// runs are areas, then a local search that moves values between areas and solves the channels of both again,
/// at the price of distance that the budget has. The best found: areas.md says why there is no proof.
///
/// What one budget teaches serves the next. Deterministic for any number of threads. Throws InputError when
/// nothing known meets the budget.
class AreaSearch {
 public:
  /// Tables and areas must outlive the search. `known`: areas within the limits to start from as well; with
  /// them the answer is never worse than the best channels for any of them.
  AreaSearch(const SegmentTables& tables, const AreaValues& areas, const GroupLimits& limits,
             const AreaSearchSettings& settings, std::vector<Partition> known);
  ~AreaSearch();
  AreaSearch(const AreaSearch&) = delete;
  AreaSearch& operator=(const AreaSearch&) = delete;

  /// `also`: further areas to start from, for this budget.
  [[nodiscard]] AreaSearchResult solve(double budget, const Progress& progress = {},
                                       const std::vector<Partition>& also = {});

  /// The smallest expected distance of the areas that the search can start from.
  [[nodiscard]] double smallest_distance() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hyobscure::solve
