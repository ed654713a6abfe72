#include "hyobscure/data/people.h"

#include <array>

#include "hyobscure/base/files.h"

namespace hyobscure::data {

People select(const People& people, std::span<const std::uint32_t> chosen) {
  People some;
  some.features.columns = people.features.columns;
  some.kept_combinations = people.kept_combinations;
  std::vector<std::uint32_t> count(people.values.size(), 0), value_in_some(people.values.size(), 0);
  for (const std::uint32_t u : chosen) count[people.secrets[u]] += 1;
  for (std::size_t v = 0; v < people.values.size(); ++v) {
    value_in_some[v] = static_cast<std::uint32_t>(some.values.size());
    if (count[v] > 0) some.values.push_back(people.values[v]);
  }
  for (const std::uint32_t u : chosen) {
    some.ids.push_back(people.ids[u]);
    some.secrets.push_back(value_in_some[people.secrets[u]]);
    if (!people.kept.empty()) some.kept.push_back(people.kept[u]);
    const SparseRows::Row row = people.features[u];
    some.features.items.insert(some.features.items.end(), row.items.begin(), row.items.end());
    some.features.values.insert(some.features.values.end(), row.values.begin(), row.values.end());
    some.features.end_row();
  }
  return some;
}

std::string fingerprint(const People& people) {
  Sha256 hash;
  for (std::size_t u = 0; u < people.size(); ++u) {
    const std::uint64_t length = people.ids[u].size();
    hash.add(std::span<const std::uint64_t>(&length, 1));
    hash.add(people.ids[u]);
  }
  hash.add(std::span<const std::uint32_t>(people.secrets));
  for (const SecretValue& value : people.values) {
    const std::array bounds{value.low, value.high};
    hash.add(std::span<const double>(bounds));
  }
  hash.add(std::span<const std::size_t>(people.features.starts));
  hash.add(std::span<const std::uint32_t>(people.features.items));
  hash.add(std::span<const double>(people.features.values));
  hash.add(std::span<const std::uint32_t>(people.kept));
  return hash.finish();
}

}  // namespace hyobscure::data
