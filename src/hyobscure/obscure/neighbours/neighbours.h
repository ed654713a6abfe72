#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

struct NeighbourSettings {
  int neighbours = 20;  ///< of every row, at least 1; fewer where the pool is smaller
  int trees = 12;       ///< at least 1; more trees find more of the true neighbours
  int leaf = 200;       ///< most rows of a leaf, at least 2; all pairs of a leaf are compared
};

/// Up to this many rows all pairs are compared, and the neighbours are the true ones.
inline constexpr std::size_t kExactPool = 2000;

/// The rows nearest to each row of a pool: result[i] holds positions in `members` (not row numbers), nearest
/// first, equal distances by position, without i itself.
///
/// Exact for at most kExactPool members. A larger pool is cut by a forest of trees into leaves of alike rows;
/// the neighbours are the nearest rows among those that share a leaf with the row in some tree: true
/// distances, but some true neighbours are missed. neighbours.md has the recall that was measured.
///
/// Depends on rows, members, settings and key only, not on the number of threads. Cost of the forest:
/// O(trees * members * (leaf + log(members / leaf)) * entries of a row). Memory: 4 bytes an entry of the
/// members, 4 * trees + 8 * neighbours a member.
///
/// Throws InputError for settings out of range and as census::check_rows does, and Stopped.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> nearest_rows(
    census::Distance distance, const data::SparseRows& rows, std::span<const std::uint32_t> members,
    const NeighbourSettings& settings, const Key& key, const Progress& progress = {});

}  // namespace hyobscure::obscure
