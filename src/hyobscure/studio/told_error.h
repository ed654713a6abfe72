#pragma once

#include <exception>

#include "hyobscure/base/json.h"

namespace hyobscure::studio {

/// What went wrong, as the command line says it with --json: `message`, `source`, `row`, `column`, `problem`,
/// `remedy`, and `ours` where it is a fault of the program. Never a cell.
[[nodiscard]] Json told_error(const std::exception_ptr& error);

}  // namespace hyobscure::studio
