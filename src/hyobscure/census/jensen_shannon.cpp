#include "hyobscure/census/jensen_shannon.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace hyobscure::census {
namespace {

// The step of the trapezoid rule and its number of terms. A longer step lets the periodic images of the
// kernel in, a shorter one cuts off its spectrum: at 0.18 both errors are about the same.
constexpr double kStep = 0.18;
constexpr int kTerms = 20;
constexpr int kWidth = 2 * kTerms + 1;

double spectrum(double w) { return 2 / std::log(4.0) / std::cosh(std::numbers::pi * w) / (1 + 4 * w * w); }

Eigen::VectorXd feature_scale() {
  Eigen::VectorXd weight(kWidth);
  weight(0) = spectrum(0);
  double total = weight(0);
  for (int j = 1; j <= kTerms; ++j) {
    weight(2 * j - 1) = weight(2 * j) = 2 * spectrum(j * kStep);
    total += weight(2 * j);
  }
  return (weight / total).cwiseSqrt();
}

// sqrt(x) times 1, cos a, sin a, cos 2a, sin 2a, ... with a = kStep log x, by Chebyshev's recurrence.
void raw_features(std::span<const double> values, Eigen::Ref<Eigen::MatrixXd> features) {
  const Eigen::Map<const Eigen::ArrayXd> given(values.data(), static_cast<Eigen::Index>(values.size()));
  const Eigen::ArrayXd x =
      given.max(std::numeric_limits<double>::min());  // a share may have underflowed to 0
  const Eigen::ArrayXd angle = kStep * x.log();
  const Eigen::ArrayXd twice_cosine = 2 * angle.cos();
  features.col(0) = x.sqrt();
  features.col(1) = features.col(0).array() * twice_cosine / 2;
  features.col(2) = features.col(0).array() * angle.sin();
  features.col(3) = features.col(1).array() * twice_cosine - features.col(0).array();
  features.col(4) = features.col(2).array() * twice_cosine;
  for (int j = 5; j < kWidth; ++j)
    features.col(j) = features.col(j - 2).array() * twice_cosine - features.col(j - 4).array();
}

}  // namespace

FeatureMap jensen_shannon_features() { return {.scale = feature_scale(), .raw = raw_features}; }

}  // namespace hyobscure::census
