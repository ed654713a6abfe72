#pragma once

#include "hyobscure/data/engine/engine.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_tables.h"

namespace hyobscure::verify {

/// Compares a release whose tables are loaded (and rel_groups, by load_groups) with its original. Leaves the
/// tables rel_rows and org_rows (id, label, kept, row) in the engine, `row` being a hash of all feature cells
/// of a person.
void verify_against(const published::Manifest& manifest, const Original& original,
                    const LoadedRelease& release, const Progress& progress, Findings& findings);

/// SQL: a cell of the original, as it reads after it went through the type of the published column.
[[nodiscard]] std::string as_published(const std::string& cell, const std::string& type);

/// Throws InputError for the spec of another release: one of another shape, with other columns or secrets.
void refuse_other_release(const published::Manifest& manifest, const data::Spec& spec);

}  // namespace hyobscure::verify
