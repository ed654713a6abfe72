#include "hyobscure/published/area_file.h"

#include <cmath>

#include "hyobscure/base/json.h"
#include "hyobscure/published/outline.h"

namespace hyobscure::published {
namespace {

/// A centimetre; enough, and short to read.
double rounded(double degrees) { return std::round(degrees * 1e7) / 1e7; }

Json position(const data::Grid& grid, data::GridCell corner) {
  if (!grid.on_earth) return {corner.column, corner.row};
  return {rounded(grid.west + corner.column * grid.width), rounded(grid.south + corner.row * grid.height)};
}

Json ring_json(const data::Grid& grid, const Ring& ring) {
  Json json = Json::array();
  for (const data::GridCell corner : ring) json.push_back(position(grid, corner));
  return json;
}

Json polygon_json(const data::Grid& grid, const Polygon& polygon) {
  Json json = Json::array({ring_json(grid, polygon.outside)});
  for (const Ring& hole : polygon.holes) json.push_back(ring_json(grid, hole));
  return json;
}

Json feature_json(const data::Grid& grid, const Group& group, const Cover& area) {
  Json polygons = Json::array();
  for (const Polygon& polygon : outline(area.cells)) polygons.push_back(polygon_json(grid, polygon));
  Json feature = {{"type", "Feature"}};
  feature["properties"] = {{"label", group.label}, {"people", group.people}, {"cells", area.cells.size()}};
  feature["geometry"] = {{"type", "MultiPolygon"}, {"coordinates", std::move(polygons)}};
  return feature;
}

}  // namespace

std::string areas_geojson(const Manifest& manifest) {
  const std::size_t axis = manifest.spatial_axis().value();
  std::string text = "{\"type\": \"FeatureCollection\",\n";
  if (!manifest.grid->on_earth) text += " \"units\": \"columns and rows of a grid, not degrees\",\n";
  text += " \"features\": [";
  for (std::size_t g = 0; g < manifest.groups.size(); ++g) {
    const Group& group = manifest.groups[g];
    text += (g == 0 ? "\n  " : ",\n  ") + feature_json(*manifest.grid, group, group.covers[axis]).dump();
  }
  return text + "\n ]}\n";
}

}  // namespace hyobscure::published
