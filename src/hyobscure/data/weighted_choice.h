#pragma once

#include <numeric>
#include <vector>

#include "hyobscure/base/random.h"

namespace hyobscure::data {

/// Draws an index with probability proportional to its weight, in constant time (Walker's alias method).
class WeightedChoice {
 public:
  explicit WeightedChoice(const std::vector<double>& weights)
      : keep_(weights.size()), alias_(weights.size()) {
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      keep_[i] = weights[i] / mean;
      alias_[i] = i;
      (keep_[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t poor = small.back(), rich = large.back();
      small.pop_back();
      alias_[poor] = rich;
      keep_[rich] -= 1 - keep_[poor];
      if (keep_[rich] < 1) {
        large.pop_back();
        small.push_back(rich);
      }
    }
  }

  std::size_t draw(RandomStream& random) const {
    const std::size_t i = random.below(keep_.size());
    return random.uniform() < keep_[i] ? i : alias_[i];
  }

 private:
  std::vector<double> keep_;
  std::vector<std::size_t> alias_;
};

}  // namespace hyobscure::data
