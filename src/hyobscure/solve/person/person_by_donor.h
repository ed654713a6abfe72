#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::solve {

/// Where the entries of a channel are, donor by donor, people ascending.
struct ChannelByDonor {
  std::vector<std::size_t> starts;    ///< donor j: starts[j] .. starts[j + 1] - 1
  std::vector<std::uint32_t> people;  ///< of each entry
  std::vector<std::size_t> places;    ///< of each entry in the channel
};

[[nodiscard]] inline ChannelByDonor by_donor(const SparseChannel& channel) {
  ChannelByDonor result{std::vector<std::size_t>(channel.size() + 1, 0),
                        std::vector<std::uint32_t>(channel.donors.size()),
                        std::vector<std::size_t>(channel.donors.size())};
  for (const std::uint32_t donor : channel.donors) ++result.starts[donor + 1];
  for (std::size_t j = 0; j < channel.size(); ++j) result.starts[j + 1] += result.starts[j];
  std::vector<std::size_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::size_t u = 0; u < channel.size(); ++u)
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e) {
      const std::size_t place = next[channel.donors[e]]++;
      result.people[place] = static_cast<std::uint32_t>(u);
      result.places[place] = e;
    }
  return result;
}

}  // namespace hyobscure::solve
