#pragma once

#include <string>

#include "hyobscure/base/json.h"
#include "hyobscure/obscure/fit/inspection.h"

namespace hyobscure::report {

/// The columns of an inspection, what of them would be refused, and secrets that cannot be; empty where they
/// were not looked at.
std::string columns_text(const obscure::Inspection& inspection);
Json columns_json(const obscure::Inspection& inspection);
Json implausible_json(const obscure::Inspection& inspection);

}  // namespace hyobscure::report
