#pragma once

#include <cstdint>
#include <vector>

namespace hyobscure::data {

/// Points in whole numbers, one after the other. The squared distance of two is the sum, over the first
/// `lines` coordinates, of the squared differences, and one for each of the other coordinates that differs.
/// Coordinates on lines are at most 1e9 apart.
struct WholePoints {
  std::size_t lines = 0, names = 0;
  std::vector<std::int64_t> coordinates;

  std::size_t dimensions() const { return lines + names; }
  std::size_t size() const { return dimensions() == 0 ? 0 : coordinates.size() / dimensions(); }
  const std::int64_t* operator[](std::size_t point) const { return &coordinates[point * dimensions()]; }
};

/// The Gabriel graph of distinct points, its ball closed: a and b are neighbours unless some c has
/// d²(a,c) + d²(c,b) <= d²(a,b). Ascending lists.
///
/// It is connected: of the shortest pair between two pieces a blocker would be nearer to both ends.
/// A k-d tree lists the points around each point by distance, without the boxes that lie wholly behind one
/// already listed; a point that is not behind any is held against the tree once more. Time is about n log n
/// where points have few neighbours.
std::vector<std::vector<std::uint32_t>> gabriel_graph(const WholePoints& points);

}  // namespace hyobscure::data
