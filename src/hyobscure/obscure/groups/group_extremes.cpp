#include "hyobscure/obscure/groups/group_extremes.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "hyobscure/solve/groups/first_groups.h"

namespace hyobscure::obscure {
namespace {

/// The smallest whole number in [low, high] for which `works`, which stays true once it is.
double smallest_that(double low, double high, const std::function<bool(double)>& works) {
  while (low < high) {
    const double middle = std::floor((low + high) / 2);
    if (works(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

GroupExtremes group_extremes(std::span<const solve::OrderedValues> rows, int count) {
  const auto possible = [&](const solve::GroupLimits& limits) {
    return std::ranges::any_of(rows, [&](const solve::OrderedValues& values) {
      return solve::optimal_groups(values, limits, count).has_value();
    });
  };
  const double people = rows[0].people.sum(), distinct = rows[0].distinct.sum();
  GroupExtremes found;
  found.smallest_alpha = smallest_that(std::ceil(people / count), people,
                                       [&](double alpha) { return possible({.most_people = alpha}); });
  found.smallest_beta = smallest_that(std::ceil(distinct / count), distinct,
                                      [&](double beta) { return possible({.most_values = beta}); });
  // The largest lower limit is one less than the smallest that fails.
  found.largest_k =
      smallest_that(1, people + 1, [&](double k) { return !possible({.least_people = k}); }) - 1;
  found.largest_l =
      smallest_that(1, distinct + 1, [&](double l) { return !possible({.least_values = l}); }) - 1;
  return found;
}

GroupExtremes group_extremes(const solve::SubsetGroups& subsets, int count) {
  return {.largest_k = subsets.largest_least_people(count),
          .smallest_alpha = subsets.smallest_most_people(count),
          .largest_l = subsets.largest_least_values(count),
          .smallest_beta = subsets.smallest_most_values(count)};
}

}  // namespace hyobscure::obscure
