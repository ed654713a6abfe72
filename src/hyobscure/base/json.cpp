#include "hyobscure/base/json.h"

#include <algorithm>

namespace hyobscure {
namespace {

/// The position behind the string that opens at `quote`.
std::size_t end_of_string(std::string_view text, std::size_t quote) {
  for (std::size_t at = quote + 1;; ++at) {
    at = text.find('"', at);
    if (at == text.npos) return text.size();
    // The quote belongs to the string where an odd number of backslashes stands before it.
    const std::size_t last = text.find_last_not_of('\\', at - 1);
    if ((at - last) % 2 == 1) return at + 1;
  }
}

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  for (std::size_t at = 0; (at = text.find_first_of("\"[]{}", at)) != text.npos;) {
    if (text[at] == '"') {
      at = end_of_string(text, at);
      continue;
    }
    if (text[at] == '[' || text[at] == '{')
      deepest = std::max(deepest, ++depth);
    else if (depth > 0)
      --depth;
    ++at;
  }
  return deepest;
}

}  // namespace

Json parse_json(std::string_view text) {
  if (depth_of(text) > kDeepestJson)
    throw Json::other_error::create(599, "nested too deeply", static_cast<const Json*>(nullptr));
  return Json::parse(text);
}

}  // namespace hyobscure
