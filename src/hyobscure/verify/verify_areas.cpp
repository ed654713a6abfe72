#include "hyobscure/verify/verify_areas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "hyobscure/base/files.h"
#include "hyobscure/base/json.h"
#include "hyobscure/published/area_file.h"

namespace hyobscure::verify {
namespace {

using data::GridCell;
using published::Group;

/// Corners of the grid, as far as cells of the release reach.
class Corners {
 public:
  Corners(const data::Grid& grid, const std::vector<GridCell>& cells) : grid_(grid) {
    for (const GridCell& cell : cells) {
      low_ = {std::min(low_.row, cell.row), std::min(low_.column, cell.column)};
      high_ = {std::max(high_.row, cell.row + 1), std::max(high_.column, cell.column + 1)};
    }
  }

  /// Nothing where the position is none of them.
  std::optional<GridCell> at(const Json& position) const {
    const double x = position.at(0), y = position.at(1);
    const auto column = whole(grid_.on_earth ? (x - grid_.west) / grid_.width : x);
    const auto row = whole(grid_.on_earth ? (y - grid_.south) / grid_.height : y);
    if (!row || !column || *row < low_.row || *row > high_.row || *column < low_.column ||
        *column > high_.column)
      return std::nullopt;
    return GridCell{*row, *column};
  }

 private:
  /// Degrees are written rounded.
  static std::optional<std::int32_t> whole(double x) {
    constexpr double kRounding = 0.05, kLargest = 1e9;
    if (!(std::abs(x) < kLargest) || std::abs(x - std::round(x)) > kRounding) return std::nullopt;
    return static_cast<std::int32_t>(std::lround(x));
  }

  data::Grid grid_;
  GridCell low_ = {INT32_MAX, INT32_MAX}, high_ = {INT32_MIN, INT32_MIN};
};

/// Which cells polygons hold: in every row, those between the first and the second line across it, the third
/// and the fourth, and so on.
class Scan {
 public:
  /// False for a ring that is open or does not follow the grid.
  bool add(const Json& ring, const Corners& corners) {
    std::optional<GridCell> before, first;
    for (const Json& position : ring) {
      const auto corner = corners.at(position);
      if (!corner || (before && before->row != corner->row && before->column != corner->column)) return false;
      if (before) add_side(*before, *corner);
      if (!first) first = corner;
      before = corner;
    }
    return first.has_value() && before == first;
  }

  std::vector<GridCell> cells() const {
    std::vector<GridCell> result;
    for (auto [row, lines] : lines_across_) {
      std::ranges::sort(lines);
      for (std::size_t i = 0; i + 1 < lines.size(); i += 2)
        for (std::int32_t column = lines[i]; column < lines[i + 1]; ++column) result.push_back({row, column});
    }
    return result;
  }

  /// Positive where outsides run counterclockwise and holes clockwise.
  std::int64_t area() const { return area_; }

 private:
  void add_side(GridCell from, GridCell to) {
    area_ += std::int64_t{from.column} * (to.row - from.row);
    for (std::int32_t row = std::min(from.row, to.row); row < std::max(from.row, to.row); ++row)
      lines_across_[row].push_back(from.column);
  }

  std::map<std::int32_t, std::vector<std::int32_t>> lines_across_;
  std::int64_t area_ = 0;
};

bool draws(const Json& geometry, const std::vector<GridCell>& cells, const Corners& corners) {
  Scan scan;
  for (const Json& polygon : geometry.at("coordinates"))
    for (const Json& ring : polygon)
      if (!scan.add(ring, corners)) return false;
  return geometry.at("type") == "MultiPolygon" && scan.cells() == cells &&
         scan.area() == static_cast<std::int64_t>(cells.size());
}

std::vector<GridCell> all_cells(const published::Manifest& manifest, std::size_t axis) {
  std::vector<GridCell> cells;
  for (const Group& group : manifest.groups)
    cells.insert(cells.end(), group.covers[axis].cells.begin(), group.covers[axis].cells.end());
  return cells;
}

std::vector<std::string> differences(const Json& json, const published::Manifest& manifest,
                                     std::size_t axis) {
  const Json& features = json.at("features");
  if (json.at("type") != "FeatureCollection" || features.size() != manifest.groups.size())
    return {fmt::format("{} areas, {} groups declared", features.size(), manifest.groups.size())};
  const Corners corners(*manifest.grid, all_cells(manifest, axis));
  std::vector<std::string> wrong;
  for (std::size_t g = 0; g < manifest.groups.size(); ++g) {
    const Group& group = manifest.groups[g];
    const auto& cells = group.covers[axis].cells;
    const Json expected = {{"label", group.label}, {"people", group.people}, {"cells", cells.size()}};
    const Json& feature = features.at(g);
    if (feature.at("type") != "Feature" || feature.at("properties") != expected)
      wrong.push_back("the properties of " + group.label + " are not the declared ones");
    if (!draws(feature.at("geometry"), cells, corners))
      wrong.push_back("the area of " + group.label + " is not that of its cells");
  }
  return wrong;
}

}  // namespace

void check_areas(const std::filesystem::path& folder, const published::Manifest& manifest,
                 Findings& findings) {
  const auto axis = manifest.spatial_axis();
  if (!axis) return;
  std::vector<std::string> wrong;
  const std::string text = read_file(folder / published::Manifest::kAreasFile);
  try {
    wrong = differences(parse_json(text), manifest, *axis);
  } catch (const Json::exception&) {
    wrong = {fmt::format("{} is no GeoJSON of areas", published::Manifest::kAreasFile)};
  }
  findings.add(rule("areas-drawn"), wrong, fmt::format("{} areas", manifest.groups.size()));
  const bool canonical = text == published::areas_geojson(manifest);
  findings.add(rule("areas-canonical"), canonical,
               canonical ? "byte by byte" : "it is not what the manifest gives when it is written");
}

}  // namespace hyobscure::verify
