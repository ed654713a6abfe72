#pragma once

#include <string>

#include "hyobscure/audit/attack.h"
#include "hyobscure/base/json.h"
#include "hyobscure/study/audit.h"
#include "hyobscure/study/fit_for_use.h"

namespace hyobscure::report {

[[nodiscard]] std::string attacker_name(const audit::AttackResult& attack);  ///< "random forest"
[[nodiscard]] std::string scenario_name(audit::Scenario scenario);           ///< "I"
/// What `error` of an attack is: "mean absolute error", "share of wrong guesses".
[[nodiscard]] std::string error_name(const study::Audit& audit);

[[nodiscard]] Json estimate_json(const audit::Estimate& estimate);
[[nodiscard]] Json utility_json(const audit::UtilityResult& utility);
/// As docs/formats.md has it under "report facts".
[[nodiscard]] Json audit_facts(const study::Audit& audit);
/// `promise` of `fit --json`.
[[nodiscard]] Json kept_promise_facts(const study::KeptPromise& promise);

}  // namespace hyobscure::report
