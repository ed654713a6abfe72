#include "hyobscure/census/jensen_shannon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "hyobscure/census/distance.h"

namespace hyobscure::census {
namespace {

Eigen::VectorXd psi(const FeatureMap& map, double x) {
  Eigen::VectorXd features(map.scale.size());
  map.raw(x, features.data());
  return map.scale.cwiseProduct(features);
}

// The kernel on its own: 1 against e^-t. The error of a pair of rows is at most log 2 times the sum over
// items of max(p, q) times the error here, and those maxima add up to at most 2.
TEST(JensenShannonFeatures, ErrOverAllRatiosByLessThanPromised) {
  const FeatureMap map = jensen_shannon_features();
  for (double t = 0; t < 200; t += 0.01) {
    const double y = std::exp(-t);
    const double exact = (std::log1p(y) + y * (t + std::log1p(y))) / 2 / std::numbers::ln2;
    EXPECT_NEAR(psi(map, 1).dot(psi(map, y)), exact, kJensenShannonError / 2 / std::numbers::ln2) << t;
  }
}

TEST(JensenShannonFeatures, ReturnAnEntryAsItsOwnProduct) {
  const FeatureMap map = jensen_shannon_features();
  for (const double x : {1.0, 0.5, 0.1, 1e-3, 1e-9, 1e-100, 1e-300}) {
    EXPECT_NEAR(psi(map, x).squaredNorm() / x, 1, 1e-12) << x;
  }
}

TEST(JensenShannonFeatures, ScaleWithTheirEntries) {
  // k(cx, cy) = c k(x, y): a share counts by its ratio to the other.
  const FeatureMap map = jensen_shannon_features();
  const double product = psi(map, 0.3).dot(psi(map, 0.02));
  for (const double factor : {0.5, 1e-3, 1e-9})
    EXPECT_NEAR(psi(map, 0.3 * factor).dot(psi(map, 0.02 * factor)), factor * product, 1e-12 * factor);
}

TEST(JensenShannonFeatures, AreThePowersOfOneAngle) {
  // distance.md: sqrt(x) times 1, cos(j L log x) and sin(j L log x), L = 0.18, j = 1 .. 20.
  const FeatureMap map = jensen_shannon_features();
  ASSERT_EQ(map.scale.size(), 41);
  for (const double x : {1.0, 0.7, 1e-2, 1e-8, 1e-40}) {
    Eigen::VectorXd raw(41);
    map.raw(x, raw.data());
    EXPECT_EQ(raw(0), std::sqrt(x));
    for (int j = 1; j <= 20; ++j) {
      const double angle = j * 0.18 * std::log(x);
      const double error = (1e-14 + 5e-16 * std::abs(angle)) * std::sqrt(x);  // the angle itself is rounded
      EXPECT_NEAR(raw(j), std::sqrt(x) * std::cos(angle), error) << x << ' ' << j;
      EXPECT_NEAR(raw(20 + j), std::sqrt(x) * std::sin(angle), error) << x << ' ' << j;
    }
    EXPECT_LE(raw.cwiseAbs().maxCoeff(), map.largest);
  }
}

TEST(JensenShannonFeatures, OfAShareThatUnderflowedAreFinite) {
  const FeatureMap map = jensen_shannon_features();
  for (const double x : {0.0, std::numeric_limits<double>::denorm_min()})
    EXPECT_TRUE(psi(map, x).allFinite());
}

}  // namespace
}  // namespace hyobscure::census
