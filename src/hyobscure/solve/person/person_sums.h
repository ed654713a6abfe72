#pragma once

#include <cstddef>
#include <vector>

#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::solve {

/// Every row of the channel sums to 1. A row without any probability has no such form: it must not be there.
inline void normalise_rows(SparseChannel& channel) {
  for (std::size_t u = 0; u < channel.size(); ++u) {
    double sum = 0;
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e) sum += channel.probabilities[e];
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e) channel.probabilities[e] /= sum;
  }
}

/// How often each row is published, in expectation: all 1 where the channel is balanced.
[[nodiscard]] inline std::vector<double> column_sums(const SparseChannel& channel) {
  std::vector<double> sums(channel.size(), 0.0);
  for (std::size_t e = 0; e < channel.donors.size(); ++e) sums[channel.donors[e]] += channel.probabilities[e];
  return sums;
}

}  // namespace hyobscure::solve
