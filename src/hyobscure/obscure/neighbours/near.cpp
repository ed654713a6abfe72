#include "hyobscure/obscure/neighbours/near.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace hyobscure::obscure {

void near_probabilities(const NearDraw& draw, std::span<const float> distances, std::size_t self,
                        std::span<double> probabilities) {
  if (draw.decay) {
    for (std::size_t v = 0; v < distances.size(); ++v)
      probabilities[v] = std::exp(-*draw.decay * static_cast<double>(distances[v]));
  } else {
    for (std::size_t v = 0; v < distances.size(); ++v)
      probabilities[v] = std::max(0.0, 1 - static_cast<double>(distances[v]));
    probabilities[self] = 0;
  }
  double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  if (sum == 0) {
    std::ranges::fill(probabilities, 1.0);
    if (distances.size() > 1) probabilities[self] = 0;
    sum = std::max(1.0, static_cast<double>(distances.size()) - 1);
  }
  for (double& p : probabilities) p /= sum;
}

NearRows::NearRows(const NearDraw& draw, const data::SparseRows& features,
                   std::span<const std::uint32_t> members)
    : draw_(draw), distances_(census::distance_named(draw.distance), features, members) {}

void NearRows::row(std::size_t i, std::span<double> probabilities) const {
  std::vector<float> distances(size());
  distances_.row(i, distances);
  near_probabilities(draw_, distances, i, probabilities);
}

}  // namespace hyobscure::obscure
