#pragma once

#include <Eigen/Core>
#include <vector>

#include "hyobscure/solve/groups/boundary_search.h"

namespace hyobscure::solve {

/// Of one group or of several.
struct Cost {
  double leakage = 0;  ///< nats
  double distance = 0;

  Cost operator+(const Cost& other) const { return {leakage + other.leakage, distance + other.distance}; }
  Cost operator-(const Cost& other) const { return {leakage - other.leakage, distance - other.distance}; }
};

/// By the rule of the settings, and by more than rounding.
[[nodiscard]] bool acceptable(const Cost& now, const Cost& changed, const BoundarySearchSettings& settings);

/// Throws InputError for channels that do not fit the groups, or a rule without its budget.
void validate(const Partition& partition, const PartitionChannels& channels,
              const BoundarySearchSettings& settings);

/// What groups cost when values come and go and their channels stay.
class CarriedChannels {
 public:
  /// Tables and channels must outlive it.
  CarriedChannels(const SegmentTables& tables, const Partition& partition, const PartitionChannels& channels,
                  Objective objective);

  /// The group with the values of the segment in place of its own.
  [[nodiscard]] Cost cost(int group, const SegmentTables::Segment& segment) const;

 private:
  const PartitionChannels& channels_;
  Objective objective_;
  std::vector<Eigen::VectorXd> before_;  ///< P(c) of each group when its channel was made
};

/// The channel of a group after its values have changed to `segment`: clusters that were empty in the group
/// take its output distribution as their row; outputs that have become empty are dropped and rows normalised;
/// a row left with nothing goes to its nearest cluster. before: P(c) of the group for which the channel was
/// made, in the same order as its clusters.
[[nodiscard]] Eigen::MatrixXd carried_channel(const Eigen::MatrixXd& channel,
                                              const std::vector<int>& clusters, const Eigen::VectorXd& before,
                                              const SegmentTables::Segment& segment);

}  // namespace hyobscure::solve
