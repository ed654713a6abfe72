#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "hyobscure/base/numeric.h"

namespace hyobscure {

/// Keys stay in the order in which they were written. Not a public header: users of the library need no JSON.
using Json = nlohmann::ordered_json;

/// No file of ours is nested deeper. What is built from deeper text is taken apart by as many calls within
/// calls, and a text of a few hundred kilobytes can exhaust the stack.
constexpr std::size_t kDeepestJson = 64;

/// Text of somebody else. Throws Json::exception where it is no JSON, or nested deeper than kDeepestJson.
Json parse_json(std::string_view text);

// NaN, which JSON does not have, is written as null: the value of what was not computed.
inline Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
inline double number(const Json& json) { return json.is_null() ? kUnset : json.get<double>(); }

inline Json optional_number(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }
inline std::optional<double> optional_number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

}  // namespace hyobscure
