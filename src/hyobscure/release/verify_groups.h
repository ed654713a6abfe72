#pragma once

#include <cstdint>
#include <optional>

#include "hyobscure/release/manifest.h"
#include "hyobscure/release/verify_findings.h"

namespace hyobscure::release {

/// The groups by themselves: labels, covers, numbers of values.
void check_groups(const Manifest& manifest, Findings& findings);

/// Whether it covers a single value.
[[nodiscard]] bool is_exact(const obscure::Cover& cover);

/// How many secrets a group lists; absent where it covers ranges.
[[nodiscard]] std::optional<std::int64_t> listed_values(const Manifest& manifest,
                                                        const obscure::Group& group);

}  // namespace hyobscure::release
