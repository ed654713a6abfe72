#pragma once

#include "hyobscure/base/json.h"

namespace hyobscure::report {

/// Adds to the facts of a run what follows from them: `verdict` and, of a release, `evidence`. Whatever
/// stands there is replaced, so that the page, its text and programs read the same sentences.
void add_derived_facts(Json& facts);

}  // namespace hyobscure::report
