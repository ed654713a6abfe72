#include "hyobscure/published/area_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyobscure/base/json.h"

namespace hyobscure::published {
namespace {

/// Three cells round a corner, and one far away.
Manifest example(bool on_earth) {
  Manifest manifest;
  manifest.kinds = {data::AxisKind::Spatial};
  manifest.grid = data::Grid{.cell_km = 1,
                             .south = on_earth ? 40.5 : 0,
                             .west = on_earth ? -74.0 : 0,
                             .height = on_earth ? 0.01 : 1,
                             .width = on_earth ? 0.0125 : 1,
                             .on_earth = on_earth};
  manifest.groups = {{.label = "west: 3 cells",
                      .covers = {{.label = "west: 3 cells", .cells = {{0, 0}, {0, 1}, {1, 0}}}},
                      .people = 7,
                      .values = 3},
                     {.label = "east: 1 cell",
                      .covers = {{.label = "east: 1 cell", .cells = {{3, 9}}}},
                      .people = 4,
                      .values = 1}};
  return manifest;
}

TEST(Areas, AFeatureAGroupWithItsOutlineInColumnsAndRows) {
  EXPECT_EQ(areas_geojson(example(false)), R"({"type": "FeatureCollection",
 "units": "columns and rows of a grid, not degrees",
 "features": [
  {"type":"Feature","properties":{"label":"west: 3 cells","people":7,"cells":3},"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[2,0],[2,1],[1,1],[1,2],[0,2],[0,0]]]]}},
  {"type":"Feature","properties":{"label":"east: 1 cell","people":4,"cells":1},"geometry":{"type":"MultiPolygon","coordinates":[[[[9,3],[10,3],[10,4],[9,4],[9,3]]]]}}
 ]}
)");
}

TEST(Areas, PlacesOnEarthAreLongitudeAndLatitude) {
  const Json json = Json::parse(areas_geojson(example(true)));
  EXPECT_FALSE(json.contains("units"));
  const Json& ring = json["features"][1]["geometry"]["coordinates"][0][0];
  EXPECT_EQ(ring.dump(),
            "[[-73.8875,40.53],[-73.875,40.53],[-73.875,40.54],[-73.8875,40.54],[-73.8875,40.53]]");
}

TEST(Areas, HolesFollowTheirOutsideAndPiecesAreSeveralPolygons) {
  Manifest manifest = example(false);
  auto& cells = manifest.groups[0].covers[0].cells;
  cells = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {2, 2}, {5, 5}};
  const Json polygons = Json::parse(areas_geojson(manifest))["features"][0]["geometry"]["coordinates"];
  ASSERT_EQ(polygons.size(), 2u);
  EXPECT_EQ(polygons[0].size(), 2u);
  EXPECT_EQ(polygons[0][1].dump(), "[[1,1],[1,2],[2,2],[2,1],[1,1]]");
  EXPECT_EQ(polygons[1].size(), 1u);
}

}  // namespace
}  // namespace hyobscure::published
