#pragma once

#include "hyobscure/base/json.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/manifest.h"

namespace hyobscure::report {

/// The facts of a run without what speaks of single people or places of the machine, for a party that is to
/// repeat the audit:
///
///   left out   counts finer than the groups, the exchange of features, the search, details of checks, the
///              date; settings that name files, SQL or a seed
///   coarse     leakage and distance as the manifest has them; exact figures of the informed attacker and
///              figures of attacks to two digits, in the attacker's favour where they are exact
///
/// What follows from the facts is derived again from what is left. Coarse figures are still functions of the
/// secrets: the result is for auditors, not for the public.
[[nodiscard]] Json shared_facts(const Json& facts, const data::Spec& spec,
                                const published::Manifest& manifest);

/// The settings that were given, without paths, SQL and seeds.
[[nodiscard]] std::vector<data::SettingValue> shared_settings(const data::Spec& spec);
/// The same as a spec that can be read: files have names without folders, to be put in place.
[[nodiscard]] std::string shared_spec(const data::Spec& spec);

}  // namespace hyobscure::report
