#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "hyobscure/base/numeric.h"

namespace hyobscure {

/// Keys stay in the order in which they were written. Not a public header: users of the library need no JSON.
using Json = nlohmann::ordered_json;

// NaN, which JSON does not have, is written as null: the value of what was not computed.
inline Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
inline double number(const Json& json) { return json.is_null() ? kUnset : json.get<double>(); }

inline Json optional_number(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }
inline std::optional<double> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace hyobscure
