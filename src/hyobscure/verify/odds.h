#pragma once

#include <algorithm>
#include <cmath>

namespace hyobscure::verify {

// Bounds on what chance does to a sum of independent draws. They hold for any number of draws and any
// distribution (Hoeffding 1963), so a good release fails a check no more often than stated.

/// How often a good release fails a check that depends on its draws, at most.
inline constexpr double kOdds = 1e-9;

/// D(p || q) of two coins, in nats.
inline double coin_divergence(double p, double q) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0.0; };
  return part(p, q) + part(1 - p, 1 - q);
}

/// The mean of independent numbers x_i, each in an interval of length `range_i`, is further than this above
/// its expectation with at most these odds: sqrt( ln(1/odds) sum range_i^2 / 2 ) / n.
inline double hoeffding_radius(double sum_of_squared_ranges, double n, double odds) {
  return std::sqrt(std::log(1 / odds) * sum_of_squared_ranges / 2) / n;
}

/// Of `all` people, `marked` are of a group; `drawn` of all stand in a block of rows, `found` of them of the
/// group. How likely that or something more extreme to the same side is where the order is random, as
/// ln(1/odds) at least: exp(-drawn D(found/drawn || marked/all)), and the same with group and block
/// exchanged.
inline double surprise_in_block(double all, double marked, double drawn, double found) {
  if (marked <= 0 || drawn <= 0 || marked >= all || drawn >= all) return 0;
  return std::max(drawn * coin_divergence(found / drawn, marked / all),
                  marked * coin_divergence(found / marked, drawn / all));
}

}  // namespace hyobscure::verify
