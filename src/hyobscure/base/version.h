#pragma once

namespace hyobscure {

/// Of the program and its library: "0.1.0".
[[nodiscard]] const char* version();

}  // namespace hyobscure
