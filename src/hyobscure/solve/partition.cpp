#include "hyobscure/solve/partition.h"

#include <algorithm>
#include <functional>

#include "hyobscure/base/error.h"

namespace hyobscure::solve {

int Partition::group_of(int value) const {
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), value) - starts.begin()) - 1;
}

bool allowed(const OrderedValues& values, const GroupLimits& limits, int first, int last_exclusive) {
  const Eigen::Index length = last_exclusive - first;
  return limits.allow(values.people.segment(first, length).sum(),
                      values.distinct.segment(first, length).sum());
}

bool satisfies(const OrderedValues& values, const GroupLimits& limits, const Partition& partition) {
  const auto& starts = partition.starts;
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
