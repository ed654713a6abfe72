#include "hyobscure/obscure/leakage/exact_values.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/obscure/groups/pools.h"

namespace hyobscure::obscure {
namespace {

constexpr double kMostCells = 1 << 26;  // of a table of exact values by clusters: half a gigabyte

/// The entropy of what `key` tells of a person drawn at random.
double entropy_of(std::size_t people, const std::function<std::uint64_t(std::size_t)>& key) {
  std::vector<std::uint64_t> keys(people);
  for (std::size_t u = 0; u < people; ++u) keys[u] = key(u);
  std::ranges::sort(keys);
  CompensatedSum sum;
  for (std::size_t begin = 0; begin < people;) {
    const auto end = static_cast<std::size_t>(
        std::upper_bound(keys.begin() + static_cast<std::ptrdiff_t>(begin), keys.end(), keys[begin]) -
        keys.begin());
    sum.add(x_log_x(static_cast<double>(end - begin)));
    begin = end;
  }
  const auto n = static_cast<double>(people);
  return (std::log(n) - sum.value() / n) * kBitsPerNat;
}

/// A pair as one number; both are numbers of people, values or clusters, below 2^32.
std::uint64_t pair_of(std::uint64_t a, std::uint64_t b) { return a << 32 | b; }

}  // namespace

bool counts_exact_values(const data::People& people, int clusters) {
  return !people.exact.empty() && static_cast<double>(people.exact_values) * clusters <= kMostCells;
}

double exact_entropy(const data::People& people) {
  const auto exact = people.exact_secrets();
  return entropy_of(people.size(), [&](std::size_t u) { return exact[u]; });
}

double exact_leakage_of_groups(const data::People& people, const solve::Partition& partition) {
  const auto exact = people.exact_secrets();
  const std::vector<std::uint32_t> stratum = pools_by_group(people, partition).pool_of_person;
  const auto entropy = [&](const auto& key) { return entropy_of(people.size(), key); };
  return std::max(0.0, entropy([&](std::size_t u) { return stratum[u]; }) + entropy([&](std::size_t u) {
                         return exact[u];
                       }) - entropy([&](std::size_t u) { return pair_of(stratum[u], exact[u]); }));
}

double exact_leakage_of_clusters(const data::People& people, std::span<const std::uint32_t> cluster_of_person,
                                 const solve::Partition& partition) {
  const auto exact = people.exact_secrets();
  const std::vector<std::uint32_t> stratum = pools_by_group(people, partition).pool_of_person;
  const std::uint64_t clusters = 1 + *std::ranges::max_element(cluster_of_person);
  const auto cell = [&](std::size_t u) { return stratum[u] * clusters + cluster_of_person[u]; };
  const auto entropy = [&](const auto& key) { return entropy_of(people.size(), key); };
  return std::max(0.0, entropy(cell) + entropy([&](std::size_t u) { return pair_of(stratum[u], exact[u]); }) -
                           entropy([&](std::size_t u) { return pair_of(cell(u), exact[u]); }) -
                           entropy([&](std::size_t u) { return stratum[u]; }));
}

}  // namespace hyobscure::obscure
