#include "hyobscure/solve/groups/carried_channels.h"

#include <algorithm>
#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRealDrop = 1e-12;  // smaller ones are rounding

/// Place of each cluster of `wanted` in `clusters`, -1 where absent; both increasing.
std::vector<Index> places(const std::vector<int>& wanted, const std::vector<int>& clusters) {
  std::vector<Index> result;
  for (const int c : wanted) {
    const auto found = std::lower_bound(clusters.begin(), clusters.end(), c);
    const bool present = found != clusters.end() && *found == c;
    result.push_back(present ? static_cast<Index>(found - clusters.begin()) : -1);
  }
  return result;
}

/// P(c) of the group for the clusters that a channel knows: those of the group, perhaps with others.
VectorXd weights_of(const SegmentTables::Segment& segment, const std::vector<int>& known) {
  VectorXd weights = VectorXd::Zero(static_cast<Index>(known.size()));
  const auto place = places(segment.clusters, known);
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] < 0)
      throw InputError({.source = "channels"}, "a channel does not know all clusters of its group",
                       "Take channels and clusters from the problem of the same groups.");
    weights(place[i]) = segment.joint.row(static_cast<Index>(i)).sum();
  }
  return weights;
}

}  // namespace

bool acceptable(const Cost& now, const Cost& changed, const BoundarySearchSettings& settings) {
  if (changed.leakage >= now.leakage - kRealDrop) return false;
  return settings.acceptance == Acceptance::Paper ? changed.distance < now.distance - kRealDrop
                                                  : changed.distance <= settings.budget;
}

void validate(const Partition& partition, const PartitionChannels& channels,
              const BoundarySearchSettings& settings) {
  const auto groups = static_cast<std::size_t>(partition.groups());
  bool fits = channels.channels.size() == groups && channels.clusters.size() == groups;
  for (std::size_t g = 0; fits && g < groups; ++g) {
    const auto size = static_cast<Index>(channels.clusters[g].size());
    fits = channels.channels[g].rows() == size && channels.channels[g].cols() == size;
  }
  if (!fits)
    throw InputError({.source = "channels"}, "the channels do not fit the groups",
                     "Give one square channel a group and the clusters of its rows.");
  if (settings.acceptance == Acceptance::Budget && !std::isfinite(settings.budget))
    throw InputError({.source = "budget"}, "this acceptance rule needs a budget",
                     "Give the largest expected distance.");
}

CarriedChannels::CarriedChannels(const SegmentTables& tables, const Partition& partition,
                                 const PartitionChannels& channels, Objective objective)
    : channels_(channels), objective_(objective) {
  for (int g = 0; g < partition.groups(); ++g)
    before_.push_back(weights_of(tables.group(partition, g), channels.clusters[static_cast<std::size_t>(g)]));
}

Cost CarriedChannels::cost(int group, const SegmentTables::Segment& segment) const {
  const auto g = static_cast<std::size_t>(group);
  const MatrixXd channel = carried_channel(channels_.channels[g], channels_.clusters[g], before_[g], segment);
  const double of_group = objective_ == Objective::Total ? -x_log_x(segment.joint.sum()) : 0;
  const VectorXd weights = segment.joint.rowwise().sum();
  return {.leakage = of_group + group_leakage(segment.joint, channel),
          .distance = weights.dot(channel.cwiseProduct(segment.distance).rowwise().sum())};
}

MatrixXd carried_channel(const MatrixXd& channel, const std::vector<int>& clusters, const VectorXd& before,
                         const SegmentTables::Segment& segment) {
  const Eigen::RowVectorXd outputs = before.transpose() * channel;
  const auto place = places(segment.clusters, clusters);
  const auto size = static_cast<Index>(place.size());
  MatrixXd carried = MatrixXd::Zero(size, size);
  for (Index i = 0; i < size; ++i) {
    const Index row = place[static_cast<std::size_t>(i)];
    for (Index j = 0; j < size; ++j) {
      const Index column = place[static_cast<std::size_t>(j)];
      if (column >= 0) carried(i, j) = row >= 0 ? channel(row, column) : outputs(column);
    }
    const double sum = carried.row(i).sum();
    if (sum > 0) {
      carried.row(i) /= sum;
    } else {
      Index nearest = 0;
      segment.distance.row(i).minCoeff(&nearest);
      carried(i, nearest) = 1;
    }
  }
  return carried;
}

}  // namespace hyobscure::solve
