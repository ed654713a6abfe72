#include "hyobscure/obscure/neighbours/direction.h"

#include <Eigen/Core>
#include <utility>

namespace hyobscure::obscure {
namespace {

// Mean 0, because a direction common to all separates nobody, and length 1.
bool normalise(std::vector<float>& weights) {
  Eigen::Map<Eigen::ArrayXf> w(weights.data(), static_cast<Eigen::Index>(weights.size()));
  w -= w.mean();
  const float length = w.matrix().norm();
  if (!(length > 0)) return false;
  w /= length;
  return true;
}

}  // namespace

void Direction::learn(std::vector<std::uint32_t> sample, int power_steps, RandomStream& random) {
  forget();
  sample_ = std::move(sample);
  weights_.resize(sample_.size());
  for (float& weight : weights_) weight = static_cast<float>(2 * random.uniform() - 1);
  for (int step = 0; step < power_steps; ++step) {
    if (step > 0) {
      for (std::size_t s = 0; s < sample_.size(); ++s) weights_[s] = project(sample_[s]);
      forget();
    }
    if (!normalise(weights_)) return;  // all alike: any cut is as good
    for (std::size_t s = 0; s < sample_.size(); ++s) add_row(sample_[s], weights_[s]);
  }
}

float Direction::project(std::uint32_t i) const {
  float sum = 0;
  for (std::size_t e = 0; e < pool_.entries(i); ++e) sum += along_[pool_.items(i)[e]] * pool_.feature(i)[e];
  return sum * pool_.length_scale[i];
}

void Direction::add_row(std::uint32_t i, float weight) {
  const float scaled = weight * pool_.length_scale[i];
  for (std::size_t e = 0; e < pool_.entries(i); ++e)
    along_[pool_.items(i)[e]] += scaled * pool_.feature(i)[e];
}

// Only what the sample has touched: there may be more columns than a leaf has entries.
void Direction::forget() {
  for (const std::uint32_t i : sample_)
    for (std::size_t e = 0; e < pool_.entries(i); ++e) along_[pool_.items(i)[e]] = 0;
}

}  // namespace hyobscure::obscure
