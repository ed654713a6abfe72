#pragma once

#include <filesystem>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/engine/engine.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"
#include "hyobscure/verify/verify_tables.h"

namespace hyobscure::verify {

// A release has one form: whoever writes it has no freedom in which something could be said beside its cells.
// Here is what of that can be checked from the files; where it leaves room (verify_rules.h has a list), the
// draws are compared with those of the mechanism.

/// How a table is written, and the order of its rows. The table must have the declared columns.
void check_table_form(data::Engine& engine, const std::filesystem::path& folder,
                      const published::Manifest& manifest, const ReleasedTable& table,
                      const Progress& progress, Findings& findings);

/// New ids have the form that publish gives them.
void check_new_ids(data::Engine& engine, const published::Manifest& manifest, Findings& findings);

/// Where rows come in the order of hashes, each group is spread over all of them. Looks at rel_people.
void check_order_tells_nothing(data::Engine& engine, const published::Manifest& manifest, Findings& findings);

}  // namespace hyobscure::verify
