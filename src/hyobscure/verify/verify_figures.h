#pragma once

#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// No figure of the manifest is fine enough to compute a secret from, and none stands there that publish does
/// not write.
void check_figures(const published::Manifest& manifest, Findings& findings);

}  // namespace hyobscure::verify
