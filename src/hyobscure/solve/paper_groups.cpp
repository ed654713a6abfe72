#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/first_groups.h"

namespace hyobscure::solve {
namespace {

constexpr int kMostRounds = 50;
constexpr int kMostStarts = 20;
constexpr int kNoGroup = -1;

/// The group of each value; groups may interleave.
using Assignment = std::vector<int>;

/// One round of the paper's Algorithm 1: each group starts with its centre and takes values one by one.
class Round {
 public:
  Round(const OrderedValues& values, const GroupLimits& limits, const std::vector<int>& centres)
      : values_(values),
        limits_(limits),
        centres_(centres),
        group_(static_cast<std::size_t>(values.count()), kNoGroup),
        people_(centres.size(), 0),
        distinct_(centres.size(), 0) {
    for (std::size_t g = 0; g < centres.size(); ++g) assign(centres[g], static_cast<int>(g));
  }

  /// Nothing if a value fits no group.
  std::optional<Assignment> deal() {
    for (std::size_t left = group_.size() - centres_.size(); left > 0; --left) {
      if (!assign_nearest(true) && !assign_nearest(false)) return std::nullopt;
    }
    return group_;
  }

 private:
  void assign(int value, int group) {
    group_[static_cast<std::size_t>(value)] = group;
    people_[static_cast<std::size_t>(group)] += values_.people(value);
    distinct_[static_cast<std::size_t>(group)] += values_.distinct(value);
  }

  bool lacks(std::size_t g) const {
    return people_[g] < limits_.least_people || distinct_[g] < limits_.least_values;
  }

  bool fits(int value, std::size_t g) const {
    return people_[g] + values_.people(value) <= limits_.most_people &&
           distinct_[g] + values_.distinct(value) <= limits_.most_values;
  }

  /// The nearest pair of an unassigned value and a group, among groups that still lack something or among
  /// all.
  bool assign_nearest(bool only_lacking) {
    double nearest = std::numeric_limits<double>::infinity();
    int value = kNoGroup, group = kNoGroup;
    for (std::size_t g = 0; g < centres_.size(); ++g) {
      if (only_lacking && !lacks(g)) continue;
      for (int y = 0; y < values_.count(); ++y) {
        if (group_[static_cast<std::size_t>(y)] != kNoGroup || !fits(y, g)) continue;
        const double distance = std::abs(values_.positions(y) - values_.positions(centres_[g]));
        if (distance >= nearest) continue;
        nearest = distance;
        value = y;
        group = static_cast<int>(g);
      }
    }
    if (value == kNoGroup) return false;
    assign(value, group);
    return true;
  }

  const OrderedValues& values_;
  const GroupLimits& limits_;
  const std::vector<int>& centres_;
  Assignment group_;
  std::vector<double> people_, distinct_;
};

std::vector<int> random_centres(int count, int groups, RandomStream& random) {
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < groups; ++i) {
    const auto j = static_cast<std::size_t>(i) + random.below(static_cast<std::uint64_t>(count - i));
    std::swap(order[static_cast<std::size_t>(i)], order[j]);
  }
  order.resize(static_cast<std::size_t>(groups));
  std::sort(order.begin(), order.end());
  return order;
}

/// The value nearest to the mean of each group, of its own values.
std::vector<int> centres_of(const OrderedValues& values, const Assignment& group, int groups) {
  std::vector<int> centres;
  for (int g = 0; g < groups; ++g) {
    double people = 0, moment = 0;
    for (int y = 0; y < values.count(); ++y) {
      if (group[static_cast<std::size_t>(y)] != g) continue;
      people += values.people(y);
      moment += values.people(y) * values.positions(y);
    }
    int centre = kNoGroup;
    for (int y = 0; y < values.count(); ++y) {
      if (group[static_cast<std::size_t>(y)] != g) continue;
      const auto off = [&](int value) { return std::abs(values.positions(value) - moment / people); };
      if (centre == kNoGroup || off(y) < off(centre)) centre = y;
    }
    centres.push_back(centre);
  }
  return centres;
}

struct Clustering {
  std::optional<Assignment> group;
  int rounds = 0;
};

Clustering cluster(const OrderedValues& values, const GroupLimits& limits, std::vector<int> centres) {
  Clustering result;
  while (result.rounds < kMostRounds) {
    ++result.rounds;
    result.group = Round(values, limits, centres).deal();
    if (!result.group) return result;
    const auto next = centres_of(values, *result.group, static_cast<int>(centres.size()));
    if (next == centres) break;
    centres = next;
  }
  return result;
}

/// Groups in the order of their means keep their number of values; values are dealt out in order.
Partition in_order(const OrderedValues& values, const Assignment& group, int groups) {
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

bool interleaved(const Assignment& group, const Partition& partition) {
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
    const auto clustering = cluster(values, limits, random_centres(values.count(), feasible, random));
    result.rounds = clustering.rounds;
    if (!clustering.group) {
      ++result.restarts;
      continue;
    }
    result.partition = in_order(values, *clustering.group, feasible);
    result.repaired = interleaved(*clustering.group, result.partition);
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
