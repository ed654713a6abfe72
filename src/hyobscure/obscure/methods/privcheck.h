#pragma once

#include <Eigen/Core>
#include <vector>

#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

/// One channel for all people, blind to groups: O(c' | c) over all clusters, minimising I(Y; C') subject to
/// an expected distance, which is taken over donors from all groups.
class PrivCheck {
 public:
  explicit PrivCheck(const MethodInput& input);

  /// The channel for donors from all groups.
  [[nodiscard]] Eigen::MatrixXd channel(double budget) const;

  /// The channel that, restricted to the clusters of each group and with donors from there, spends the
  /// input's budget: within groups the same channel costs another distance. Throws BudgetOutOfReach.
  [[nodiscard]] Eigen::MatrixXd channel_within(const solve::Partition& partition) const;

  /// The channel restricted to each group: what goes to clusters that are empty there is shared out.
  [[nodiscard]] std::vector<Eigen::MatrixXd> restricted(const Eigen::MatrixXd& channel,
                                                        const solve::Partition& partition) const;

  const solve::SegmentTables::Segment& everybody() const { return everybody_; }

 private:
  const MethodInput& input_;
  solve::SegmentTables::Segment everybody_;
  solve::ChannelProblem problem_;
  double smallest_, harmless_;
};

}  // namespace hyobscure::obscure
