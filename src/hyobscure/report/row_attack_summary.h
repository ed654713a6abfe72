#pragma once

#include <string>

#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/base/json.h"

namespace hyobscure::report {

/// Of the attacks that look for a person's row, and of the people drawn again; nothing for what was not
/// measured.
[[nodiscard]] std::string row_attacks_text(const audit::Audit& audit);
[[nodiscard]] std::string beyond_sample_text(const audit::Audit& audit);

/// Adds `known_entries`, `matching` and `beyond_the_sample` (docs/formats.md).
void add_row_attack_facts(Json& json, const audit::Audit& audit);

}  // namespace hyobscure::report
