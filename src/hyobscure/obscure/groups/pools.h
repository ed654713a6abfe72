#pragma once

#include <cstdint>
#include <vector>

#include "hyobscure/data/people/people.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// A partition of the people.
struct Pools {
  std::vector<std::vector<std::uint32_t>> members;  ///< people by pool, ascending
  std::vector<std::uint32_t> pool_of_person;

  std::size_t size() const { return members.size(); }
};

/// By the group of their secret. Pool g is group g, be it empty.
///
/// Where columns are kept (people.kept), by group and combination of kept cells: a donor must share both.
/// Such pools are ordered by group, then by combination; pairs without people are left out, so a pool is not
/// a group.
[[nodiscard]] Pools pools_by_group(const data::People& people, const solve::Partition& partition);

/// By the group alone, whatever columns are kept.
[[nodiscard]] Pools groups_alone(const data::People& people, const solve::Partition& partition);

/// All in one.
[[nodiscard]] Pools one_pool(std::size_t people);

}  // namespace hyobscure::obscure
