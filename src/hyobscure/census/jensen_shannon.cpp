#include "hyobscure/census/jensen_shannon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hyobscure::census {
namespace {

// The step of the trapezoid rule and its number of terms. A longer step lets the periodic images of the
// kernel in, a shorter one cuts off its spectrum: at 0.18 both errors are about the same.
constexpr double kStep = 0.18;
constexpr int kTerms = 20;
constexpr int kLane = 4;  // terms computed together
static_assert(kTerms % kLane == 0);

double spectrum(double w) { return 2 / std::log(4.0) / std::cosh(std::numbers::pi * w) / (1 + 4 * w * w); }

// The order of the features: 1, then all cosines, then all sines.
Eigen::VectorXd feature_scale() {
  Eigen::VectorXd weight(1 + 2 * kTerms);
  weight(0) = spectrum(0);
  double total = weight(0);
  for (int j = 1; j <= kTerms; ++j) {
    weight(j) = weight(kTerms + j) = 2 * spectrum(j * kStep);
    total += weight(j);
  }
  return (weight / total).cwiseSqrt();
}

// sqrt(x) times 1, cos a, cos 2a, ..., sin a, sin 2a, ... with a = kStep log x. The powers of e^ia: the first
// lane one by one, every other lane is the one before times e^4ia, which rounds five times at most.
void raw_features(double x, double* features) {
  x = std::max(x, std::numeric_limits<double>::min());  // a share may have underflowed to 0
  const double angle = kStep * std::log(x), root = std::sqrt(x);
  const double cosine = std::cos(angle), sine = std::sin(angle);
  double* cosines = features + 1;
  double* sines = cosines + kTerms;
  double power_cosines[kLane] = {cosine}, power_sines[kLane] = {sine};
  for (int k = 1; k < kLane; ++k) {
    power_cosines[k] = power_cosines[k - 1] * cosine - power_sines[k - 1] * sine;
    power_sines[k] = power_sines[k - 1] * cosine + power_cosines[k - 1] * sine;
  }
  using Lane = Eigen::Array<double, kLane, 1>;
  const double turn_cosine = power_cosines[kLane - 1], turn_sine = power_sines[kLane - 1];
  Lane c = root * Eigen::Map<const Lane>(power_cosines), s = root * Eigen::Map<const Lane>(power_sines);
  features[0] = root;
  for (int j = 0; j < kTerms; j += kLane) {
    Eigen::Map<Lane>(cosines + j) = c;
    Eigen::Map<Lane>(sines + j) = s;
    const Lane next = c * turn_cosine - s * turn_sine;
    s = s * turn_cosine + c * turn_sine;
    c = next;
  }
}

}  // namespace

FeatureMap jensen_shannon_features() { return {.scale = feature_scale(), .raw = raw_features}; }

}  // namespace hyobscure::census
