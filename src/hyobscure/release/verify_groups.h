#pragma once

#include "hyobscure/release/manifest.h"
#include "hyobscure/release/verify_findings.h"

namespace hyobscure::release {

/// What the manifest alone tells of its groups: labels differ, no secret is in two groups, areas (and listed
/// combinations of several secrets) are connected, declared values are within (l, beta) and as many as the
/// group lists. Warns of what is published exactly.
void check_groups(const Manifest& manifest, Findings& findings);

}  // namespace hyobscure::release
