#pragma once

#include "hyobscure/base/json.h"

namespace hyobscure::report {

/// Whose features a published row has: those of one other person, or entries of several near people.
enum class PublishedRows { Donor, Composed };
[[nodiscard]] PublishedRows rows_of(const Json& facts);

/// The techniques of ISO/IEC 20889:2018, each with `name`, `used` and `how` (why not, where it is not used).
[[nodiscard]] Json techniques_of(const Json& facts);

}  // namespace hyobscure::report
