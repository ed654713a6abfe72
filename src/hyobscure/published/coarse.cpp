#include "hyobscure/published/coarse.h"

#include <algorithm>
#include <cmath>

namespace hyobscure::published {
namespace {

constexpr double kFirstStepOfAll = 0.001;  // of leakages; what is finer says nothing to anybody
constexpr double kPeopleSteps = 10;        // the first step is so many times what one person moves

/// Correctly rounded, so that a step is the same number wherever it comes from.
double times_power_of_ten(double digit, int exponent) {
  return exponent >= 0 ? digit * std::pow(10.0, exponent) : digit / std::pow(10.0, -exponent);
}

/// The smallest of 1, 2, 5 times a power of ten that is not below x > 0.
double next_step(double x) {
  for (int exponent = static_cast<int>(std::floor(std::log10(x))) - 1;; ++exponent)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double step = times_power_of_ten(digit, exponent); step >= x) return step;
}

}  // namespace

double coarse_step(std::int64_t people) {
  const auto n = static_cast<double>(std::max<std::int64_t>(people, 2));
  return next_step(std::max(kFirstStepOfAll, kPeopleSteps * std::log2(n) / n));
}

double rounded_up_bits(double bits, std::int64_t people) {
  if (std::isnan(bits)) return bits;
  return std::max(coarse_step(people), bits > 0 ? next_step(bits) : 0.0);
}

bool is_coarse_bits(double bits, std::int64_t people) {
  return std::isnan(bits) || (std::isfinite(bits) && bits == rounded_up_bits(bits, people));
}

double rounded_up_distance(double distance) { return distance > 0 ? next_step(distance) : distance; }

bool is_coarse_distance(double distance) {
  return std::isnan(distance) ||
         (std::isfinite(distance) && distance >= 0 && distance == rounded_up_distance(distance));
}

double rounded_up_share(double share) { return std::ceil(share * 20 - 1e-9) / 20; }

double bits_of_groups(std::span<const Group> groups) {
  double people = 0, bits = 0;
  for (const Group& group : groups) people += static_cast<double>(group.people);
  for (const Group& group : groups) {
    const double share = static_cast<double>(group.people) / people;
    if (share > 0) bits -= share * std::log2(share);
  }
  return std::ceil(bits * 1e4 - 1e-6) / 1e4;
}

double sum_of_published(double a, double b) { return std::round((a + b) * 1e4) / 1e4; }

}  // namespace hyobscure::published
