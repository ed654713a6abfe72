#pragma once

#include <cmath>
#include <limits>
#include <numbers>

namespace hyobscure {

/// The value of whatever has not been computed yet.
inline constexpr double kUnset = std::numeric_limits<double>::quiet_NaN();

/// Formulas are in nats, people read bits.
inline constexpr double kBitsPerNat = std::numbers::log2e;

/// x log x, continued to 0 at 0.
inline double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

/// Adds many terms of different size without losing the small ones (Neumaier's compensated sum).
class CompensatedSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace hyobscure
