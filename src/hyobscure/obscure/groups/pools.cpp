#include "hyobscure/obscure/groups/pools.h"

#include <algorithm>
#include <numeric>

namespace hyobscure::obscure {

namespace {

void leave_out_empty(Pools& pools) {
  std::vector<std::uint32_t> number(pools.size(), 0);
  std::uint32_t next = 0;
  for (std::size_t pool = 0; pool < pools.size(); ++pool)
    if (!pools.members[pool].empty()) number[pool] = next++;
  std::erase_if(pools.members, [](const auto& members) { return members.empty(); });
  for (std::uint32_t& pool : pools.pool_of_person) pool = number[pool];
}

}  // namespace

Pools groups_alone(const data::People& people, const solve::Partition& partition) {
  Pools pools{
      .members = std::vector<std::vector<std::uint32_t>>(static_cast<std::size_t>(partition.groups())),
      .pool_of_person = {}};
  const std::vector<int> group_of_value = partition.group_of_values();
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    const auto group = static_cast<std::uint32_t>(group_of_value[people.secrets[u]]);
    pools.pool_of_person.push_back(group);
    pools.members[group].push_back(u);
  }
  return pools;
}

Pools pools_by_group(const data::People& people, const solve::Partition& partition) {
  const Pools groups = groups_alone(people, partition);
  if (people.kept.empty()) return groups;
  Pools pools{.members = std::vector<std::vector<std::uint32_t>>(groups.size() * people.kept_combinations),
              .pool_of_person = {}};
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    const std::uint32_t pool = groups.pool_of_person[u] * people.kept_combinations + people.kept[u];
    pools.pool_of_person.push_back(pool);
    pools.members[pool].push_back(u);
  }
  leave_out_empty(pools);
  return pools;
}

Pools one_pool(std::size_t people) {
  Pools pools{.members = {std::vector<std::uint32_t>(people)},
              .pool_of_person = std::vector<std::uint32_t>(people, 0)};
  std::iota(pools.members[0].begin(), pools.members[0].end(), 0u);
  return pools;
}

}  // namespace hyobscure::obscure
