#include "hyobscure/data/read/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hyobscure/base/error.h"

namespace hyobscure::data {
namespace {

constexpr double kRadiusOfEarthKm = 6371;
constexpr double kKmOfADegree = std::numbers::pi * kRadiusOfEarthKm / 180;

std::string steps(const std::string& degrees, double begin, double size) {
  return fmt::format("CAST(floor(({} - {}) / {}) AS BIGINT)", degrees, exact_number(begin),
                     exact_number(size));
}

Refusal outside(const std::string& value, const char* direction, int most) {
  return {fmt::format("{0} < -{1} OR {0} > {1}", value, most),
          fmt::format("expected degrees {} from -{} to {}", direction, most, most),
          "Correct the cells; check that latitude and longitude are not exchanged."};
}

}  // namespace

Grid grid_over(double cell_km, Interval latitudes, Interval longitudes) {
  const double height = cell_km / kKmOfADegree;
  // At the pole itself a degree of longitude has no length.
  const double middle = std::min(89.0, std::abs(std::round((latitudes[0] + latitudes[1]) / 2)));
  return {.cell_km = cell_km,
          .south = std::floor(latitudes[0]),
          .west = std::floor(longitudes[0]),
          .height = height,
          .width = height / std::cos(middle * std::numbers::pi / 180),
          .on_earth = true};
}

std::string row_of_cell(const Grid& grid, const std::string& latitude) {
  return steps(latitude, grid.south, grid.height);
}

std::string column_of_cell(const Grid& grid, const std::string& longitude) {
  return steps(longitude, grid.west, grid.width);
}

Grid grid_over(Engine& engine, const Spec& spec, const Relation& relation, const Degrees& degrees) {
  const auto range =
      engine.doubles(fmt::format("SELECT min({0}), max({0}), min({1}), max({1}) FROM {2} WHERE {3}",
                                 degrees.latitude, degrees.longitude, degrees.table, degrees.condition));
  if (std::isnan(range[0])) return {.cell_km = spec.secret.cell_km};  // nobody has a place
  if (range[3] - range[2] > 180)
    throw InputError(
        {.source = relation.name, .column = spec.secret.longitude},
        "the places lie on both sides of the 180th meridian, or around more than half of the earth",
        "Turn the longitudes in a query, or publish the two sides by themselves.");
  return grid_over(spec.secret.cell_km, {range[0], range[1]}, {range[2], range[3]});
}

std::vector<Refusal> refusals_of_numbers(const std::string& value, const std::string& missing) {
  return {{fmt::format("NOT {} AND {} IS NULL", missing, value), "expected a number",
           "Correct the cells, or turn them into numbers in a query."},
          {fmt::format("NOT isfinite({})", value), "expected a finite number, not NaN or infinity",
           "Correct the cells."}};
}

Refusal refusal_of_latitudes(const std::string& value) { return outside(value, "north", 90); }
Refusal refusal_of_longitudes(const std::string& value) { return outside(value, "east", 180); }

}  // namespace hyobscure::data
