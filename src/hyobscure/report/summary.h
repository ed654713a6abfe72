#pragma once

#include <optional>
#include <string>

#include "hyobscure/audit/mechanism/fit_for_use.h"
#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/audit/mechanism/trade_off.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/fit/comparison.h"
#include "hyobscure/obscure/fit/frontier.h"
#include "hyobscure/obscure/fit/inspection.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/release/publish.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::report {

/// What a command found, for people (text) and for programs (one JSON object on one line; docs/formats.md
/// names the stable keys).

std::string inspection_text(const obscure::Inspection& inspection, const data::ReadCounts& counts,
                            const data::Spec& spec);
std::string inspection_json(const obscure::Inspection& inspection, const data::ReadCounts& counts,
                            double seconds);

std::string mechanism_text(const obscure::Mechanism& mechanism, const data::ReadCounts& counts);
std::string mechanism_json(const obscure::Mechanism& mechanism, const data::ReadCounts& counts,
                           double seconds, const std::optional<audit::TargetSearch>& target = {});

/// What was promised of a mechanism, what was tried, and by how much the promise is kept.
std::string target_search_text(const audit::TargetSearch& search);

std::string release_text(const release::PublishResult& result);
std::string release_json(const release::PublishResult& result, double seconds);

/// What did not pass, and a count; `everything`: also what passed, and what this mode cannot see.
std::string verification_text(const verify::Verification& verification, bool everything = false);
std::string verification_json(const verify::Verification& verification, double seconds);
/// All checks of a release, by mode, and what each mode cannot see, as a page of documentation
/// (docs/verify.md).
std::string checks_page();

/// Attacks beside their controls, and what the release is good for.
std::string audit_text(const audit::Audit& audit, const data::Spec& spec);
std::string audit_json(const audit::Audit& audit, const data::Spec& spec, double seconds);

/// A table and a plot; the same as CSV and JSON files for other programs.
std::string frontier_text(const obscure::Frontier& frontier);
std::string frontier_csv(const obscure::Frontier& frontier);
std::string frontier_json(const obscure::Frontier& frontier);

/// Methods side by side: a table of leakage by budget, what each took, and their curves in one plot.
std::string comparison_text(const obscure::Comparison& comparison);
std::string comparison_csv(const obscure::Comparison& comparison);
std::string comparison_json(const obscure::Comparison& comparison, double seconds);

/// The same with an audit of every mechanism: attack and use of each beside their controls.
std::string trade_off_text(const audit::TradeOff& trade_off);
std::string trade_off_csv(const audit::TradeOff& trade_off);
std::string trade_off_json(const audit::TradeOff& trade_off, double seconds);

/// All keys of a spec as a page of documentation (docs/settings.md).
std::string settings_page();

}  // namespace hyobscure::report
