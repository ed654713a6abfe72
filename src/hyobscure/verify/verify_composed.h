#pragma once

#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_tables.h"

namespace hyobscure::verify {

/// Of composed rows, against the original. The people of a pool, who share group and kept cells, are those
/// who may have given an entry: an item with its value and time, or the cell of a column, or an element of a
/// set.
///
///   every entry is that of somebody of the pool; items, categories and elements are had by `owners` of them
///   no row is the true row of fewer than `owners` of them
///
/// `owners` as the manifest states it. Reads org_people (verify_original.h); `used` is SQL, of an event `s`
/// of the original: whether it may be published. Leaves rel_rows and org_rows, as donors' rows have them.
void check_composed(const published::Manifest& manifest, const Original& original,
                    const LoadedRelease& release, const std::string& used, const Progress& progress,
                    Findings& findings);

}  // namespace hyobscure::verify
