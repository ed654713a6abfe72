#pragma once

#include <cstdint>
#include <optional>

#include "hyobscure/base/progress.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// The groups by themselves: labels, covers, numbers of values.
void check_groups(const published::Manifest& manifest, const Progress& progress, Findings& findings);

/// Whether it covers a single value.
[[nodiscard]] bool is_exact(const published::Cover& cover);

/// How many secrets a group lists; absent where it covers ranges.
[[nodiscard]] std::optional<std::int64_t> listed_values(const published::Manifest& manifest,
                                                        const published::Group& group);

}  // namespace hyobscure::verify
