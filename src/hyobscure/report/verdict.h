#pragma once

#include "hyobscure/base/json.h"

namespace hyobscure::report {

/// The first screen of the report, from its facts, of which any may be absent: `headline`, the lists
/// `failed`, `open` (for the reader to judge), `passes`, `not_measured` and `not_stated`, each of sentences,
/// and `figures`, a list of `title`, `figure` and `text`. The `evidence` (evidence.h) is one of the facts. It
/// speaks of what was checked and measured, not of law or permission.
[[nodiscard]] Json verdict_of(const Json& facts);

}  // namespace hyobscure::report
