#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// The rows of a pool as directions see them, in single precision:
///
///   Jensen-Shannon  sqrt(p), p the row scaled to sum 1: straight lines then follow the Hellinger distance,
///                   which is close to Jensen-Shannon
///   Euclidean       x over the largest entry of the pool, so that no square overflows
///   sets            1 for every item of the set
struct ScaledRows {
  const data::SparseRows& rows;
  std::span<const std::uint32_t> members;  ///< rows of the pool
  census::Distance distance;
  std::vector<std::size_t> starts;  ///< of the features of each member
  std::vector<float> features;
  std::vector<float> length_scale;  ///< brings a row to the length that suits directions

  std::size_t size() const { return members.size(); }
  std::size_t entries(std::size_t i) const { return starts[i + 1] - starts[i]; }
  const std::uint32_t* items(std::size_t i) const { return rows.items.data() + rows.starts[members[i]]; }
  const float* feature(std::size_t i) const { return features.data() + starts[i]; }
};

/// Rows must have passed census::check_rows. Memory: 4 bytes per entry of the members.
[[nodiscard]] ScaledRows scaled_rows(census::Distance distance, const data::SparseRows& rows,
                                     std::span<const std::uint32_t> members);

}  // namespace hyobscure::obscure
