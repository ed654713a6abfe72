#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/data/people.h"
#include "hyobscure/obscure/mechanism.h"

namespace hyobscure::release {

/// The people in an order that depends on the key and their ids alone: the order in which donors are
/// numbered.
[[nodiscard]] std::vector<std::uint32_t> keyed_order(const Key& key, const data::People& people);

/// The entry that 64 random bits choose, given the cumulative sums of its probabilities (up to a factor).
/// Never one of probability 0, whatever the rounding of the sums.
[[nodiscard]] std::size_t choose_by_inversion(std::span<const double> cumulative, std::uint64_t bits);

/// donor_of[u] is the index of the person whose features are published under person u.
///
/// With probability `retain` of their channel a person keeps their own row; else they draw as the channel
/// says, among the people of their pool. Through cells: a cluster c' from O(.|c), then a donor uniformly
/// among the people of cluster c' in the pool, whoever they are and the person included: only so X' -> (C',
/// G) -> Y is a Markov chain, and the leakage that was computed from the channel is that of the release.
///
/// The draws are the random bits that belong to the person's id under the key: the order of the people,
/// threads and chunks do not matter. A donor is chosen by place, and the people of a cell or pool are ordered
/// by a keyed hash of their ids. So a person who is added to a cell changes nobody's cluster c', and no donor
/// drawn from another cell; among those who draw from this cell, some move to a neighbour in its order or to
/// the newcomer.
///
/// Probabilities are met to 2^-53, uniformity to cell size / 2^64; what has probability 0 is never drawn.
/// Cost: O(people log people); near donors: all pairs of a pool. Throws InputError where the people do not
/// fit the mechanism: somebody in a cell that it does not know, or a pool or cell with another number of
/// people than it has counted.
[[nodiscard]] std::vector<std::uint32_t> draw_donors(const obscure::Mechanism& mechanism,
                                                     const data::People& people,
                                                     std::span<const std::uint32_t> cluster_of_person);

}  // namespace hyobscure::release
