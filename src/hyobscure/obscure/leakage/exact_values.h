#pragma once

#include <cstdint>
#include <span>

#include "hyobscure/data/people/people.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

// Leakage is about exact secrets, also where values were joined for the search (secret.atoms). Bits; from the
// people themselves, so they need no table of values.

/// Values were joined, and the exact ones can be counted in memory. Where they cannot, or where people are
/// only counted (Spark), leakage is about the neighbourhoods that values were joined to.
[[nodiscard]] bool counts_exact_values(const data::People& people, int clusters);

/// H(Y).
[[nodiscard]] double exact_entropy(const data::People& people);

/// I(Y; G), with kept columns I(Y; G, K).
[[nodiscard]] double exact_leakage_of_groups(const data::People& people, const solve::Partition& partition);

/// I(Y; C | G), with kept columns I(Y; C | G, K): what true features tell by their clusters.
[[nodiscard]] double exact_leakage_of_clusters(const data::People& people,
                                               std::span<const std::uint32_t> cluster_of_person,
                                               const solve::Partition& partition);

}  // namespace hyobscure::obscure
