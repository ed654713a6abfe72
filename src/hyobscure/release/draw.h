#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/data/people.h"
#include "hyobscure/obscure/mechanism.h"

namespace hyobscure::release {

/// The people of every cell (cluster, group), each cell in a random order that only the key knows.
struct Cells {
  std::vector<std::uint32_t> first_of_group;  ///< cells of group g: first_of_group[g] .. first_of_group[g +
                                              ///< 1] - 1, in the order of its channel's clusters
  std::vector<std::uint32_t> cell_of_person;
  std::vector<std::size_t> starts;     ///< cell i holds members[starts[i]] .. members[starts[i + 1] - 1]
  std::vector<std::uint32_t> members;  ///< indices of people

  std::span<const std::uint32_t> people_of(std::size_t cell) const {
    return {members.data() + starts[cell], starts[cell + 1] - starts[cell]};
  }
};

/// Sorts people into the cells of the mechanism. Throws InputError where they do not fit it: somebody in a
/// cell that it does not know, or a cell with another number of people than it has counted.
[[nodiscard]] Cells sort_into_cells(const obscure::Mechanism& mechanism, const data::People& people,
                                    std::span<const std::uint32_t> cluster_of_person);

/// The entry that 64 random bits choose, given the cumulative sums of its probabilities (up to a factor).
/// Never one of probability 0, whatever the rounding of the sums.
[[nodiscard]] std::size_t choose_by_inversion(std::span<const double> cumulative, std::uint64_t bits);

/// donor_of[u] is the index of the person whose features are published under person u.
///
/// A person of group g and cluster c draws a cluster c' from O_g(.|c), then a donor uniformly among the
/// people of cell (c', g), whoever they are and the person included: only so X' -> (C', G) -> Y is a Markov
/// chain, and the leakage that was computed from the channel is that of the release.
///
/// The two draws are the 128 bits that belong to the person's id under the key: the order of the people,
/// threads and chunks do not matter. A donor is chosen by place in the cell, and the people of a cell are
/// ordered by a keyed hash of their ids. So a person who is added to a cell changes nobody's cluster c', and
/// no donor drawn from another cell; among those who draw from this cell, some move to a neighbour in its
/// order or to the newcomer.
///
/// Probabilities are met to 2^-53, uniformity to cell size / 2^64; what has probability 0 is never drawn.
/// Cost: O(people log people). Throws InputError as sort_into_cells does.
[[nodiscard]] std::vector<std::uint32_t> draw_donors(const obscure::Mechanism& mechanism,
                                                     const data::People& people,
                                                     std::span<const std::uint32_t> cluster_of_person);

}  // namespace hyobscure::release
