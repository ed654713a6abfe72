#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/data/secret/axis_kind.h"

namespace hyobscure::data {

/// A square of the grid; rows count northwards, columns eastwards.
struct GridCell {
  std::int32_t row = 0;
  std::int32_t column = 0;

  auto operator<=>(const GridCell&) const = default;
};

/// One value of an axis; which member counts is the axis' kind to say.
struct Coordinate {
  double number = 0;
  GridCell cell = {};
  std::string name = {};

  auto operator<=>(const Coordinate&) const = default;
};

/// One of the secrets that together are the secret: the distinct values that people have of it.
struct Axis {
  std::string column;  ///< published under this name
  AxisKind kind = AxisKind::Ordered;
  std::vector<Coordinate> values;  ///< ascending; categories in the order of their hierarchy
};

/// Where the cells lie on earth. Cell (row, column) spans the latitudes south + row * height and up, and the
/// longitudes west + column * width and up.
struct Grid {
  double cell_km = 1;
  double south = 0, west = 0;    ///< degrees
  double height = 1, width = 1;  ///< degrees of a cell; 1 where the data has cells and no coordinates
  bool on_earth = false;         ///< false: the data has cells only, and `south` ... `width` mean nothing
};

/// A node of a hierarchy of categories, over the leaves that somebody has.
struct HierarchyNode {
  std::string name;
  std::uint32_t first = 0, end = 0;          ///< its leaves, as indices into the axis' values
  std::vector<std::uint32_t> children = {};  ///< indices of nodes, in the order of their leaves
};

/// A secret that is no single number: a place, a category, or several secrets taken together.
struct SecretSpace {
  using Point = std::vector<std::uint32_t>;  ///< an index into the values of each axis

  std::vector<Axis> axes;
  std::optional<Grid> grid;              ///< of the spatial axis
  std::vector<HierarchyNode> hierarchy;  ///< of a single categorical axis; the root comes first; or empty
  bool names_in_order = false;  ///< of the hierarchy's leaves (secret.order): a run has the names of its ends
  std::vector<Point> points;    ///< the distinct secrets, ascending
  std::vector<std::uint32_t> value_of_point;  ///< which of People::values: several where points were joined

  /// The axis whose values are cells of the grid: there is one where there is a grid.
  std::size_t spatial_axis() const;
  const Coordinate& coordinate(std::size_t point, std::size_t axis) const {
    return axes[axis].values[points[point][axis]];
  }
  /// What a point is on each axis.
  std::vector<Coordinate> secret(std::size_t point) const;
};

/// Squared distance of two points: of an ordered axis the difference of ranks among the values that people
/// have, of a spatial axis rows and columns, of a categorical axis one where they differ.
[[nodiscard]] std::int64_t squared_distance(const SecretSpace& space, const SecretSpace::Point& a,
                                            const SecretSpace::Point& b);

/// Which points are neighbours: those with no third point in the ball that has them at the ends of its
/// diameter (the Gabriel graph, its ball closed). Cells that share an edge always are, islands are neighbours
/// of what is nearest across the water, numbers follow each other, categories without order are all
/// neighbours. The graph is connected. Ascending lists; the same for points in any order.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> neighbours_of_points(const SecretSpace& space);

/// The same for People::values: values are neighbours where points of theirs are.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> neighbours_of_values(const SecretSpace& space);

/// Whether some points (indices) are one piece of the graph.
[[nodiscard]] bool connected(const std::vector<std::vector<std::uint32_t>>& neighbours,
                             std::span<const std::uint32_t> points);

}  // namespace hyobscure::data
