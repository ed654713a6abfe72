#pragma once

#include <filesystem>

#include "hyobscure/published/manifest.h"
#include "hyobscure/verify/verify_findings.h"

namespace hyobscure::verify {

/// Whether areas.geojson, which must be there where a secret is a place, draws the cells that the manifest
/// lists: found from the polygons themselves, line by line.
void check_areas(const std::filesystem::path& folder, const published::Manifest& manifest,
                 Findings& findings);

}  // namespace hyobscure::verify
