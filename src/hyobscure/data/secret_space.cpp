#include "hyobscure/data/secret_space.h"

#include <algorithm>
#include <numeric>

namespace hyobscure::data {
namespace {

std::int64_t squared(std::int64_t x) { return x * x; }

/// The points as plain numbers, one after the other: what distances are made of, without a look at the axes.
class FlatPoints {
 public:
  explicit FlatPoints(const SecretSpace& space) : size_(space.points.size()) {
    for (std::size_t axis = 0; axis < space.axes.size(); ++axis) add(space, axis);
  }

  std::size_t size() const { return size_; }

  std::int64_t squared_distance(std::size_t a, std::size_t b) const {
    std::int64_t sum = 0;
    for (const std::vector<std::int64_t>& line : lines_) sum += squared(line[a] - line[b]);
    for (const std::vector<std::int64_t>& names : names_) sum += names[a] != names[b] ? 1 : 0;
    return sum;
  }

 private:
  void add(const SecretSpace& space, std::size_t axis) {
    std::vector<std::int64_t> first, second;
    for (const SecretSpace::Point& point : space.points) {
      const Coordinate& at = space.axes[axis].values[point[axis]];
      const bool cell = space.axes[axis].kind == AxisKind::Spatial;
      first.push_back(cell ? at.cell.row : std::int64_t{point[axis]});
      second.push_back(at.cell.column);
    }
    const AxisKind kind = space.axes[axis].kind;
    (kind == AxisKind::Categorical ? names_ : lines_).push_back(std::move(first));
    if (kind == AxisKind::Spatial) lines_.push_back(std::move(second));
  }

  std::size_t size_;
  std::vector<std::vector<std::int64_t>> lines_;  ///< places on a line: differences count
  std::vector<std::vector<std::int64_t>> names_;  ///< only equal or not
};

/// Finds the neighbours of one point after the other.
///
/// The nearest of all points is a neighbour. It blocks whatever lies beyond it, then the nearest of the rest
/// blocks more, and so on: few points are left that nothing of this blocks. They are held against all points,
/// because a blocked one may block as well.
class GabrielGraph {
 public:
  explicit GabrielGraph(const FlatPoints& points) : points_(points), distance_(points.size()) {}

  std::vector<std::uint32_t> neighbours(std::uint32_t a) {
    rest_.clear();
    for (std::uint32_t b = 0; b < points_.size(); ++b) {
      distance_[b] = points_.squared_distance(a, b);
      if (b != a) rest_.push_back(b);
    }
    std::vector<std::uint32_t> found;
    while (!rest_.empty()) {
      const std::uint32_t near = *std::ranges::min_element(rest_, {}, [&](auto b) { return distance_[b]; });
      const bool blocked = is_blocked(a, near);
      if (!blocked) found.push_back(near);
      std::erase_if(rest_, [&](std::uint32_t b) { return b == near || blocks(near, b); });
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  /// Distances from `a` are in distance_.
  bool blocks(std::uint32_t c, std::uint32_t b) const {
    return distance_[c] < distance_[b] && distance_[c] + points_.squared_distance(c, b) <= distance_[b];
  }

  bool is_blocked(std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t c = 0; c < points_.size(); ++c)
      if (c != a && c != b && blocks(c, b)) return true;
    return false;
  }

  const FlatPoints& points_;
  std::vector<std::int64_t> distance_;
  std::vector<std::uint32_t> rest_;
};

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
  const FlatPoints points(space);
  GabrielGraph graph(points);
  std::vector<std::vector<std::uint32_t>> neighbours(points.size());
  for (std::uint32_t a = 0; a < points.size(); ++a) neighbours[a] = graph.neighbours(a);
  return neighbours;
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
