#include "hyobscure/solve/boundary_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/leakage.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRealDrop = 1e-12;  // smaller ones are rounding

struct Cost {
  double leakage = 0;
  double distance = 0;

  Cost operator+(const Cost& other) const { return {leakage + other.leakage, distance + other.distance}; }
  Cost operator-(const Cost& other) const { return {leakage - other.leakage, distance - other.distance}; }
};

struct Move {
  std::size_t boundary;  // index in Partition::starts
  int step;
};

void validate(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
              const Partition& partition, const PartitionChannels& channels,
              const BoundarySearchSettings& settings) {
  validate(values);
  validate(limits);
  if (values.count() != tables.values() || !satisfies(values, limits, partition))
    throw InputError({.source = "partition"}, "the groups to start from do not satisfy the limits",
                     "Start from first groups within the limits.");
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
  if (settings.largest_step < 1)
    throw InputError({.source = "largest_step"}, "expected at least 1", "Use the default, 3.");
}

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

class BoundarySearch {
 public:
  BoundarySearch(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
                 const Partition& partition, const PartitionChannels& channels,
                 const BoundarySearchSettings& settings)
      : tables_(tables),
        values_(values),
        limits_(limits),
        channels_(channels),
        settings_(settings),
        partition_(partition) {
    for (int g = 0; g < partition.groups(); ++g) {
      const auto segment = tables.segment(partition.first(g), partition.end(g));
      before_.push_back(weights_of(segment, channels.clusters[static_cast<std::size_t>(g)]));
      cost_ = cost_ + group_cost(g, partition.first(g), partition.end(g));
    }
  }

  BoundarySearchResult run(RandomStream& random) {
    while (improve_once(shuffled_moves(random))) ++result_.accepted;
    result_.partition = partition_;
    result_.leakage_nats = cost_.leakage;
    result_.distance = cost_.distance;
    return result_;
  }

 private:
  std::vector<Move> shuffled_moves(RandomStream& random) const {
    std::vector<Move> moves;
    for (std::size_t b = 1; b + 1 < partition_.starts.size(); ++b)
      for (int step = 1; step <= settings_.largest_step; ++step) {
        moves.push_back({b, step});
        moves.push_back({b, -step});
      }
    for (std::size_t i = moves.size(); i > 1; --i) std::swap(moves[i - 1], moves[random.below(i)]);
    return moves;
  }

  /// Makes the first acceptable move; false if there is none.
  bool improve_once(const std::vector<Move>& moves) {
    for (const Move& move : moves) {
      const int low = partition_.starts[move.boundary - 1], high = partition_.starts[move.boundary + 1];
      const int from = partition_.starts[move.boundary], to = from + move.step;
      if (to <= low || to >= high) continue;
      if (!allowed(values_, limits_, low, to) || !allowed(values_, limits_, to, high)) continue;
      ++result_.tried;
      const Cost changed = cost_ - pair_cost(move.boundary, from) + pair_cost(move.boundary, to);
      if (!acceptable(changed)) continue;
      partition_.starts[move.boundary] = to;
      cost_ = changed;
      return true;
    }
    return false;
  }

  bool acceptable(const Cost& changed) const {
    if (changed.leakage >= cost_.leakage - kRealDrop) return false;
    return settings_.acceptance == Acceptance::Paper ? changed.distance < cost_.distance - kRealDrop
                                                     : changed.distance <= settings_.budget;
  }

  /// Of the two groups beside a boundary, if it lay at `at`.
  Cost pair_cost(std::size_t boundary, int at) {
    const int g = static_cast<int>(boundary);
    return group_cost(g - 1, partition_.starts[boundary - 1], at) +
           group_cost(g, at, partition_.starts[boundary + 1]);
  }

  /// Remembered: the search comes by the same segments again and again.
  Cost group_cost(int group, int first, int end) {
    const auto [known, is_new] = known_.try_emplace({group, first, end});
    if (is_new) known->second = compute_cost(static_cast<std::size_t>(group), first, end);
    return known->second;
  }

  Cost compute_cost(std::size_t group, int first, int end) const {
    const auto segment = tables_.segment(first, end);
    const MatrixXd channel =
        carried_channel(channels_.channels[group], channels_.clusters[group], before_[group], segment);
    const double of_group =
        settings_.objective == Objective::Total ? -x_log_x(tables_.people(first, end) / tables_.total()) : 0;
    const VectorXd weights = segment.joint.rowwise().sum();
    return {.leakage = of_group + group_leakage(segment.joint, channel),
            .distance = weights.dot(channel.cwiseProduct(segment.distance).rowwise().sum())};
  }

  const SegmentTables& tables_;
  const OrderedValues& values_;
  const GroupLimits& limits_;
  const PartitionChannels& channels_;
  const BoundarySearchSettings& settings_;
  Partition partition_;
  std::vector<VectorXd> before_;
  Cost cost_;
  std::map<std::array<int, 3>, Cost> known_;
  BoundarySearchResult result_;
};

}  // namespace

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

BoundarySearchResult search_boundaries(const SegmentTables& tables, const OrderedValues& values,
                                       const GroupLimits& limits, const Partition& partition,
                                       const PartitionChannels& channels,
                                       const BoundarySearchSettings& settings, RandomStream& random) {
  validate(tables, values, limits, partition, channels, settings);
  return BoundarySearch(tables, values, limits, partition, channels, settings).run(random);
}

}  // namespace hyobscure::solve
