#pragma once

#include <string>
#include <string_view>

namespace hyobscure {

/// Base64 as RFC 4648 has it, with padding and without line breaks.
[[nodiscard]] std::string to_base64(std::string_view bytes);

/// Throws std::out_of_range for a text that to_base64 does not write.
[[nodiscard]] std::string from_base64(std::string_view text);

}  // namespace hyobscure
