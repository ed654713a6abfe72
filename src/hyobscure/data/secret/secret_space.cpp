#include "hyobscure/data/secret/secret_space.h"

#include <algorithm>

#include "hyobscure/data/secret/gabriel.h"

namespace hyobscure::data {
namespace {

std::int64_t squared(std::int64_t x) { return x * x; }

/// Ranks and cells are on lines, names are not.
WholePoints whole_points(const SecretSpace& space) {
  WholePoints whole;
  for (const Axis& axis : space.axes) {
    whole.lines += axis.kind == AxisKind::Spatial ? 2 : axis.kind == AxisKind::Ordered ? 1 : 0;
    whole.names += axis.kind == AxisKind::Categorical ? 1 : 0;
  }
  for (const SecretSpace::Point& point : space.points) {
    std::vector<std::int64_t> names;
    for (std::size_t a = 0; a < space.axes.size(); ++a) {
      const Axis& axis = space.axes[a];
      const GridCell& cell = axis.values[point[a]].cell;
      if (axis.kind == AxisKind::Spatial)
        whole.coordinates.insert(whole.coordinates.end(), {cell.row, cell.column});
      else
        (axis.kind == AxisKind::Ordered ? whole.coordinates : names).push_back(point[a]);
    }
    whole.coordinates.insert(whole.coordinates.end(), names.begin(), names.end());
  }
  return whole;
}

std::vector<std::vector<std::uint32_t>> everybody_is_a_neighbour(std::size_t count) {
  std::vector<std::vector<std::uint32_t>> neighbours(count);
  for (std::uint32_t a = 0; a < count; ++a)
    for (std::uint32_t b = 0; b < count; ++b)
      if (a != b) neighbours[a].push_back(b);
  return neighbours;
}

bool has_names_alone(const SecretSpace& space) {
  return space.axes.size() == 1 && space.axes[0].kind == AxisKind::Categorical;
}

}  // namespace

std::size_t SecretSpace::spatial_axis() const {
  return static_cast<std::size_t>(std::ranges::find(axes, AxisKind::Spatial, &Axis::kind) - axes.begin());
}

std::vector<Coordinate> SecretSpace::secret(std::size_t point) const {
  std::vector<Coordinate> coordinates;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) coordinates.push_back(coordinate(point, axis));
  return coordinates;
}

std::int64_t squared_distance(const SecretSpace& space, const SecretSpace::Point& a,
                              const SecretSpace::Point& b) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    const auto& values = space.axes[axis].values;
    const GridCell &p = values[a[axis]].cell, &q = values[b[axis]].cell;
    switch (space.axes[axis].kind) {
      case AxisKind::Ordered:
        sum += squared(std::int64_t{a[axis]} - std::int64_t{b[axis]});
        break;
      case AxisKind::Spatial:
        sum += squared(std::int64_t{p.row} - q.row) + squared(std::int64_t{p.column} - q.column);
        break;
      case AxisKind::Categorical:
        sum += a[axis] != b[axis] ? 1 : 0;
        break;
    }
  }
  return sum;
}

std::vector<std::vector<std::uint32_t>> neighbours_of_points(const SecretSpace& space) {
  if (has_names_alone(space)) return everybody_is_a_neighbour(space.points.size());
  return gabriel_graph(whole_points(space));
}

std::vector<std::vector<std::uint32_t>> neighbours_of_values(const SecretSpace& space) {
  const std::size_t values =
      space.points.empty() ? 0 : std::size_t{*std::ranges::max_element(space.value_of_point)} + 1;
  if (has_names_alone(space)) return everybody_is_a_neighbour(values);
  const auto of_points = neighbours_of_points(space);
  std::vector<std::vector<std::uint32_t>> neighbours(values);
  for (std::size_t point = 0; point < of_points.size(); ++point)
    for (const std::uint32_t other : of_points[point])
      if (const std::uint32_t v = space.value_of_point[point], w = space.value_of_point[other]; v != w)
        neighbours[v].push_back(w);
  for (auto& list : neighbours) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

bool connected(const std::vector<std::vector<std::uint32_t>>& neighbours,
               std::span<const std::uint32_t> points) {
  if (points.empty()) return true;
  std::vector<bool> waits(neighbours.size(), false);
  for (const std::uint32_t point : points) waits[point] = true;
  std::vector<std::uint32_t> stack{points[0]};
  waits[points[0]] = false;
  while (!stack.empty()) {
    const std::uint32_t point = stack.back();
    stack.pop_back();
    for (const std::uint32_t next : neighbours[point])
      if (waits[next]) {
        waits[next] = false;
        stack.push_back(next);
      }
  }
  return std::ranges::none_of(points, [&](std::uint32_t point) { return waits[point]; });
}

}  // namespace hyobscure::data
