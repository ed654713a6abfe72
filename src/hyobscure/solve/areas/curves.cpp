#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

#include "hyobscure/solve/areas/areas.h"

namespace hyobscure::solve {
namespace {

using Point = std::vector<std::uint32_t>;

/// Where a point comes on the Hilbert curve through a cube of side 2^bits, as digits that compare in order.
/// (J. Skilling, "Programming the Hilbert curve", 2004: undo the excess turns from the coarsest cube to the
/// finest, then Gray-decode.)
std::vector<bool> hilbert_place(Point at, int bits) {
  const std::size_t dimensions = at.size();
  for (std::uint32_t side = 1u << (bits - 1); side > 1; side >>= 1) {
    const std::uint32_t below = side - 1;
    for (std::uint32_t& coordinate : at) {
      if (coordinate & side) {
        at[0] ^= below;  // turned round
      } else {
        const std::uint32_t differ = (at[0] ^ coordinate) & below;  // exchanged with the first
        at[0] ^= differ;
        coordinate ^= differ;
      }
    }
  }
  for (std::size_t d = 1; d < dimensions; ++d) at[d] ^= at[d - 1];
  std::uint32_t flips = 0;
  for (std::uint32_t side = 1u << (bits - 1); side > 1; side >>= 1)
    if (at.back() & side) flips ^= side - 1;
  for (std::uint32_t& coordinate : at) coordinate ^= flips;
  std::vector<bool> place;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (const std::uint32_t coordinate : at) place.push_back((coordinate >> bit) & 1u);
  return place;
}

template <class Key>
std::vector<int> sorted_by(int values, const Key& key) {
  std::vector<int> order(static_cast<std::size_t>(values));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, key);
  return order;
}

/// Positions from 0 on.
std::vector<Point> from_zero(const Eigen::MatrixXi& positions) {
  const Eigen::RowVectorXi low = positions.colwise().minCoeff();
  std::vector<Point> points(static_cast<std::size_t>(positions.rows()));
  for (Eigen::Index v = 0; v < positions.rows(); ++v)
    for (Eigen::Index d = 0; d < positions.cols(); ++d)
      points[static_cast<std::size_t>(v)].push_back(static_cast<std::uint32_t>(positions(v, d) - low(d)));
  return points;
}

/// The dimensions in another order, the last one perhaps backwards. (The first backwards gives the same
/// Hilbert curve from its other end.)
std::vector<Point> turned(const std::vector<Point>& points, std::size_t by, bool mirrored,
                          std::uint32_t largest) {
  std::vector<Point> result = points;
  for (Point& point : result) {
    std::ranges::rotate(point, point.begin() + static_cast<std::ptrdiff_t>(by));
    if (mirrored) point.back() = largest - point.back();
  }
  return result;
}

std::vector<int> hilbert(const std::vector<Point>& points, int bits) {
  std::vector<std::vector<bool>> places;
  for (const Point& point : points) places.push_back(hilbert_place(point, bits));
  return sorted_by(static_cast<int>(points.size()),
                   [&](int value) -> const auto& { return places[static_cast<std::size_t>(value)]; });
}

/// To and fro: every dimension turns round where the one before it has moved on by one step.
std::vector<int> serpentine(const std::vector<Point>& points) {
  std::vector<std::vector<std::int64_t>> keys;
  for (const Point& point : points) {
    std::vector<std::int64_t> key;
    bool backwards = false;
    for (const std::uint32_t coordinate : point) {
      key.push_back(backwards ? -static_cast<std::int64_t>(coordinate) : coordinate);
      backwards = backwards != ((coordinate & 1u) != 0);
    }
    keys.push_back(std::move(key));
  }
  return sorted_by(static_cast<int>(points.size()),
                   [&](int value) -> const auto& { return keys[static_cast<std::size_t>(value)]; });
}

}  // namespace

std::vector<std::vector<int>> curves_through(const AreaValues& areas) {
  const std::vector<Point> points = from_zero(areas.positions);
  std::uint32_t largest = 1;
  for (const Point& point : points) largest = std::max(largest, std::ranges::max(point));
  const int bits = std::bit_width(largest);
  const std::uint32_t corner = (1u << bits) - 1;
  const std::size_t dimensions = points[0].size();
  std::vector<std::vector<int>> curves;
  const auto add = [&](std::vector<int> curve) {
    const std::vector<int> backwards(curve.rbegin(), curve.rend());  // has the same runs
    const auto known = [&](const auto& other) { return other == curve || other == backwards; };
    if (std::ranges::none_of(curves, known)) curves.push_back(std::move(curve));
  };
  for (std::size_t by = 0; by < dimensions; ++by) {
    for (const bool mirrored : {false, true}) add(hilbert(turned(points, by, mirrored, corner), bits));
    add(serpentine(turned(points, by, false, corner)));
  }
  return curves;
}

}  // namespace hyobscure::solve
