#include "hyobscure/published/outline.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace hyobscure::published {
namespace {

using data::GridCell;
using Cells = std::set<GridCell>;

/// Counterclockwise: east, north, west, south.
constexpr std::array<GridCell, 4> kSteps = {GridCell{0, 1}, GridCell{1, 0}, GridCell{0, -1}, GridCell{-1, 0}};

GridCell step(GridCell from, std::size_t direction) {
  const GridCell by = kSteps[direction % 4];
  return {from.row + by.row, from.column + by.column};
}

/// Takes the cells that hang together with `first` out of `cells`.
Cells take_piece(Cells& cells, GridCell first) {
  Cells piece = {first};
  std::vector<GridCell> open = {first};
  cells.erase(first);
  while (!open.empty()) {
    const GridCell cell = open.back();
    open.pop_back();
    for (std::size_t direction = 0; direction < 4; ++direction) {
      const GridCell next = step(cell, direction);
      if (cells.erase(next) == 0) continue;
      piece.insert(next);
      open.push_back(next);
    }
  }
  return piece;
}

/// Sides of cells that no other cell shares, walked with the cell on the left: from a corner, which way.
using Sides = std::map<GridCell, std::set<std::size_t>>;

Sides free_sides(const Cells& piece) {
  Sides sides;
  for (const GridCell& cell : piece) {
    GridCell corner = cell;
    for (std::size_t direction = 0; direction < 4; ++direction) {
      // Eastwards along the south side, northwards along the east side, and so on.
      if (!piece.contains(step(cell, direction + 3))) sides[corner].insert(direction);
      corner = step(corner, direction);
    }
  }
  return sides;
}

/// Where two cells of one piece touch at a corner, the line turns right: it stays at the same hole, or
/// outside. Both ways round the corner cannot belong to one ring, because the ring would part the two cells.
std::size_t next_direction(const std::set<std::size_t>& choices, std::size_t direction) {
  const std::size_t right = (direction + 3) % 4;
  return choices.contains(right) ? right : *choices.begin();
}

/// Walks one ring and takes its sides away.
Ring take_ring(Sides& sides) {
  Ring ring;
  const GridCell start = sides.begin()->first;
  GridCell corner = start;
  std::size_t before = 4;  // none
  std::size_t direction = *sides.begin()->second.begin();
  do {
    if (direction != before) ring.push_back(corner);
    const auto here = sides.find(corner);
    here->second.erase(direction);
    if (here->second.empty()) sides.erase(here);
    corner = step(corner, direction);
    before = direction;
    if (corner != start) direction = next_direction(sides.at(corner), direction);
  } while (corner != start);
  ring.push_back(start);
  return ring;
}

/// Positive: counterclockwise.
std::int64_t doubled_area(const Ring& ring) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i + 1 < ring.size(); ++i)
    sum += std::int64_t{ring[i].column} * ring[i + 1].row - std::int64_t{ring[i + 1].column} * ring[i].row;
  return sum;
}

Polygon polygon_of(const Cells& piece) {
  Polygon polygon;
  Sides sides = free_sides(piece);
  while (!sides.empty()) {
    Ring ring = take_ring(sides);
    if (doubled_area(ring) > 0)
      polygon.outside = std::move(ring);
    else
      polygon.holes.push_back(std::move(ring));
  }
  return polygon;
}

}  // namespace

std::vector<Polygon> outline(std::span<const GridCell> cells) {
  Cells left(cells.begin(), cells.end());
  std::vector<Polygon> polygons;
  while (!left.empty()) polygons.push_back(polygon_of(take_piece(left, *left.begin())));
  return polygons;
}

}  // namespace hyobscure::published
