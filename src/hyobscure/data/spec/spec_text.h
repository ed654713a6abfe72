#pragma once

#include <string>
#include <vector>

#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

/// Settings as a spec has them: those that were given, by sections.
[[nodiscard]] std::string spec_text(const std::vector<SettingValue>& settings);

}  // namespace hyobscure::data
