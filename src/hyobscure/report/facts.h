#pragma once

#include <filesystem>
#include <string>

#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::report {

/// What is known of a run; what is absent is left out of the report.
struct ReportInput {
  const data::Spec& spec;
  const data::Reading& reading;
  const obscure::Mechanism* mechanism = nullptr;
  const published::Manifest* manifest = nullptr;
  std::filesystem::path release_folder = {};
  const verify::Verification* verification = nullptr;
  const audit::Audit* audit = nullptr;
  std::string comparison = {};  ///< JSON of a comparison, with or without audits
};

/// The facts of a run as one JSON object ("report facts" of docs/formats.md), the input of html_report().
/// Throws InputError for a comparison of other data.
[[nodiscard]] std::string report_facts(const ReportInput& input);

}  // namespace hyobscure::report
