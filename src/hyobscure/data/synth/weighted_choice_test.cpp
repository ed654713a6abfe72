#include "hyobscure/data/synth/weighted_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace hyobscure::data {
namespace {

TEST(WeightedChoice, DrawsEachIndexInProportionToItsWeight) {
  constexpr int kDraws = 40'000;
  for (const std::vector<double>& weights : std::vector<std::vector<double>>{
           {1}, {1, 1, 1}, {0, 5, 0, 1}, {100, 1, 1, 1, 1, 1, 1, 1}, {0.3, 0.1, 0.2, 0.4, 1e-9}}) {
    const WeightedChoice choice(weights);
    RandomStream random(Key::from_seed(weights.size()));
    std::vector<int> drawn(weights.size(), 0);
    for (int i = 0; i < kDraws; ++i) drawn[choice.draw(random)] += 1;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const double share = weights[i] / sum;
      // Five deviations: a false alarm once in 100,000 choices of seeds for all weights here together.
      const double tolerance = 5 * std::sqrt(share * (1 - share) / kDraws) + 1e-5;
      EXPECT_NEAR(drawn[i] / double(kDraws), share, tolerance) << i << " of " << weights.size();
      if (weights[i] == 0) {
        EXPECT_EQ(drawn[i], 0);
      }
    }
  }
}

}  // namespace
}  // namespace hyobscure::data
