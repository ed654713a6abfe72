#pragma once

#include "hyobscure/release/manifest.h"
#include "hyobscure/release/verify_findings.h"

namespace hyobscure::release {

/// No figure of the manifest is fine enough to compute a secret from, and none stands there that publish does
/// not write.
void check_figures(const Manifest& manifest, Findings& findings);

}  // namespace hyobscure::release
