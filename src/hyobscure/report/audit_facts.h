#pragma once

#include <string>

#include "hyobscure/audit/attack/attack.h"
#include "hyobscure/audit/mechanism/fit_for_use.h"
#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/base/json.h"

namespace hyobscure::report {

[[nodiscard]] std::string attacker_name(const audit::AttackResult& attack);  ///< "random forest"
[[nodiscard]] std::string scenario_name(const audit::AttackResult& attack);  ///< "I", "II (10 % known)"
/// What `error` of an attack is: "mean absolute error", "share of wrong guesses".
[[nodiscard]] std::string error_name(const audit::Audit& audit);

[[nodiscard]] std::string figure(double value);                            ///< "0.437"
[[nodiscard]] std::string with_interval(const audit::Estimate& estimate);  ///< "0.437 [0.401, 0.473]"

[[nodiscard]] Json estimate_json(const audit::Estimate& estimate);
[[nodiscard]] Json utility_json(const audit::UtilityResult& utility);
/// As docs/formats.md has it under "report facts".
[[nodiscard]] Json audit_facts(const audit::Audit& audit);
/// `promise` of `fit --json`.
[[nodiscard]] Json target_search_facts(const audit::TargetSearch& search);

}  // namespace hyobscure::report
