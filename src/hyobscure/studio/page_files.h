#pragma once

#include <string_view>

namespace hyobscure::studio {

// The page of web/studio, as web/build.mjs bundles it; made when the program is built.
extern const std::string_view kPageHtml, kPageScript, kPageStyle;

}  // namespace hyobscure::studio
