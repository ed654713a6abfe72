#pragma once

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_tables.h"

namespace hyobscure::verify {

/// Compares a release whose tables are loaded (and rel_groups, by load_groups) with its original. Leaves the
/// tables rel_rows and org_rows (id, label, kept, row) in the engine, `row` being a hash of all feature cells
/// of a person. Throws InputError for the spec of another release.
void verify_against(data::Engine& engine, const published::Manifest& manifest, const data::Spec& spec,
                    const LoadedRelease& release, Findings& findings);

}  // namespace hyobscure::verify
