#pragma once

#include <filesystem>

#include "hyobscure/release/manifest.h"
#include "hyobscure/release/verify_findings.h"

namespace hyobscure::release {

/// Whether areas.geojson, which must be there where a secret is a place, draws the cells that the manifest
/// lists: found from the polygons themselves, line by line.
void check_areas(const std::filesystem::path& folder, const Manifest& manifest, Findings& findings);

}  // namespace hyobscure::release
