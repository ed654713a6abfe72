#pragma once

#include <string>
#include <string_view>

namespace hyobscure::release {

/// An id without what depends on who wrote it down: spaces around it, and of a decimal number its plus sign,
/// leading zeros, an empty fraction and the exponent. "1", "01", " 1", "+1", "1.0" and "1e0" are "1"; "x01"
/// and "0x1" stay as they are. So a ledger knows a person again whose id was text in one file and a number in
/// another; two people whose ids differ in nothing else are one to it, which refuses too much and not too
/// little.
[[nodiscard]] std::string plain_id(std::string_view id);

}  // namespace hyobscure::release
