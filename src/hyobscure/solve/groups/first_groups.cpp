#include "hyobscure/solve/groups/first_groups.h"

#include <algorithm>
#include <limits>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/running_totals.h"

namespace hyobscure::solve {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

void validate(const OrderedValues& values, const GroupLimits& limits) {
  validate(values);
  validate(limits);
}

void validate(const OrderedValues& values, const GroupLimits& limits, int groups) {
  validate(values, limits);
  if (groups < 1) throw InputError({.source = "groups"}, "expected at least 1", "Ask for one group or more.");
}

/// Least spread of the first `end` values in exactly g groups, and where the last of them starts.
struct Table {
  std::vector<std::vector<double>> spread;
  std::vector<std::vector<int>> start;
};

Table fill_table(const RunningTotals& totals, const GroupLimits& limits, int groups) {
  const auto n = static_cast<std::size_t>(totals.count());
  const auto k = static_cast<std::size_t>(groups);
  Table table{.spread = {k + 1, std::vector<double>(n + 1, kImpossible)},
              .start = {k + 1, std::vector<int>(n + 1, -1)}};
  table.spread[0][0] = 0;
  for (std::size_t g = 1; g <= k; ++g)
    for (std::size_t end = g; end <= n; ++end)
      for (std::size_t start = end; start-- > g - 1;) {
        const int a = static_cast<int>(start), b = static_cast<int>(end);
        if (totals.above(limits, a, b)) break;  // longer groups hold even more
        if (table.spread[g - 1][start] == kImpossible || !totals.allowed(limits, a, b)) continue;
        const double sum = table.spread[g - 1][start] + totals.spread(a, b);
        if (sum >= table.spread[g][end]) continue;
        table.spread[g][end] = sum;
        table.start[g][end] = a;
      }
  return table;
}

}  // namespace

double spread(const OrderedValues& values, const Partition& partition) {
  validate(values);
  const RunningTotals totals(values);
  double sum = 0;
  for (int g = 0; g < partition.groups(); ++g) sum += totals.spread(partition.first(g), partition.end(g));
  return sum;
}

std::optional<Partition> optimal_groups(const OrderedValues& values, const GroupLimits& limits, int groups) {
  validate(values, limits, groups);
  const int n = values.count();
  if (groups > n) return std::nullopt;
  const Table table = fill_table(RunningTotals(values), limits, groups);
  Partition partition{.starts = std::vector<int>(static_cast<std::size_t>(groups) + 1)};
  int end = n;
  for (auto g = static_cast<std::size_t>(groups); g > 0; --g) {
    partition.starts[g] = end;
    end = table.start[g][static_cast<std::size_t>(end)];
    if (end < 0) return std::nullopt;
  }
  return partition;
}

std::vector<int> feasible_counts(const OrderedValues& values, const GroupLimits& limits) {
  validate(values, limits);
  const RunningTotals totals(values);
  const int n = values.count();
  std::vector<char> reached(static_cast<std::size_t>(n) + 1, 0);
  reached[0] = 1;
  std::vector<int> counts;
  for (int g = 1; g <= n && std::find(reached.begin(), reached.end(), 1) != reached.end(); ++g) {
    reached = one_more_group(totals, limits, reached);
    if (reached.back() != 0) counts.push_back(g);
  }
  return counts;
}

double count_groupings(const OrderedValues& values, const GroupLimits& limits, int groups) {
  validate(values, limits, groups);
  const RunningTotals totals(values);
  const auto n = static_cast<std::size_t>(values.count());
  std::vector<double> ways(n + 1, 0);
  ways[0] = 1;
  for (int g = 0; g < groups; ++g) {
    std::vector<double> next(n + 1, 0);
    for (std::size_t end = 1; end <= n; ++end)
      for (std::size_t start = 0; start < end; ++start)
        if (totals.allowed(limits, static_cast<int>(start), static_cast<int>(end))) next[end] += ways[start];
    ways = std::move(next);
  }
  return ways[n];
}

}  // namespace hyobscure::solve
