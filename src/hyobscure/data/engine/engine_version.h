#pragma once

#include <string>

namespace hyobscure::data {

/// Of the table engine: "v1.4.2".
[[nodiscard]] std::string engine_version();

}  // namespace hyobscure::data
