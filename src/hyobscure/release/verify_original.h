#pragma once

#include "hyobscure/data/engine.h"
#include "hyobscure/data/spec.h"
#include "hyobscure/release/manifest.h"
#include "hyobscure/release/verify_findings.h"
#include "hyobscure/release/verify_tables.h"

namespace hyobscure::release {

/// Compares a release whose tables are loaded (and rel_groups, by load_groups) with its original. Leaves the
/// tables rel_rows and org_rows (id, label, kept, row) in the engine, `row` being a hash of all feature cells
/// of a person. Throws InputError for the spec of another release.
void verify_against(data::Engine& engine, const Manifest& manifest, const data::Spec& spec,
                    const LoadedRelease& release, Findings& findings);

}  // namespace hyobscure::release
