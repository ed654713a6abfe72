#pragma once

#include <string>

#include "hyobscure/published/manifest.h"

namespace hyobscure::published {

/// The areas of the groups as GeoJSON (RFC 7946): a FeatureCollection, a Feature a group, each a MultiPolygon
/// of its merged cells with the properties label, people, values (distinct secrets) and cells. Degrees where
/// the grid lies on earth, to a ten-millionth; else columns and rows, which the member "units" then says. The
/// same manifest gives the same bytes. It must have a spatial axis.
[[nodiscard]] std::string areas_geojson(const Manifest& manifest);

}  // namespace hyobscure::published
