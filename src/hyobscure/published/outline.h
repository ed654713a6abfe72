#pragma once

#include <span>
#include <vector>

#include "hyobscure/data/secret/secret_space.h"

namespace hyobscure::published {

/// A closed line along cells: the last corner is the first again. Corner (row, column) is the south-west
/// corner of the cell of that name; corners on a straight line are left out.
using Ring = std::vector<data::GridCell>;

/// Cells that hang together by their edges. Seen with north above and east to the right, the outside runs
/// counterclockwise and the holes clockwise: what lies to the left is the area (the right-hand rule of
/// GeoJSON). No ring meets itself; rings meet in corners at most.
struct Polygon {
  Ring outside = {};
  std::vector<Ring> holes = {};
};

/// The outline of different cells, in any order. Cells that only touch by a corner are polygons of their own.
/// Polygons are in the order of their smallest cell, rings start at their smallest corner.
[[nodiscard]] std::vector<Polygon> outline(std::span<const data::GridCell> cells);

}  // namespace hyobscure::published
