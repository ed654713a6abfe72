#pragma once

#include <cstdint>
#include <span>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people.h"
#include "hyobscure/obscure/mechanism.h"

namespace hyobscure::obscure {

struct NullLeakage {
  double mean_bits = kUnset;
  double deviation_bits = kUnset;
};

/// What the features would seem to leak through the mechanism's channels if they knew nothing: I(Y; C'|G) for
/// values shuffled among the people of each group. Few people over many cells leak by chance, and only the
/// excess is real.
[[nodiscard]] NullLeakage null_leakage(const data::People& people,
                                       std::span<const std::uint32_t> cluster_of_person,
                                       const Mechanism& mechanism, const Key& key);

/// Shuffles worth their time: 200 for few people, 20 for very many, whose null hardly varies.
[[nodiscard]] int shuffles_for(std::size_t people);

}  // namespace hyobscure::obscure
