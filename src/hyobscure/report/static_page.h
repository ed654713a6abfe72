#pragma once

#include <string>

#include "hyobscure/base/json.h"

namespace hyobscure::report {

/// The facts of a report, with their verdict, as HTML without a script: what browsers show where scripts are
/// off. Text of users is escaped; charts are their tables.
[[nodiscard]] std::string static_page(const Json& facts);

}  // namespace hyobscure::report
