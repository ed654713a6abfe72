#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hyobscure::data {

/// The word of `known` that is nearest to `word`, or nothing where none is near: for "did you mean".
std::optional<std::string> nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace hyobscure::data
