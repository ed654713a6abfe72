#include "hyobscure/solve/areas/subset_groups.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace hyobscure::solve {
namespace {

using Subset = std::uint32_t;

/// The sum of a quantity over each subset of the values.
std::vector<double> sums_over_subsets(const Eigen::VectorXd& of_value) {
  std::vector<double> sums(std::size_t{1} << of_value.size(), 0);
  for (Subset subset = 1; subset < sums.size(); ++subset)
    sums[subset] = sums[subset & (subset - 1)] + of_value[std::countr_zero(subset)];
  return sums;
}

/// What each subset can be divided into one group more, from what it can be divided into so far:
///
///   next(S) = join over parts P of S that hold the lowest value of S, of  both(P, before(S \ P))
///
/// The lowest value of S is in exactly one group, so every division is met once.
template <class Number, class Both, class Join>
std::vector<Number> one_more(const std::vector<Number>& before, Number none, const Both& both,
                             const Join& join) {
  std::vector<Number> next(before.size(), none);
  for (Subset all = 1; all < before.size(); ++all) {
    const Subset lowest = all & (~all + 1), others = all ^ lowest;
    Number& found = next[all];
    for (Subset part = others;; part = (part - 1) & others) {
      found = join(found, both(part | lowest, before[others ^ part]));
      if (part == 0) break;
    }
  }
  return next;
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// For 0, 1, ... groups of all values, the largest least sum.
std::vector<double> largest_least(const std::vector<double>& sums, int most_groups) {
  std::vector<double> best(sums.size(), 0), of_all = {0};
  best[0] = kNoLimit;  // no group: nothing is small
  for (int groups = 1; groups <= most_groups; ++groups) {
    best = one_more(
        best, 0.0, [&](Subset part, double rest) { return std::min(sums[part], rest); },
        [](double a, double b) { return std::max(a, b); });
    of_all.push_back(best.back());
  }
  return of_all;
}

std::vector<double> smallest_most(const std::vector<double>& sums, int most_groups) {
  std::vector<double> best(sums.size(), kNoLimit), of_all = {kNoLimit};
  best[0] = 0;
  for (int groups = 1; groups <= most_groups; ++groups) {
    best = one_more(
        best, kNoLimit, [&](Subset part, double rest) { return std::max(sums[part], rest); },
        [](double a, double b) { return std::min(a, b); });
    of_all.push_back(best.back());
  }
  return of_all;
}

}  // namespace

std::optional<SubsetGroups> SubsetGroups::of(const OrderedValues& values, int most_groups) {
  if (values.count() > kMostValues) return std::nullopt;
  SubsetGroups found;
  found.values_ = values.count();
  found.people_ = sums_over_subsets(values.people);
  found.distinct_ = sums_over_subsets(values.distinct);
  found.largest_least_people_ = largest_least(found.people_, most_groups);
  found.smallest_most_people_ = smallest_most(found.people_, most_groups);
  found.largest_least_values_ = largest_least(found.distinct_, most_groups);
  found.smallest_most_values_ = smallest_most(found.distinct_, most_groups);
  return found;
}

double SubsetGroups::count(const GroupLimits& limits, int groups) const {
  std::vector<double> ways(people_.size(), 0);
  ways[0] = 1;
  for (int g = 0; g < groups; ++g)
    ways = one_more(
        ways, 0.0,
        [&](Subset part, double rest) { return limits.allow(people_[part], distinct_[part]) ? rest : 0.0; },
        [](double a, double b) { return a + b; });
  return ways.back();
}

}  // namespace hyobscure::solve
