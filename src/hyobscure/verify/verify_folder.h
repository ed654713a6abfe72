#pragma once

#include <filesystem>

#include "hyobscure/base/progress.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// What may be opened: a pipe or a device may never end, and a link leads to what is no part of the release.
[[nodiscard]] bool is_regular(const std::filesystem::path& file);
/// A regular file, or a folder of regular files.
[[nodiscard]] bool is_table(const std::filesystem::path& table);

/// What the manifest says of the folder and of itself.
void check_manifest(const published::Manifest& manifest, Findings& findings);
/// There is nothing else: no other file, and in folders of tables nothing but part-00000, part-00001, ...
void check_no_other_files(const std::filesystem::path& folder, const published::Manifest& manifest,
                          Findings& findings);
/// Whether all files are there and may be opened; changed ones can still be looked into.
bool check_files(const std::filesystem::path& folder, const published::Manifest& manifest,
                 const Progress& progress, Findings& findings);

}  // namespace hyobscure::verify
