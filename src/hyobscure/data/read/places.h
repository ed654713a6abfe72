#pragma once

#include "hyobscure/data/read/read_parts.h"

namespace hyobscure::data {

/// Cells of the asked size over places between these degrees. Where it begins is a whole degree, and so is
/// the latitude that the width of its cells goes by: the grid tells nothing of the places at its edge.
Grid grid_over(double cell_km, Interval latitudes, Interval longitudes);

/// SQL for the row and the column of a place.
std::string row_of_cell(const Grid& grid, const std::string& latitude);
std::string column_of_cell(const Grid& grid, const std::string& longitude);

/// Degrees in the columns `latitude` and `longitude` of a table, of the rows that meet a condition.
struct Degrees {
  std::string table;
  std::string latitude = "latitude", longitude = "longitude";
  std::string condition;
};

/// The grid of the spec over these places. Throws InputError, about `relation`, where they lie on both sides
/// of the 180th meridian.
Grid grid_over(Engine& engine, const Spec& spec, const Relation& relation, const Degrees& degrees);

/// What no cell with degrees may be: conditions on number `value` of a cell, and whether it is missing.
struct Refusal {
  std::string condition, problem, remedy;
};
std::vector<Refusal> refusals_of_numbers(const std::string& value, const std::string& missing);
Refusal refusal_of_latitudes(const std::string& value);
Refusal refusal_of_longitudes(const std::string& value);

}  // namespace hyobscure::data
