#pragma once

#include <cstddef>
#include <cstdint>

#include "hyobscure/data/people/people.h"

namespace hyobscure::audit {

/// A number of a row's entries: rows with the same entries have the same number, any two others with odds of
/// about 2^-64.
[[nodiscard]] std::uint64_t content_of(data::SparseRows::Row row);

/// Entries (item and value) that both rows have.
[[nodiscard]] std::size_t shared_entries(data::SparseRows::Row a, data::SparseRows::Row b);

/// 64 bits of which each depends on all of `bits` (the finaliser of splitmix64).
constexpr std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace hyobscure::audit
