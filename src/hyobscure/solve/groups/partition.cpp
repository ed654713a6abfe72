#include "hyobscure/solve/groups/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "hyobscure/base/error.h"

namespace hyobscure::solve {

Partition Partition::of(const std::vector<int>& group_of_value) {
  std::map<int, std::vector<int>> members;
  std::vector<int> by_smallest;
  for (int value = 0; value < static_cast<int>(group_of_value.size()); ++value) {
    const int group = group_of_value[static_cast<std::size_t>(value)];
    if (members[group].empty()) by_smallest.push_back(group);
    members[group].push_back(value);
  }
  Partition partition{.starts = {0}};
  for (const int group : by_smallest) {
    const std::vector<int>& values = members[group];
    partition.order.insert(partition.order.end(), values.begin(), values.end());
    partition.starts.push_back(static_cast<int>(partition.order.size()));
  }
  if (std::ranges::is_sorted(partition.order)) partition.order.clear();
  return partition;
}

std::vector<int> Partition::members(int group) const {
  std::vector<int> values(static_cast<std::size_t>(end(group) - first(group)));
  if (runs())
    std::iota(values.begin(), values.end(), first(group));
  else
    std::copy_n(order.begin() + first(group), values.size(), values.begin());
  return values;
}

int Partition::group_of(int value) const {
  const int place = runs() ? value : static_cast<int>(std::ranges::find(order, value) - order.begin());
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), place) - starts.begin()) - 1;
}

std::vector<int> Partition::group_of_values() const {
  std::vector<int> groups(static_cast<std::size_t>(values()));
  for (int g = 0; g < this->groups(); ++g)
    for (const int value : members(g)) groups[static_cast<std::size_t>(value)] = g;
  return groups;
}

Joinable::Joinable(int values, const std::function<bool(int first, int last_exclusive)>& may_join)
    : values_(values), may_join_(static_cast<std::size_t>(values * (values + 1))) {
  for (int first = 0; first < values; ++first)
    for (int end = first + 1; end <= values; ++end)
      may_join_[static_cast<std::size_t>(first * (values + 1) + end)] = may_join(first, end);
}

std::string OrderedValues::name(int value) const {
  return names.empty() ? fmt::format("{:g}", positions(value)) : names[static_cast<std::size_t>(value)];
}

bool allowed(const OrderedValues& values, const GroupLimits& limits, int first, int last_exclusive) {
  const Eigen::Index length = last_exclusive - first;
  return values.joinable(first, last_exclusive) && limits.allow(values.people.segment(first, length).sum(),
                                                                values.distinct.segment(first, length).sum());
}

bool satisfies(const OrderedValues& values, const GroupLimits& limits, const Partition& partition) {
  const auto& starts = partition.starts;
  if (!partition.runs()) return false;
  if (starts.size() < 2 || starts.front() != 0 || starts.back() != values.count()) return false;
  if (std::adjacent_find(starts.begin(), starts.end(), std::greater_equal<>()) != starts.end()) return false;
  for (int g = 0; g < partition.groups(); ++g)
    if (!allowed(values, limits, partition.first(g), partition.end(g))) return false;
  return true;
}

void validate(const OrderedValues& values) {
  const auto n = values.positions.size();
  if (n == 0 || values.people.size() != n || values.distinct.size() != n)
    throw InputError({.source = "values"}, "expected positions, people and distinct values of equal length",
                     "Give one entry a value, and at least one value.");
  if (!values.positions.allFinite() || !values.people.allFinite() || !values.distinct.allFinite() ||
      values.people.minCoeff() < 0 || values.distinct.minCoeff() < 0)
    throw InputError({.source = "values"}, "expected finite numbers, and counts that are not negative",
                     "Correct the counts.");
  for (Eigen::Index i = 1; i < n; ++i)
    if (values.positions(i) <= values.positions(i - 1))
      throw InputError({.source = "values"}, "expected values in increasing order",
                       "Sort and merge the values.");
}

void validate(const GroupLimits& limits) {
  const auto contradicts = [](double least, double most) { return !(least >= 0) || !(most >= least); };
  if (contradicts(limits.least_people, limits.most_people))
    throw InputError({.source = "people a group"}, "the least is above the most, or negative",
                     "Give a least number of people that is not above the most.");
  if (contradicts(limits.least_values, limits.most_values))
    throw InputError({.source = "values a group"}, "the least is above the most, or negative",
                     "Give a least number of values that is not above the most.");
}

}  // namespace hyobscure::solve
