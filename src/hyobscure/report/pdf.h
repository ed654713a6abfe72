#pragma once

#include <filesystem>
#include <string>

#include "hyobscure/base/progress.h"

namespace hyobscure::report {

/// The Chromium or Chrome that prints pages: the one that HYOBSCURE_CHROMIUM names, or the first on PATH.
/// Throws InputError, which says what to do instead, where there is none.
[[nodiscard]] std::filesystem::path printing_browser();

/// A page of html_report on A4, as PDF. The browser gets a profile of its own in a private folder that is
/// removed, no network, and no other file. Throws InputError where it fails, and Stopped.
[[nodiscard]] std::string pdf_of(const std::string& html, const std::filesystem::path& browser,
                                 const Progress& progress = {});

}  // namespace hyobscure::report
