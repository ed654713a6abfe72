#pragma once

#include <limits>

namespace hyobscure::solve {

/// How far a published cluster (or donor) j may move the probability of a value y of its group:
///
///   least <= P(y | j, group) / P(y | group) <= most      for every j that is published and every y
///
/// Linear in the channel: least q(y) R_j <= v_j(y) <= most q(y) R_j, in the notation of channel.md and
/// person_channel.md.
struct LiftLimits {
  double least = 0;                                       ///< 0: any value may be ruled out; at most 1
  double most = std::numeric_limits<double>::infinity();  ///< at least 1

  bool has_least() const { return least > 0; }
  bool has_most() const { return most < std::numeric_limits<double>::infinity(); }
  bool any() const { return has_least() || has_most(); }
};

}  // namespace hyobscure::solve
