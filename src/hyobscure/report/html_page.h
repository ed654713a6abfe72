#pragma once

#include <string_view>

namespace hyobscure::report {

/// The page without facts: HTML, style and script in one. web/build.mjs writes its definition during the
/// build.
extern const std::string_view kHtmlPage;

/// Stands in the page, once, where the facts go.
inline constexpr std::string_view kHtmlFactsPlace = "{\"facts\":\"go here\"}";
/// Stands before it, once, where the text for browsers without scripts goes.
inline constexpr std::string_view kHtmlTextPlace = "{\"text\":\"goes here\"}";

}  // namespace hyobscure::report
