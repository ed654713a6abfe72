#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// Larger pools are cut into leaves of at most so many alike people, among whom kin are found: the cost of a
/// pool is linear in its people.
inline constexpr std::size_t kMostInLeaf = 512;

/// The kin of the people of one pool: each has the same number of places, and a place holds a person.
///
///   K(w | j) = share of j's places that hold w
///
/// K is symmetric and doubly stochastic by construction: everybody is in as many places as they have. j is in
/// one of the own places; in two where the number of people and places is odd and nobody else is left.
struct Kin {
  std::size_t places = 0;                          ///< of each person
  std::vector<std::uint32_t> of_place;             ///< member i: places i * places ..; positions in the pool
  std::vector<std::uint32_t> leaf_of;              ///< of each member
  std::vector<std::vector<std::uint32_t>> leaves;  ///< positions in the pool

  std::span<const std::uint32_t> of(std::size_t member) const {
    return {of_place.data() + member * places, places};
  }
};

/// Pairs are joined from the nearest to the farthest while both have a place left; who is left over at the
/// end takes places of a pair that is joined already. Near is the distance times the ratio of the `lengths`:
/// a person with ten times the entries of the others would give nearly all of their rows.
///
/// Depends on rows, lengths, members and `most` alone: neither on secrets nor on any key.
[[nodiscard]] Kin kin_of(census::Distance distance, const data::SparseRows& rows,
                         std::span<const std::uint32_t> members, std::span<const double> lengths, int most,
                         const Progress& progress = {});

}  // namespace hyobscure::obscure
