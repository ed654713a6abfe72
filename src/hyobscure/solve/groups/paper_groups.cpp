#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/first_groups.h"
#include "hyobscure/solve/groups/paper_rounds.h"

namespace hyobscure::solve {
namespace {

constexpr int kMostStarts = 20;

/// Groups in the order of their means keep their number of values; values are dealt out in order.
Partition in_order(const OrderedValues& values, const std::vector<int>& group, int groups) {
  std::vector<double> sum(static_cast<std::size_t>(groups), 0);
  std::vector<int> size(static_cast<std::size_t>(groups), 0);
  for (int y = 0; y < values.count(); ++y) {
    const auto g = static_cast<std::size_t>(group[static_cast<std::size_t>(y)]);
    sum[g] += values.positions(y);
    size[g] += 1;
  }
  std::vector<std::size_t> order(sum.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sum[a] / size[a] < sum[b] / size[b]; });
  Partition partition{.starts = {0}};
  for (const std::size_t g : order) partition.starts.push_back(partition.starts.back() + size[g]);
  return partition;
}

bool interleaved(const std::vector<int>& group, const Partition& partition) {
  for (int g = 0; g < partition.groups(); ++g)
    for (int y = partition.first(g) + 1; y < partition.end(g); ++y)
      if (group[static_cast<std::size_t>(y)] != group[static_cast<std::size_t>(y) - 1]) return true;
  return false;
}

double violation(const OrderedValues& values, const GroupLimits& limits, int first, int end) {
  const auto outside = [](double x, double least, double most) {
    return x < least ? (least - x) / least : x > most ? (x - most) / most : 0.0;
  };
  return outside(values.people.segment(first, end - first).sum(), limits.least_people, limits.most_people) +
         outside(values.distinct.segment(first, end - first).sum(), limits.least_values, limits.most_values);
}

/// Moves one boundary at a time to where it lowers the violation of its two groups most.
void move_boundaries(const OrderedValues& values, const GroupLimits& limits, Partition& partition) {
  const int most_sweeps = 4 * values.count();
  bool moved = true;
  for (int sweep = 0; moved && sweep < most_sweeps; ++sweep) {
    moved = false;
    for (std::size_t b = 1; b + 1 < partition.starts.size(); ++b) {
      const int low = partition.starts[b - 1], high = partition.starts[b + 1];
      const auto of = [&](int at) {
        return violation(values, limits, low, at) + violation(values, limits, at, high);
      };
      for (int at = low + 1; at < high; ++at) {
        if (of(at) >= of(partition.starts[b]) - 1e-12) continue;
        partition.starts[b] = at;
        moved = true;
      }
    }
  }
}

int first_feasible(const OrderedValues& values, const GroupLimits& limits, int groups) {
  for (const int count : feasible_counts(values, limits))
    if (count >= groups) return count;
  throw InputError({.source = "groups"}, explain_infeasible(values, limits, groups).reason,
                   "Change the number of groups or widen their limits.");
}

}  // namespace

PaperGroups paper_groups(const OrderedValues& values, const GroupLimits& limits, int groups,
                         RandomStream& random) {
  if (groups < 1) throw InputError({.source = "groups"}, "expected at least 1", "Ask for one group or more.");
  const int feasible = first_feasible(values, limits, groups);
  PaperGroups result;
  result.restarts = feasible - groups;
  for (int start = 0; start < kMostStarts; ++start) {
    const PaperRounds clustering(values.positions, values.people, values.distinct, limits,
                                 random_centres(values.count(), feasible, random));
    result.rounds = clustering.rounds();
    if (!clustering.group_of_value()) {
      ++result.restarts;
      continue;
    }
    result.partition = in_order(values, *clustering.group_of_value(), feasible);
    result.repaired = interleaved(*clustering.group_of_value(), result.partition);
    if (satisfies(values, limits, result.partition)) return result;
    result.repaired = true;
    move_boundaries(values, limits, result.partition);
    if (satisfies(values, limits, result.partition)) return result;
    break;
  }
  result.partition = optimal_groups(values, limits, feasible).value();
  result.replaced = true;
  return result;
}

}  // namespace hyobscure::solve
