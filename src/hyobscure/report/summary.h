#pragma once

#include <optional>
#include <string>

#include "hyobscure/data/read.h"
#include "hyobscure/data/spec.h"
#include "hyobscure/obscure/comparison.h"
#include "hyobscure/obscure/frontier.h"
#include "hyobscure/obscure/inspection.h"
#include "hyobscure/obscure/mechanism.h"
#include "hyobscure/release/publish.h"
#include "hyobscure/release/verify.h"
#include "hyobscure/study/audit.h"
#include "hyobscure/study/fit_for_use.h"
#include "hyobscure/study/trade_off.h"

namespace hyobscure::report {

/// What a command found, for people (text) and for programs (one JSON object on one line; docs/json.md names
/// the stable keys).

std::string inspection_text(const obscure::Inspection& inspection, const data::ReadCounts& counts,
                            const data::Spec& spec);
std::string inspection_json(const obscure::Inspection& inspection, const data::ReadCounts& counts,
                            double seconds);

std::string mechanism_text(const obscure::Mechanism& mechanism, const data::ReadCounts& counts);
std::string mechanism_json(const obscure::Mechanism& mechanism, const data::ReadCounts& counts,
                           double seconds, const std::optional<study::KeptPromise>& kept = {});

/// What was promised of a mechanism, what was tried, and by how much the promise is kept.
std::string kept_promise_text(const study::KeptPromise& promise);

std::string release_text(const release::PublishResult& result);
std::string release_json(const release::PublishResult& result, double seconds);

std::string verification_text(const release::Verification& verification);
std::string verification_json(const release::Verification& verification, double seconds);

/// Attacks beside their controls, and what the release is good for.
std::string audit_text(const study::Audit& audit, const data::Spec& spec);
std::string audit_json(const study::Audit& audit, const data::Spec& spec, double seconds);

/// A table and a plot; the same as CSV and JSON files for other programs.
std::string frontier_text(const obscure::Frontier& frontier);
std::string frontier_csv(const obscure::Frontier& frontier);
std::string frontier_json(const obscure::Frontier& frontier);

/// Methods side by side: a table of leakage by budget, what each took, and their curves in one plot.
std::string comparison_text(const obscure::Comparison& comparison);
std::string comparison_csv(const obscure::Comparison& comparison);
std::string comparison_json(const obscure::Comparison& comparison, double seconds);

/// The same with an audit of every mechanism: attack and use of each beside their controls.
std::string trade_off_text(const study::TradeOff& trade_off);
std::string trade_off_csv(const study::TradeOff& trade_off);
std::string trade_off_json(const study::TradeOff& trade_off, double seconds);

/// All keys of a spec as a page of documentation (docs/settings.md).
std::string settings_page();

}  // namespace hyobscure::report
