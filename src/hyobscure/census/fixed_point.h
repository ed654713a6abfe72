#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace hyobscure::census {

/// Numbers as whole multiples of a unit, so that their sums are exact: the same bits in any order
/// and any number of parts. A sum of `count` numbers, none larger than `largest`, never
/// overflows. The unit is at most 2^-49 of the largest for few numbers, 2^-31 for 1e9.
class FixedPoint {
 public:
  FixedPoint(double largest, std::uint64_t count) {
    const int bits = std::min(kMostBits, 62 - static_cast<int>(std::bit_width(count)));
    if (largest > 0) exponent_ = std::ilogb(largest) + 1 - bits;
    inverse_ = std::ldexp(1.0, -exponent_);
  }

  /// The nearest multiple, of halves the even one. |x| <= largest.
  std::int64_t operator()(double x) const {
    // Beyond 2^52 the last bit of a double is 1: adding so much rounds to a whole number, which are its last
    // bits.
    return std::bit_cast<std::int64_t>(x * inverse_ + kWhole) - std::bit_cast<std::int64_t>(kWhole);
  }
  double unit() const { return std::ldexp(1.0, exponent_); }

 private:
  static constexpr int kMostBits = 50;
  static constexpr double kWhole = 0x1.8p52;
  int exponent_ = 0;
  double inverse_ = 1;
};

}  // namespace hyobscure::census
