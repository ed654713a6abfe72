#include "hyobscure/obscure/pools.h"

#include <algorithm>
#include <numeric>

namespace hyobscure::obscure {

Pools pools_by_group(const data::People& people, std::span<const int> starts) {
  Pools pools{.members = std::vector<std::vector<std::uint32_t>>(starts.size() - 1), .pool_of_person = {}};
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    const auto above = std::ranges::upper_bound(starts, static_cast<int>(people.secrets[u]));
    const auto group = static_cast<std::uint32_t>(above - starts.begin()) - 1;
    pools.pool_of_person.push_back(group);
    pools.members[group].push_back(u);
  }
  return pools;
}

Pools one_pool(std::size_t people) {
  Pools pools{.members = {std::vector<std::uint32_t>(people)},
              .pool_of_person = std::vector<std::uint32_t>(people, 0)};
  std::iota(pools.members[0].begin(), pools.members[0].end(), 0u);
  return pools;
}

}  // namespace hyobscure::obscure
