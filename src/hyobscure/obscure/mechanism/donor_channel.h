#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::obscure {

/// Draws a cluster c' from O(c' | c), then a donor uniformly among the people of cluster c' in the pool,
/// whoever they are.
struct CellDraw {
  std::vector<int> clusters;  ///< those with people in the pool; row and column i stand for clusters[i]
  std::vector<std::int64_t> people;  ///< of each of them; private
  Eigen::MatrixXd probabilities;     ///< O(c' | c): rows sum to 1
};

/// Draws any other person of the pool, each with the same probability.
struct OtherDraw {};

/// Draws near people more often than far ones.
struct NearDraw {
  std::string distance = "jaccard";
  /// Present: person v with probability proportional to exp(-decay d(u,v)), oneself included. Absent:
  /// proportional to 1 - d(u,v), oneself excluded; for a distance from 0 to 1.
  std::optional<double> decay = {};
};

/// Draws from each person's own list: O(v | u), people and donors by their place among the pool's people, who
/// are in the order of their ids.
using PersonDraw = solve::SparseChannel;

/// How the people of one pool find their donors. The pool is who may donate to whom: the people of a group.
struct Channel {
  std::int64_t people = 0;  ///< of the pool
  double retain = 0;        ///< probability that one's own row is published and nothing is drawn
  std::variant<CellDraw, OtherDraw, NearDraw, PersonDraw> draw = {};

  const CellDraw* cells() const { return std::get_if<CellDraw>(&draw); }
  CellDraw* cells() { return std::get_if<CellDraw>(&draw); }
};

/// Everybody draws uniformly in a cell, so that a row tells no more than its cluster.
[[nodiscard]] inline bool rows_tell_their_cell(const std::vector<Channel>& channels) {
  return std::ranges::all_of(
      channels, [](const Channel& channel) { return channel.cells() != nullptr && channel.retain == 0; });
}

}  // namespace hyobscure::obscure
