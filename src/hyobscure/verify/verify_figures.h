#pragma once

#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// The figures of the groups are what their people give.
void check_group_figures(const published::Manifest& manifest, Findings& findings);

/// Leakages are stated in steps of 1, 2 or 5 times a power of ten that are not below this, in bits.
[[nodiscard]] double least_leakage_step(double people);

/// The step before 1, 2 or 5 times a power of ten: 0.5 before 1, 1 before 2, 2 before 5; 0 before 0.
[[nodiscard]] double step_before(double step);

struct StatedFigure {
  double value;
  double least;  ///< no step below it is stated
};
struct Between {
  double low, high;
};
/// Whether some number between the two gives the stated figure when it is rounded up to the next step.
[[nodiscard]] bool is_rounded_up(StatedFigure stated, Between number);

/// No figure of the manifest is fine enough to compute a secret from, and none stands there that publish does
/// not write.
void check_figures(const published::Manifest& manifest, Findings& findings);

}  // namespace hyobscure::verify
