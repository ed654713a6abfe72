#pragma once

#include <filesystem>
#include <string>

#include "hyobscure/data/spec/spec.h"

namespace hyobscure::report {

/// A zip archive with what another party needs to repeat an audit, beside the original data and the release:
/// README.txt, manifest.json (and its signature), facts.json and report.html (shared_facts.h), spec.toml,
/// versions.json, SHA256SUMS. No key, seed or mechanism, no path, no id, no cell; no time, so that the same
/// audit gives the same bytes. `facts`: as report_facts gives them.
[[nodiscard]] std::string bundle(const std::string& facts, const data::Spec& spec,
                                 const std::filesystem::path& release);

}  // namespace hyobscure::report
