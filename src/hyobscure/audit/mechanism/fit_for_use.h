#pragma once

#include <optional>
#include <vector>

#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/audit/utility/task.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::audit {

/// A budget of the search, and what it costs the promised use.
struct TriedBudget {
  double budget = kUnset;
  /// Per cent of what true features give; of a promised distance: per cent of that of any donor.
  audit::Estimate loss;
  double leakage = kUnset;  ///< bits
  bool kept = false;        ///< the upper end of the loss is within the promise
};

/// What was promised, and the proof by measurement.
struct TargetSearch {
  data::UtilityTarget target;
  double limit = kUnset;                        ///< the largest loss that keeps it, in units of the measure
  std::optional<audit::UtilityResult> utility;  ///< at the mechanism; nothing for a distance, which is known
  std::vector<TriedBudget> tried;               ///< by increasing budget
  TriedBudget chosen;                           ///< the one of the mechanism
};

struct FitForUse {
  obscure::Mechanism mechanism;
  TargetSearch search;
};

/// The most private mechanism whose release stays good for the use that channel.budget names:
///
///   maximise  budget   subject to   upper end of the 95 % interval of the loss <= percent of `unobscured`
///
/// The loss grows with the budget and the leakage falls with it, so the budget is bisected over the range of
/// the spec's method, to 1/128 of it. All budgets are audited on the same splits and with the same key of the
/// draws, which the mechanism keeps: `audit` finds the same figures again. They differ from budget to budget
/// by little but the channel; still the chosen one is the luckiest of some nine, and its interval does not
/// count that.
///
/// Cost: some nine fits on the census, each with one utility of the audit; a promised distance needs one fit.
/// Stopped after a budget that keeps the promise, it returns the best so far, not converged. Throws
/// InputError where no budget keeps the promise, or the use cannot be measured on such data.
[[nodiscard]] FitForUse fit_for_use(const data::People& people, const data::Spec& spec,
                                    const census::Census& census, const std::optional<audit::TaskLabel>& task,
                                    const Progress& progress = {});

}  // namespace hyobscure::audit
