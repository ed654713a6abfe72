#include "hyobscure/solve/groups/boundary_search.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/carried_channels.h"

namespace hyobscure::solve {
namespace {

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
  validate(partition, channels, settings);
  if (settings.largest_step < 1)
    throw InputError({.source = "largest_step"}, "expected at least 1", "Use the default, 3.");
}

class BoundarySearch {
 public:
  BoundarySearch(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
                 const Partition& partition, const PartitionChannels& channels,
                 const BoundarySearchSettings& settings)
      : tables_(tables),
        values_(values),
        limits_(limits),
        settings_(settings),
        carried_(tables, partition, channels, settings.objective),
        partition_(partition) {
    for (int g = 0; g < partition.groups(); ++g)
      cost_ = cost_ + group_cost(g, partition.first(g), partition.end(g));
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
      if (!acceptable(cost_, changed, settings_)) continue;
      partition_.starts[move.boundary] = to;
      cost_ = changed;
      return true;
    }
    return false;
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
    if (is_new) known->second = carried_.cost(group, tables_.segment(first, end));
    return known->second;
  }

  const SegmentTables& tables_;
  const OrderedValues& values_;
  const GroupLimits& limits_;
  const BoundarySearchSettings& settings_;
  CarriedChannels carried_;
  Partition partition_;
  Cost cost_;
  std::map<std::array<int, 3>, Cost> known_;
  BoundarySearchResult result_;
};

}  // namespace

BoundarySearchResult search_boundaries(const SegmentTables& tables, const OrderedValues& values,
                                       const GroupLimits& limits, const Partition& partition,
                                       const PartitionChannels& channels,
                                       const BoundarySearchSettings& settings, RandomStream& random) {
  validate(tables, values, limits, partition, channels, settings);
  return BoundarySearch(tables, values, limits, partition, channels, settings).run(random);
}

}  // namespace hyobscure::solve
