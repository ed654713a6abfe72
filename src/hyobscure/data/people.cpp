#include "hyobscure/data/people.h"

#include <array>

#include "hyobscure/base/files.h"

namespace hyobscure::data {

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
