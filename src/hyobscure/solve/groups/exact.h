#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/partition.h"
#include "hyobscure/solve/groups/segments.h"

namespace hyobscure::solve {

struct ExactSettings {
  std::optional<int> groups;  ///< absent: any number
  Objective objective = Objective::Total;
  double gap_tolerance_bits = 1e-9;      ///< of the channels returned
  double closing_tolerance_bits = 1e-8;  ///< a partition that could only be better by less is not looked at
  int most_partitions = 20'000;          ///< solved with a budget; beyond it the gap stays open
  double segment_gap_bits = 1e-9;        ///< of single segments; bounds hold whatever it is, and are looser
  LiftLimits lifts = {};
  bool close = true;  ///< false: what the prices of distance leave open stays open, which is quick
};

struct ExactResult {
  Partition partition;
  ChannelResult solution;          ///< the optimal channels for the partition
  double objective_nats = kUnset;  ///< what was minimised: an upper bound of the joint optimum
  double lower_bound_nats =
      kUnset;                 ///< proven: no groups and channels within the limits and budget do better
  bool closed = false;        ///< the bounds meet within the tolerances: this is the joint optimum
  int multipliers = 0;        ///< prices of distance tried
  int segments_solved = 0;    ///< channel problems of single groups
  int partitions_solved = 0;  ///< channel problems of whole partitions

  double gap_nats() const { return objective_nats - lower_bound_nats; }
};

/// The joint optimum over contiguous groups and channels of an ordered secret:
///
///   minimise  H(G) + sum_g p_g I(Y; C'|g)   over partitions within the limits and channels, subject to D <=
///   budget
///
/// (without H(G) for Objective::Conditional). For a price of distance the best partition is a shortest path
/// over segments of values, which bounds the optimum from below; a partition with its budget-tight channels
/// bounds it from above. The search raises the one, lowers the other and closes what is left by enumerating
/// the partitions whose bound lies below the best value found. exact.md has the argument.
///
/// What one budget teaches about segments serves the next: solve a frontier with one object. Deterministic
/// for any number of threads. Throws InputError when no partition meets the limits, or none the budget.
class ExactSearch {
 public:
  /// The tables must outlive the search.
  ExactSearch(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
              const ExactSettings& settings);
  ~ExactSearch();
  ExactSearch(const ExactSearch&) = delete;
  ExactSearch& operator=(const ExactSearch&) = delete;

  /// Stopped early it returns the best so far with its honest bounds, or throws Stopped when there is nothing
  /// yet.
  [[nodiscard]] ExactResult solve(double budget, const Progress& progress = {});

  /// The smallest expected distance that some partition within the limits can reach.
  [[nodiscard]] double smallest_distance() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hyobscure::solve
