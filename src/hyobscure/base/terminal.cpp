#include "hyobscure/base/terminal.h"

#include <fmt/format.h>

#include <algorithm>

namespace hyobscure {
namespace {

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8
};

/// The first letter of a text that is not empty.
Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80   ? 1
                            : byte(0) < 0xC2 ? 0
                            : byte(0) < 0xE0 ? 2
                            : byte(0) < 0xF0 ? 3
                            : byte(0) < 0xF5 ? 4
                                             : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  return {code, bytes};
}

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

/// Ends of lines by other names, and what makes letters run the other way.
bool is_layout(char32_t code) {
  return (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x061C;
}

std::string visible(std::string_view text, std::string_view allowed) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_letter(text);
    if (bytes == 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if ((is_control(code) && allowed.find(text[0]) == allowed.npos) || is_layout(code))
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    else
      result += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

}  // namespace

std::string for_terminal(std::string_view text) { return visible(text, "\n\t"); }

std::string one_line(std::string_view text) { return visible(text, ""); }

}  // namespace hyobscure
