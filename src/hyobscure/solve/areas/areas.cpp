#include "hyobscure/solve/areas/areas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/solve/groups/first_groups.h"

namespace hyobscure::solve {
namespace {

/// Components of a growing set of values.
class Pieces {
 public:
  explicit Pieces(int values) : parent_(static_cast<std::size_t>(values), kAbsent) {}

  void add(int value, const std::vector<int>& neighbours) {
    at(value) = value;
    ++count_;
    for (const int other : neighbours) {
      if (at(other) == kAbsent) continue;
      const int a = root(value), b = root(other);
      if (a == b) continue;
      at(a) = b;
      --count_;
    }
  }
  int count() const { return count_; }

 private:
  static constexpr int kAbsent = -1;

  int& at(int value) { return parent_[static_cast<std::size_t>(value)]; }
  int root(int value) {
    while (at(value) != value) value = at(value) = at(at(value));
    return value;
  }

  std::vector<int> parent_;
  int count_ = 0;
};

double total(const Eigen::VectorXd& of_value, std::span<const int> values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [&](double sum, int value) { return sum + of_value(value); });
}

bool allowed_group(const AreaValues& areas, const GroupLimits& limits, std::span<const int> values) {
  return limits.allow(total(areas.people, values), total(areas.distinct, values)) &&
         connected(areas, values) && (!areas.may_be_group || areas.may_be_group(values));
}

/// The groups that values move between.
class Groups {
 public:
  Groups(const AreaValues& areas, const GroupLimits& limits, const std::vector<int>& group_of_value)
      : areas_(areas),
        limits_(limits),
        group_(group_of_value),
        members_(static_cast<std::size_t>(std::ranges::max(group_of_value)) + 1) {
    for (int value = 0; value < areas.count(); ++value) members_[group(value)].push_back(value);
  }

  const std::vector<int>& members(int group) const { return members_[static_cast<std::size_t>(group)]; }

  /// Other groups of neighbours, ascending.
  std::vector<int> beside(int value) const {
    std::set<int> others;
    for (const int other : areas_.neighbours[static_cast<std::size_t>(value)])
      if (group(other) != group(value)) others.insert(static_cast<int>(group(other)));
    return {others.begin(), others.end()};
  }

  bool allowed_without(int value) const {
    std::vector<int> rest = members_[group(value)];
    std::erase(rest, value);
    return allowed_group(areas_, limits_, rest);
  }

  bool allowed_with(int value, int to) const {
    std::vector<int> joined = members(to);
    joined.push_back(value);
    return allowed_group(areas_, limits_, joined);
  }

  bool allowed_exchange(int value, int other) const {
    std::vector<int> one = members_[group(value)], two = members_[group(other)];
    std::ranges::replace(one, value, other);
    std::ranges::replace(two, other, value);
    return allowed_group(areas_, limits_, one) && allowed_group(areas_, limits_, two);
  }

 private:
  std::size_t group(int value) const {
    return static_cast<std::size_t>(group_[static_cast<std::size_t>(value)]);
  }

  const AreaValues& areas_;
  const GroupLimits& limits_;
  const std::vector<int>& group_;
  std::vector<std::vector<int>> members_;
};

}  // namespace

void validate(const AreaValues& areas) {
  const auto size = static_cast<std::size_t>(areas.count());
  bool fits = size > 0 && areas.neighbours.size() == size && areas.distinct.size() == areas.people.size() &&
              areas.positions.rows() == areas.people.size() && areas.positions.cols() > 0;
  for (int value = 0; fits && value < areas.count(); ++value)
    for (const int other : areas.neighbours[static_cast<std::size_t>(value)])
      fits = fits && other >= 0 && other < areas.count() && other != value &&
             std::ranges::binary_search(areas.neighbours[static_cast<std::size_t>(other)], value);
  if (!fits)
    throw InputError({.source = "areas"}, "positions, people and neighbours do not fit each other",
                     "Give one entry a value, and neighbours both ways.");
}

bool connected(const AreaValues& areas, std::span<const int> values) {
  Pieces pieces(areas.count());
  for (const int value : values) pieces.add(value, areas.neighbours[static_cast<std::size_t>(value)]);
  return pieces.count() == 1;
}

bool satisfies(const AreaValues& areas, const GroupLimits& limits, const Partition& partition) {
  if (partition.groups() < 1 || partition.values() != areas.count()) return false;
  for (int g = 0; g < partition.groups(); ++g)
    if (!allowed_group(areas, limits, partition.members(g))) return false;
  return true;
}

OrderedValues along(const AreaValues& areas, std::span<const int> curve) {
  const std::vector<int> order(curve.begin(), curve.end());
  const int n = areas.count();
  // Of each start, how many pieces a run has as it grows.
  std::vector<std::vector<int>> pieces(static_cast<std::size_t>(n));
  for (int first = 0; first < n; ++first) {
    Pieces growing(n);
    for (int place = first; place < n; ++place) {
      const int value = order[static_cast<std::size_t>(place)];
      growing.add(value, areas.neighbours[static_cast<std::size_t>(value)]);
      pieces[static_cast<std::size_t>(first)].push_back(growing.count());
    }
  }
  const auto may_join = [&](int first, int end) {
    const auto begin = static_cast<std::size_t>(first), length = static_cast<std::size_t>(end - first);
    return pieces[begin][length - 1] == 1 &&
           (!areas.may_be_group || areas.may_be_group(curve.subspan(begin, length)));
  };
  OrderedValues values{.positions = Eigen::VectorXd::LinSpaced(n, 0, n - 1),
                       .people = areas.people(order),
                       .distinct = areas.distinct(order),
                       .joinable = {n, may_join}};
  if (!areas.names.empty())
    for (const int value : order) values.names.push_back(areas.names[static_cast<std::size_t>(value)]);
  return values;
}

Partition from_curve_order(const Partition& runs, std::span<const int> curve) {
  std::vector<int> group_of_value(curve.size());
  for (int g = 0; g < runs.groups(); ++g)
    for (int place = runs.first(g); place < runs.end(g); ++place)
      group_of_value[static_cast<std::size_t>(curve[static_cast<std::size_t>(place)])] = g;
  return Partition::of(group_of_value);
}

std::vector<AreaMove> allowed_moves(const AreaValues& areas, const GroupLimits& limits,
                                    const std::vector<int>& group_of_value) {
  const Groups groups(areas, limits, group_of_value);
  std::vector<AreaMove> moves;
  for (int value = 0; value < areas.count(); ++value) {
    const std::vector<int> beside = groups.beside(value);
    if (beside.empty() || !groups.allowed_without(value)) continue;
    for (const int to : beside)
      if (groups.allowed_with(value, to)) moves.push_back({value, to});
  }
  return moves;
}

std::vector<AreaExchange> allowed_exchanges(const AreaValues& areas, const GroupLimits& limits,
                                            const std::vector<int>& group_of_value) {
  const Groups groups(areas, limits, group_of_value);
  std::vector<AreaExchange> exchanges;
  for (int value = 0; value < areas.count(); ++value)
    for (const int to : groups.beside(value)) {
      const int from = group_of_value[static_cast<std::size_t>(value)];
      if (to < from) continue;
      for (const int other : groups.members(to))
        if (std::ranges::binary_search(groups.beside(other), from) && groups.allowed_exchange(value, other))
          exchanges.push_back({value, other});
    }
  return exchanges;
}

double spread(const AreaValues& areas, const Partition& partition) {
  double sum = 0;
  for (int g = 0; g < partition.groups(); ++g) {
    const std::vector<int> members = partition.members(g);
    const Eigen::MatrixXd positions = areas.positions(members, Eigen::all).cast<double>();
    const Eigen::VectorXd people = areas.people(members);
    const Eigen::RowVectorXd mean = people.transpose() * positions / people.sum();
    sum += people.dot((positions.rowwise() - mean).rowwise().squaredNorm());
  }
  return sum;
}

std::optional<Partition> areas_along_curves(const AreaValues& areas, const GroupLimits& limits, int groups) {
  std::optional<Partition> best;
  for (const auto& curve : curves_through(areas)) {
    const auto runs = optimal_groups(along(areas, curve), limits, groups);
    if (!runs) continue;
    Partition found = from_curve_order(*runs, curve);
    if (!best || spread(areas, found) < spread(areas, *best)) best = std::move(found);
  }
  return best;
}

double least_group_entropy(double people, const GroupLimits& limits, std::optional<int> groups) {
  const auto of_sizes = [&](int count) {
    // -x log x is concave: the least sum is at a corner, all groups but one as small or as large as they may.
    double rest = people - count * limits.least_people, sum = 0;
    for (int g = 0; g < count; ++g) {
      const double more = std::min(rest, limits.most_people - limits.least_people);
      sum -= x_log_x((limits.least_people + more) / people);
      rest -= more;
    }
    return sum;
  };
  if (groups) return of_sizes(*groups);
  double least = std::numeric_limits<double>::infinity();
  const int fewest = std::max(1, static_cast<int>(std::ceil(people / limits.most_people)));
  const int most = std::max(fewest, static_cast<int>(people / std::max(1.0, limits.least_people)));
  for (int count = fewest; count <= most; ++count) least = std::min(least, of_sizes(count));
  return least;
}

}  // namespace hyobscure::solve
