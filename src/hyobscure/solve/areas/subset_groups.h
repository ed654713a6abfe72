#pragma once

#include <optional>

#include "hyobscure/base/numeric.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// What groups of values can be where any values may be together: names without an order.
class SubsetGroups {
 public:
  /// More values have too many subsets: 3^n steps for each number of groups.
  static constexpr int kMostValues = 13;

  /// Nothing for more than kMostValues values.
  static std::optional<SubsetGroups> of(const OrderedValues& values, int most_groups);

  /// The largest least, and the smallest most, that `groups` groups can have; 0 and infinity where there are
  /// fewer values than groups.
  double largest_least_people(int groups) const { return largest_least_people_.at(index(groups)); }
  double smallest_most_people(int groups) const { return smallest_most_people_.at(index(groups)); }
  double largest_least_values(int groups) const { return largest_least_values_.at(index(groups)); }
  double smallest_most_values(int groups) const { return smallest_most_values_.at(index(groups)); }

  /// How many groupings into `groups` groups are within the limits.
  double count(const GroupLimits& limits, int groups) const;

 private:
  static std::size_t index(int groups) { return static_cast<std::size_t>(groups); }

  int values_ = 0;
  std::vector<double> people_, distinct_;  ///< of each subset
  std::vector<double> largest_least_people_, smallest_most_people_, largest_least_values_,
      smallest_most_values_;  ///< by number of groups, from 0
};

}  // namespace hyobscure::solve
