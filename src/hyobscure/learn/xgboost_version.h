#pragma once

#include <string>

namespace hyobscure::learn {

/// Of the library that learns boosted trees: "1.7.4".
[[nodiscard]] std::string xgboost_version();

}  // namespace hyobscure::learn
