#pragma once

#include <filesystem>
#include <string>

#include "hyobscure/data/read.h"
#include "hyobscure/data/spec.h"
#include "hyobscure/obscure/mechanism.h"
#include "hyobscure/release/manifest.h"
#include "hyobscure/release/verify.h"
#include "hyobscure/study/audit.h"

namespace hyobscure::report {

/// What is known of a run; what is absent is left out of the report.
struct ReportInput {
  const data::Spec& spec;
  const data::Reading& reading;
  const obscure::Mechanism* mechanism = nullptr;
  const release::Manifest* manifest = nullptr;
  std::filesystem::path release_folder = {};
  const release::Verification* verification = nullptr;
  const study::Audit* audit = nullptr;
  std::string comparison = {};  ///< JSON of a comparison, with or without audits
};

/// The facts of a run as one JSON object ("report facts" of docs/formats.md), the input of html_report().
/// Throws InputError for a comparison of other data.
[[nodiscard]] std::string report_facts(const ReportInput& input);

}  // namespace hyobscure::report
