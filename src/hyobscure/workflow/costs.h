#pragma once

#include <string>
#include <vector>

#include "hyobscure/base/machine_speed.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/fit/inspection.h"

namespace hyobscure::workflow {

/// What was measured on the way to an inspection.
struct MeasuredWork {
  double reading_seconds = 0;  ///< of the features, from the source
  double machine_speed = 1;    ///< machine_speed() around that time
};

/// What a fit will take after the census, by the clock (0: it is short), and where that is minutes, what else
/// could be done.
struct FitPrediction {
  double seconds = 0;
  std::string advice = {};
};
[[nodiscard]] FitPrediction predicted_fit(const data::People& people, const data::Spec& spec,
                                          const census::Census& census);

/// What `fit`, `publish`, `verify` and `audit` of the spec would take by the clock and of memory, and which
/// setting to change where that is long. Reading and census as measured, the rest by the figures of
/// docs/benchmarks.md: within a factor of 1.5 from 10,000 to a million people of `synth`.
[[nodiscard]] std::vector<obscure::CommandCost> command_costs(const data::People& people,
                                                              const data::Spec& spec,
                                                              const obscure::Inspection& inspection,
                                                              const MeasuredWork& measured);

}  // namespace hyobscure::workflow
