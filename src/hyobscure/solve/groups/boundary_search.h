#pragma once

#include <Eigen/Core>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"
#include "hyobscure/solve/groups/partition.h"
#include "hyobscure/solve/groups/segments.h"

namespace hyobscure::solve {

/// When a move of a boundary is an improvement.
enum class Acceptance {
  Paper,   ///< leakage and distance both drop
  Budget,  ///< leakage drops, distance stays within the budget
};

enum class Objective {
  Total,        ///< I(Y; C', G): what groups and features tell
  Conditional,  ///< I(Y; C'|G): what the features add
};

struct BoundarySearchSettings {
  Acceptance acceptance = Acceptance::Paper;
  Objective objective = Objective::Total;
  double budget = kUnset;  ///< of the expected distance; required by Acceptance::Budget
  int largest_step = 3;    ///< values by which a boundary moves at once, at most
};

/// The channels of a partition, as a channel problem of problem_of yields them. A channel may also know
/// clusters that are empty in its group: one channel can serve all groups.
struct PartitionChannels {
  std::vector<Eigen::MatrixXd> channels;
  std::vector<std::vector<int>>
      clusters;  ///< one list a group: row and column i of its channel are clusters[i]
};

struct BoundarySearchResult {
  Partition partition;
  double leakage_nats = kUnset;  ///< the objective, of the channels carried over to the partition
  double distance = kUnset;
  int tried = 0;     ///< moves within the limits that were evaluated
  int accepted = 0;  ///< moves that were made
};

/// Searches better groups for given channels: the G-problem (Algorithm 3 of the paper).
///
/// Moves a random boundary by a random step and accepts by the rule chosen. Moves are tried in a shuffled
/// complete order, again after each improvement, so the search ends exactly when no single move is
/// acceptable; it ends because the leakage drops each time. A move costs O(|C|^2 n) for the two groups it
/// changes. The partition must satisfy the limits (InputError otherwise).
[[nodiscard]] BoundarySearchResult search_boundaries(const SegmentTables& tables, const OrderedValues& values,
                                                     const GroupLimits& limits, const Partition& partition,
                                                     const PartitionChannels& channels,
                                                     const BoundarySearchSettings& settings,
                                                     RandomStream& random);

}  // namespace hyobscure::solve
