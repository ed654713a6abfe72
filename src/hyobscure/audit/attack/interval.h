#pragma once

#include <span>

#include "hyobscure/base/numeric.h"

namespace hyobscure::audit {

/// A mean with its 95 % interval.
struct Estimate {
  double mean = kUnset;
  double low = kUnset;
  double high = kUnset;

  bool above_zero() const { return low > 0; }
};

/// mean -+ t sqrt(s^2 (1/n + tested_per_known)), t of n-1 degrees of freedom.
///
/// With tested_per_known = 0 this is Student's interval of independent values. Repeated splits of the same
/// people are not independent: their training sets overlap, and s^2/n understates the variance of their mean.
/// tested_per_known = n_test / n_train corrects that (Nadeau and Bengio 2003; for repeated folds Bouckaert
/// and Frank 2004). It is a correction that works, not a proof: no unbiased estimate exists (Bengio and
/// Grandvalet 2004). Needs at least two values.
[[nodiscard]] Estimate estimate(std::span<const double> values, double tested_per_known = 0);

/// The number that |t| of so many degrees of freedom exceeds with probability 5 %; at least 1.
[[nodiscard]] double student_t_95(int degrees);

}  // namespace hyobscure::audit
