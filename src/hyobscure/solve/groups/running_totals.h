#pragma once

#include <algorithm>
#include <vector>

#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// People, distinct values and spread of any run of values in constant time.
class RunningTotals {
 public:
  explicit RunningTotals(const OrderedValues& values)
      : people_(zeros(values)),
        distinct_(zeros(values)),
        first_(zeros(values)),
        second_(zeros(values)),
        joinable_(values.joinable) {
    const double centre = values.positions.mean();  // keeps the squares small
    for (int i = 0; i < values.count(); ++i) {
      const double y = values.positions(i) - centre;
      people_(i + 1) = people_(i) + values.people(i);
      distinct_(i + 1) = distinct_(i) + values.distinct(i);
      first_(i + 1) = first_(i) + values.people(i) * y;
      second_(i + 1) = second_(i) + values.people(i) * y * y;
    }
  }

  int count() const { return static_cast<int>(people_.size()) - 1; }
  double people(int first, int end) const { return people_(end) - people_(first); }
  double distinct(int first, int end) const { return distinct_(end) - distinct_(first); }
  bool allowed(const GroupLimits& limits, int first, int end) const {
    return joinable_(first, end) && limits.allow(people(first, end), distinct(first, end));
  }
  /// Too many people or values for a group.
  bool above(const GroupLimits& limits, int first, int end) const {
    return people(first, end) > limits.most_people || distinct(first, end) > limits.most_values;
  }
  /// Sum over people of (value - mean)^2.
  double spread(int first, int end) const {
    const double weight = people(first, end);
    const double moment = first_(end) - first_(first);
    return weight > 0 ? std::max(second_(end) - second_(first) - moment * moment / weight, 0.0) : 0.0;
  }

 private:
  static Eigen::VectorXd zeros(const OrderedValues& values) {
    return Eigen::VectorXd::Zero(values.count() + 1);
  }

  Eigen::VectorXd people_, distinct_, first_, second_;
  Joinable joinable_;
};

/// Which ends can be reached with one more group, from those reached so far.
inline std::vector<char> one_more_group(const RunningTotals& totals, const GroupLimits& limits,
                                        const std::vector<char>& reached) {
  std::vector<char> next(reached.size(), 0);
  for (int end = 1; end <= totals.count(); ++end)
    for (int start = end - 1; start >= 0 && !totals.above(limits, start, end); --start)
      if (reached[static_cast<std::size_t>(start)] != 0 && totals.allowed(limits, start, end)) {
        next[static_cast<std::size_t>(end)] = 1;
        break;
      }
  return next;
}

}  // namespace hyobscure::solve
