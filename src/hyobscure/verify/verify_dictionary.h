#pragma once

#include <filesystem>

#include "hyobscure/base/progress.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// Whether groups.csv and README.txt, which must be there, say what the manifest says, byte by byte.
void check_dictionary(const std::filesystem::path& folder, const published::Manifest& manifest,
                      const Progress& progress, Findings& findings);

}  // namespace hyobscure::verify
