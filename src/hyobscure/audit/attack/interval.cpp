#include "hyobscure/audit/attack/interval.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace hyobscure::audit {
namespace {

// P(|T| <= t): the finite series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
double central_probability(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(degrees));
  const double cosine = std::cos(angle), sine = std::sin(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1, sum = 0;
  for (int k = odd ? 1 : 0; k <= degrees - 2; k += 2) {
    sum += term;
    term *= cosine * cosine * (k + 1) / (k + 2);
  }
  return odd ? (angle + sine * sum) * 2 / std::numbers::pi : sine * sum;
}

constexpr int kNearlyNormal = 1000;  // from here on t is 1.96 to three digits and the series only longer
constexpr double kConfidence = 0.95;

}  // namespace

double student_t_95(int degrees) {
  assert(degrees >= 1);
  const int used = std::min(degrees, kNearlyNormal);
  double low = 1.9, high = 13;  // 1.96 for many degrees, 12.7 for one
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (central_probability(middle, used) < kConfidence ? low : high) = middle;
  }
  return high;
}

Estimate estimate(std::span<const double> values, double tested_per_known) {
  assert(values.size() >= 2);
  const auto n = static_cast<double>(values.size());
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double value : values) squares.add((value - mean) * (value - mean));
  const double variance = squares.value() / (n - 1);
  const double half =
      student_t_95(static_cast<int>(values.size()) - 1) * std::sqrt(variance * (1 / n + tested_per_known));
  return {.mean = mean, .low = mean - half, .high = mean + half};
}

}  // namespace hyobscure::audit
