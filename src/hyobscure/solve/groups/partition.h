#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace hyobscure::solve {

/// Groups of the values 0 .. n-1 of a secret.
struct Partition {
  /// Group g holds the values at the places starts[g] .. starts[g+1]-1 of the order; starts.front() = 0,
  /// starts.back() = n.
  std::vector<int> starts;
  /// The values by group. Empty: as they are, and groups are runs of values.
  std::vector<int> order = {};

  /// From the group of each value; numbers of groups may have gaps. Groups come in the order of their
  /// smallest value, so the same groups are equal whatever their numbers were.
  static Partition of(const std::vector<int>& group_of_value);

  bool runs() const { return order.empty(); }
  int groups() const { return static_cast<int>(starts.size()) - 1; }
  int values() const { return starts.back(); }
  int first(int group) const { return starts[static_cast<std::size_t>(group)]; }
  int end(int group) const { return starts[static_cast<std::size_t>(group) + 1]; }
  /// The values of a group, ascending.
  std::vector<int> members(int group) const;
  /// The group that holds a value.
  int group_of(int value) const;
  /// The same for all values.
  std::vector<int> group_of_values() const;
  bool operator==(const Partition&) const = default;
};

/// Which runs of values may be a group, whatever the limits say.
class Joinable {
 public:
  /// Every run may.
  Joinable() = default;
  /// may_join(first, last_exclusive) for every run of `values` values.
  Joinable(int values, const std::function<bool(int first, int last_exclusive)>& may_join);

  bool operator()(int first, int last_exclusive) const {
    return values_ == 0 || may_join_[static_cast<std::size_t>(first * (values_ + 1) + last_exclusive)];
  }

 private:
  int values_ = 0;
  std::vector<bool> may_join_;
};

/// The values of a secret in a row: in increasing order, or along a hierarchy or a curve.
struct OrderedValues {
  Eigen::VectorXd positions;  ///< the values themselves
  Eigen::VectorXd people;     ///< how many people have each
  Eigen::VectorXd distinct;  ///< how many distinct values each stands for: 1, more for atoms of joined values
  Joinable joinable = {};
  std::vector<std::string> names = {};  ///< for messages; empty: the positions

  int count() const { return static_cast<int>(positions.size()); }
  std::string name(int value) const;
};

/// (k, alpha)-uniqueness and (l, beta)-variety: what every group must satisfy.
struct GroupLimits {
  double least_people = 1;                                       ///< k
  double most_people = std::numeric_limits<double>::infinity();  ///< alpha
  double least_values = 1;                                       ///< l, distinct values
  double most_values = std::numeric_limits<double>::infinity();  ///< beta, distinct values

  bool operator==(const GroupLimits&) const = default;
  /// A group of this many people and distinct values is within the limits.
  bool allow(double people, double values) const {
    return people >= least_people && people <= most_people && values >= least_values && values <= most_values;
  }
};

/// The values first .. last_exclusive-1 may form a group.
[[nodiscard]] bool allowed(const OrderedValues& values, const GroupLimits& limits, int first,
                           int last_exclusive);

/// The groups are runs, cover the values and every group is within the limits.
[[nodiscard]] bool satisfies(const OrderedValues& values, const GroupLimits& limits,
                             const Partition& partition);

/// Throws InputError unless the three vectors are equally long, not empty, finite, the positions increase and
/// nothing is negative.
void validate(const OrderedValues& values);

/// Throws InputError for limits that contradict themselves, such as a least above its most.
void validate(const GroupLimits& limits);

}  // namespace hyobscure::solve
