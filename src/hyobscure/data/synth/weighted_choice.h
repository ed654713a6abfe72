#pragma once

#include <numeric>
#include <vector>

#include "hyobscure/base/random.h"

namespace hyobscure::data {

/// Draws an index with probability proportional to its weight, in constant time (Walker's alias method).
class WeightedChoice {
 public:
  explicit WeightedChoice(const std::vector<double>& weights) : slots_(weights.size()) {
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    std::vector<std::size_t> small, large;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      slots_[i] = {weights[i] / mean, i};
      (slots_[i].keep < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
      const std::size_t poor = small.back(), rich = large.back();
      small.pop_back();
      slots_[poor].alias = rich;
      slots_[rich].keep -= 1 - slots_[poor].keep;
      if (slots_[rich].keep < 1) {
        large.pop_back();
        small.push_back(rich);
      }
    }
  }

  std::size_t draw(RandomStream& random) const {
    const std::size_t i = random.below(slots_.size());
    const Slot slot = slots_[i];  // both at hand: a coin that no processor can foresee becomes no jump
    return random.uniform() < slot.keep ? i : slot.alias;
  }

 private:
  struct Slot {
    double keep = 0;
    std::size_t alias = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace hyobscure::data
