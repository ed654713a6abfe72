#pragma once

// Maps for the tests of this folder, and all their areas by brute force.

#include <functional>
#include <vector>

#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/groups/test_census.h"

namespace hyobscure::solve {

/// rows x columns cells that share edges; value v is cell (v / columns, v % columns).
inline AreaValues grid_map(int rows, int columns, const Eigen::VectorXd& people) {
  AreaValues areas{.positions = Eigen::MatrixXi(rows * columns, 2),
                   .people = people,
                   .distinct = Eigen::VectorXd::Ones(rows * columns),
                   .neighbours = std::vector<std::vector<int>>(static_cast<std::size_t>(rows * columns))};
  for (int v = 0; v < areas.count(); ++v) {
    const int row = v / columns, column = v % columns;
    areas.positions.row(v) << row, column;
    auto& beside = areas.neighbours[static_cast<std::size_t>(v)];
    if (row > 0) beside.push_back(v - columns);
    if (column > 0) beside.push_back(v - 1);
    if (column + 1 < columns) beside.push_back(v + 1);
    if (row + 1 < rows) beside.push_back(v + columns);
  }
  return areas;
}

/// The map of the values of a census.
inline AreaValues grid_map(int rows, int columns, const RandomCensus& census) {
  return grid_map(rows, columns, census.values().people);
}

/// By walking, not by union-find.
inline bool is_one_piece(const AreaValues& areas, const std::vector<int>& values) {
  if (values.empty()) return false;
  std::vector<int> reached = {values[0]};
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const int other : areas.neighbours[static_cast<std::size_t>(reached[i])])
      if (std::ranges::find(values, other) != values.end() &&
          std::ranges::find(reached, other) == reached.end())
        reached.push_back(other);
  return reached.size() == values.size();
}

inline bool is_allowed(const AreaValues& areas, const GroupLimits& limits, const std::vector<int>& values) {
  double people = 0, distinct = 0;
  for (const int v : values) people += areas.people(v), distinct += areas.distinct(v);
  return is_one_piece(areas, values) && limits.allow(people, distinct);
}

/// Every division into areas within the limits.
inline std::vector<Partition> all_areas(const AreaValues& areas, const GroupLimits& limits,
                                        std::optional<int> groups) {
  std::vector<Partition> found;
  std::vector<int> group(static_cast<std::size_t>(areas.count()), 0);
  const std::function<void(std::size_t, int)> extend = [&](std::size_t value, int used) {
    if (value == group.size()) {
      const Partition partition = Partition::of(group);
      if (groups && partition.groups() != *groups) return;
      for (int g = 0; g < partition.groups(); ++g)
        if (!is_allowed(areas, limits, partition.members(g))) return;
      found.push_back(partition);
      return;
    }
    for (int g = 0; g <= used; ++g) {
      group[value] = g;
      extend(value + 1, std::max(used, g + 1));
    }
  };
  extend(0, 0);
  return found;
}

}  // namespace hyobscure::solve
