#include <algorithm>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/groups/carried_channels.h"

namespace hyobscure::solve {
namespace {

class AreaBoundarySearch {
 public:
  AreaBoundarySearch(const SegmentTables& tables, const AreaValues& areas, const GroupLimits& limits,
                     const Partition& partition, const PartitionChannels& channels,
                     const BoundarySearchSettings& settings)
      : tables_(tables),
        areas_(areas),
        limits_(limits),
        settings_(settings),
        carried_(tables, partition, channels, settings.objective),
        group_(partition.group_of_values()) {
    for (int g = 0; g < partition.groups(); ++g) cost_ = cost_ + cost_of(g, partition.members(g));
  }

  BoundarySearchResult run(RandomStream& random) {
    while (improve_once(random)) ++result_.accepted;
    result_.partition = Partition::of(group_);
    result_.leakage_nats = cost_.leakage;
    result_.distance = cost_.distance;
    return result_;
  }

 private:
  /// Makes the first acceptable move of a shuffled list; false if there is none.
  bool improve_once(RandomStream& random) {
    std::vector<AreaMove> moves = allowed_moves(areas_, limits_, group_);
    for (std::size_t i = moves.size(); i > 1; --i) std::swap(moves[i - 1], moves[random.below(i)]);
    for (const AreaMove& move : moves) {
      ++result_.tried;
      const int from = group_[static_cast<std::size_t>(move.value)];
      std::vector<int> left = members(from), joined = members(move.to);
      const Cost before = cost_of(from, left) + cost_of(move.to, joined);
      std::erase(left, move.value);
      joined.insert(std::ranges::upper_bound(joined, move.value), move.value);
      const Cost changed = cost_ - before + cost_of(from, left) + cost_of(move.to, joined);
      if (!acceptable(cost_, changed, settings_)) continue;
      group_[static_cast<std::size_t>(move.value)] = move.to;
      cost_ = changed;
      return true;
    }
    return false;
  }

  std::vector<int> members(int group) const {
    std::vector<int> values;
    for (int value = 0; value < areas_.count(); ++value)
      if (group_[static_cast<std::size_t>(value)] == group) values.push_back(value);
    return values;
  }

  /// Remembered: the search comes by the same areas again and again.
  Cost cost_of(int group, const std::vector<int>& values) {
    const auto [known, is_new] = known_.try_emplace({group, values});
    if (is_new) known->second = carried_.cost(group, tables_.group(values));
    return known->second;
  }

  const SegmentTables& tables_;
  const AreaValues& areas_;
  const GroupLimits& limits_;
  const BoundarySearchSettings& settings_;
  CarriedChannels carried_;
  std::vector<int> group_;
  Cost cost_;
  std::map<std::pair<int, std::vector<int>>, Cost> known_;
  BoundarySearchResult result_;
};

}  // namespace

BoundarySearchResult search_area_boundaries(const SegmentTables& tables, const AreaValues& areas,
                                            const GroupLimits& limits, const Partition& partition,
                                            const PartitionChannels& channels,
                                            const BoundarySearchSettings& settings, RandomStream& random) {
  validate(areas);
  validate(limits);
  if (areas.count() != tables.values() || !satisfies(areas, limits, partition))
    throw InputError({.source = "partition"}, "the areas to start from do not satisfy the limits",
                     "Start from first groups within the limits.");
  validate(partition, channels, settings);
  return AreaBoundarySearch(tables, areas, limits, partition, channels, settings).run(random);
}

}  // namespace hyobscure::solve
