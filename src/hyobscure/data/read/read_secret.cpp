#include "hyobscure/data/read/read_secret.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/data/people/joined_values.h"
#include "hyobscure/data/read/categories.h"
#include "hyobscure/data/read/found_problems.h"
#include "hyobscure/data/read/places.h"
#include "hyobscure/data/secret/atoms.h"
#include "hyobscure/data/spec/secret_checks.h"

namespace hyobscure::data {
namespace {

/// Squares of distances between such cells, and sums of them, are exact.
constexpr std::int64_t kLargestCellNumber = 1'000'000'000;

/// Each person's place among the distinct cells, which stay in `cells`.
template <class Cell>
std::vector<std::uint32_t> number_distinct(std::vector<Cell>& cells) {
  const std::vector<Cell> of_person = cells;
  std::ranges::sort(cells);
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<std::uint32_t> index;
  index.reserve(of_person.size());
  for (const Cell& cell : of_person)
    index.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(cells, cell) - cells.begin()));
  return index;
}

std::vector<std::int64_t> count_people(const std::vector<std::uint32_t>& of_person, std::size_t values) {
  std::vector<std::int64_t> count(values, 0);
  for (const std::uint32_t value : of_person) count[value] += 1;
  return count;
}

}  // namespace

std::string SecretReader::Part::cell(std::size_t i) const { return fmt::format("s{}", first + i); }
std::string SecretReader::Part::is_missing(std::size_t i) const {
  return fmt::format("s{}_missing", first + i);
}

SecretReader::SecretReader(Engine& engine, const Spec& spec, const Relation& people)
    : engine_(engine), spec_(spec), people_(people) {
  for (std::size_t axis = 0; axis < spec.people.secret.all.size(); ++axis) add_part(axis);
}

void SecretReader::add_part(std::size_t axis) {
  const std::size_t first = parts_.empty() ? 0 : parts_.back().first + 2;
  Part part{.name = spec_.people.secret.all[axis], .form = Form::Number, .first = first, .columns = {}};
  const AxisKind kind = kind_of_secret(spec_, axis);
  if (kind == AxisKind::Categorical)
    part.form = Form::Name;
  else if (kind == AxisKind::Spatial)
    part.form = home_is_found(spec_)        ? Form::Home
                : spec_.secret.grid_columns ? Form::CellNumber
                                            : Form::Degrees;
  if (part.form == Form::Degrees)
    part.columns = {spec_.secret.latitude, spec_.secret.longitude};
  else if (part.form != Form::Home)
    part.columns = {part.name};
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    const std::string column = people_.column(part.columns[i]);
    // A category without a letter could not be published.
    const std::string text = fmt::format("nullif({}, '')", as_text(column));
    projection_ += part.form == Form::Name
                       ? fmt::format(", {1} AS {0}, {1} IS NULL AS {0}_missing", part.cell(i), text)
                       : fmt::format(", {1} AS {0}, {2} IS NULL AS {0}_missing", part.cell(i),
                                     as_number(column, stored_type(people_, part.columns[i])), column);
  }
  parts_.push_back(std::move(part));
}

void SecretReader::take_homes(const Grid& grid) {
  grid_ = grid;
  const auto home = std::ranges::find(parts_, Form::Home, &Part::form);
  engine_.run(fmt::format(
      "CREATE OR REPLACE TEMP TABLE hyo_people AS SELECT p.*, h.home_row AS {}, h.home_column AS {}, "
      "h.home_row IS NULL AS {} FROM hyo_people p LEFT JOIN hyo_homes h ON p.id = h.person",
      home->cell(0), home->cell(1), home->is_missing()));
}

void SecretReader::check(ReadCounts& counts, FoundProblems& problems) {
  for (const Part& part : parts_)
    for (std::size_t i = 0; i < part.columns.size(); ++i) check_cells(part, i, problems);
  counts.people_without_secret = count_missing();
  if (counts.people_without_secret > 0 && spec_.secret.missing == Unfit::Refuse)
    add_missing(counts.people_without_secret, problems);
  for (const Part& part : parts_) {
    if (part.form == Form::Degrees) problems.refuse();  // no grid without places
    if (part.form == Form::Degrees)
      grid_ = grid_over(engine_, spec_, people_,
                        {.table = "hyo_people",
                         .latitude = part.cell(0),
                         .longitude = part.cell(1),
                         .condition = is_given()});
    if (part.form == Form::CellNumber) grid_ = Grid{.cell_km = spec_.secret.cell_km};
  }
}

void SecretReader::check_cells(const Part& part, std::size_t i, FoundProblems& problems) const {
  if (part.form == Form::Name) return;
  const std::string cell = part.cell(i);
  std::vector<Refusal> refusals = refusals_of_numbers(cell, part.is_missing(i));
  if (part.form == Form::CellNumber)
    refusals.push_back(
        {fmt::format("{0} <> floor({0}) OR {0} < 0 OR {0} > {1}", cell, kLargestCellNumber),
         fmt::format("expected the number of a cell, a whole number from 0 to {}", kLargestCellNumber),
         "Correct the cells."});
  if (part.form == Form::Degrees)
    refusals.push_back(i == 0 ? refusal_of_latitudes(cell) : refusal_of_longitudes(cell));
  for (const Refusal& refusal : refusals) {
    const auto bad = engine_.integers("SELECT count(*) FROM hyo_people WHERE " + refusal.condition)[0];
    if (bad == 0) continue;
    problems.add({{people_.name, first_row(engine_, people_, projection_.substr(2), refusal.condition),
                   part.columns[i]},
                  fmt::format("{} ({} not)", refusal.problem, plural(bad, "cell is", "cells are")),
                  refusal.remedy});
  }
}

std::string SecretReader::is_given() const {
  std::vector<std::string> missing;
  for (const Part& part : parts_)
    for (std::size_t i = 0; i < std::max<std::size_t>(1, part.columns.size()); ++i)
      missing.push_back("NOT " + part.is_missing(i));
  return fmt::format("{}", fmt::join(missing, " AND "));
}

std::int64_t SecretReader::count_missing() const {
  return engine_.integers(fmt::format("SELECT count(*) FROM hyo_people WHERE NOT ({})", is_given()))[0];
}

void SecretReader::add_missing(std::int64_t number, FoundProblems& problems) const {
  const std::string people = plural(number, "person", "people");
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < part.columns.size(); ++i)
      if (const auto row = first_row(engine_, people_, projection_.substr(2), part.is_missing(i)); row > 0)
        return problems.add({{people_.name, row, part.columns[i]},
                             fmt::format("the secret is missing ({} in all)", people),
                             "Fill it in, or set secret.missing = \"leave-out\"."});
    if (part.form != Form::Home) continue;
    const std::string homeless = fmt::format("id IN (SELECT id FROM hyo_people WHERE {})", part.is_missing());
    if (const auto row =
            first_row(engine_, people_, as_text(people_.column(spec_.people.id)) + " AS id", homeless);
        row > 0)
      return problems.add({{.source = people_.name, .row = row},
                           fmt::format("the person has no event that reveals home ({} in all)", people),
                           "Set secret.missing = \"leave-out\", or another rule in secret.home."});
  }
}

std::vector<std::string> SecretReader::exact_cells(const Part& part) const {
  switch (part.form) {
    case Form::Number:
      return {part.cell() + " + 0"};  // -0 and 0 are one value
    case Form::Name:
      return {part.cell()};
    case Form::CellNumber:
      return {fmt::format("CAST({} AS BIGINT) // {}", part.cell(), *spec_.secret.grid_columns),
              fmt::format("CAST({} AS BIGINT) % {}", part.cell(), *spec_.secret.grid_columns)};
    case Form::Degrees:
      return {row_of_cell(*grid_, part.cell(0)), column_of_cell(*grid_, part.cell(1))};
    case Form::Home:
      break;
  }
  return {part.cell(0), part.cell(1)};
}

std::vector<SecretCells> SecretReader::cells() const {
  std::vector<SecretCells> result;
  for (const Part& part : parts_)
    result.push_back({part.name, exact_cells(part), part.form == Form::Number ? part.cell() : ""});
  return result;
}

bool SecretReader::leave_out_rare(ReadCounts& counts) const {
  if (spec_.secret.fewest_people == 1) return false;
  std::vector<std::string> cells;
  for (const Part& part : parts_) std::ranges::copy(exact_cells(part), std::back_inserter(cells));
  const auto before = engine_.integers("SELECT count(*) FROM hyo_kept")[0];
  engine_.run(
      fmt::format("CREATE OR REPLACE TEMP TABLE hyo_kept AS SELECT * REPLACE (row_number() OVER (ORDER BY "
                  "id) - 1 AS u) FROM "
                  "hyo_kept WHERE u IN (SELECT u FROM (SELECT u, count(*) OVER (PARTITION BY {}) AS sharing "
                  "FROM hyo_kept) "
                  "WHERE sharing >= {})",
                  fmt::join(cells, ", "), spec_.secret.fewest_people));
  const auto left_out = before - engine_.integers("SELECT count(*) FROM hyo_kept")[0];
  counts.people_with_rare_secret += left_out;
  return left_out > 0;
}

void SecretReader::number(People& people) const {
  if (secret_is_one_number(spec_)) {
    std::vector<double> secrets;
    for (const Coordinate& at : fetch(parts_[0])) secrets.push_back(at.number);
    number_values(secrets, people);
  } else {
    number_points(people);
  }
}

std::vector<Coordinate> SecretReader::fetch(const Part& part) const {
  std::vector<Coordinate> cells;
  engine_.query(fmt::format("SELECT {} FROM hyo_kept ORDER BY u", fmt::join(exact_cells(part), ", ")),
                [&](const Chunk& chunk) {
                  for (std::size_t row = 0; row < chunk.rows(); ++row) switch (part.form) {
                      case Form::Number:
                        cells.push_back({.number = chunk.doubles(0)[row]});
                        break;
                      case Form::Name:
                        cells.push_back({.name = std::string(chunk.text(0, row))});
                        break;
                      default:
                        cells.push_back({.cell = {static_cast<std::int32_t>(chunk.integers(0)[row]),
                                                  static_cast<std::int32_t>(chunk.integers(1)[row])}});
                    }
                });
  return cells;
}

namespace {

/// Where values were joined: who has which of the exact ones.
void keep_exact(const std::vector<std::uint32_t>& exact, std::size_t distinct, People& people) {
  if (people.values.size() == distinct) return;
  people.exact = exact;
  people.exact_values = static_cast<std::uint32_t>(distinct);
}

}  // namespace

void SecretReader::number_values(const std::vector<double>& secrets, People& people) const {
  std::vector<double> distinct = secrets;
  people.secrets = number_distinct(distinct);
  const std::vector<std::int64_t> at_value = count_people(people.secrets, distinct.size());
  const AtomCut cut = cut_into_atoms(at_value, spec_.secret.atoms);
  std::vector<double> weight(cut.atoms, 0), sum(cut.atoms, 0);
  people.values.assign(cut.atoms, {.low = kUnset, .high = kUnset, .centre = kUnset, .distinct = 0});
  for (std::size_t v = 0; v < distinct.size(); ++v) {
    const std::uint32_t atom = cut.atom_of_value[v];
    SecretValue& value = people.values[atom];
    if (value.distinct == 0) value.low = distinct[v];
    value.high = distinct[v];
    value.distinct += 1;
    weight[atom] += static_cast<double>(at_value[v]);
    sum[atom] += static_cast<double>(at_value[v]) * distinct[v];
  }
  for (std::size_t atom = 0; atom < cut.atoms; ++atom) people.values[atom].centre = sum[atom] / weight[atom];
  keep_exact(people.secrets, distinct.size(), people);
  for (std::uint32_t& secret : people.secrets) secret = cut.atom_of_value[secret];
}

void SecretReader::number_points(People& people) const {
  SecretSpace& space = people.space.emplace();
  space.grid = grid_;
  std::vector<SecretSpace::Point> points(people.size());
  for (std::size_t a = 0; a < parts_.size(); ++a) {
    Axis& axis = space.axes.emplace_back(
        Axis{.column = parts_[a].name, .kind = kind_of_secret(spec_, a), .values = fetch(parts_[a])});
    std::vector<std::uint32_t> of_person = number_distinct(axis.values);
    order_categories(axis, of_person, space);
    for (std::size_t u = 0; u < points.size(); ++u) points[u].push_back(of_person[u]);
  }
  const std::vector<std::uint32_t> point_of_person = number_distinct(points);
  space.points = std::move(points);
  people.values =
      join_into_values(space, count_people(point_of_person, space.points.size()), spec_.secret.atoms);
  keep_exact(point_of_person, space.points.size(), people);
  people.secrets.clear();
  for (const std::uint32_t point : point_of_person) people.secrets.push_back(space.value_of_point[point]);
  write_points(people, point_of_person);
}

void SecretReader::order_categories(Axis& axis, std::vector<std::uint32_t>& of_person,
                                    SecretSpace& space) const {
  const SecretSpec& secret = spec_.secret;
  if (secret.hierarchy.empty() && secret.similarity.empty() && secret.order.empty()) return;
  std::vector<std::string> names;
  for (const Coordinate& value : axis.values) names.push_back(value.name);
  const auto refuse = [&](std::uint32_t name, const std::string& problem, const std::string& remedy) {
    const Part& part = parts_[0];
    const auto row =
        first_row(engine_, people_, projection_.substr(2), part.cell() + " = " + quoted_text(names[name]));
    throw InputError({people_.name, row, part.columns[0]}, problem, remedy);
  };
  CategoryOrder order = !secret.order.empty()       ? order_by_list(spec_, names, refuse)
                        : !secret.hierarchy.empty() ? read_hierarchy(engine_, spec_, names, refuse)
                                                    : read_similarity(engine_, spec_, names);
  std::vector<std::uint32_t> place(names.size());
  for (std::uint32_t i = 0; i < order.order.size(); ++i) {
    place[order.order[i]] = i;
    axis.values[i].name = names[order.order[i]];
  }
  for (std::uint32_t& value : of_person) value = place[value];
  space.hierarchy = std::move(order.nodes);
  space.names_in_order = !secret.order.empty();
}

void SecretReader::write_points(const People& people,
                                const std::vector<std::uint32_t>& point_of_person) const {
  engine_.run("CREATE OR REPLACE TEMP TABLE hyo_points (person VARCHAR, point DOUBLE)");
  Engine::Appender rows(engine_, "hyo_points");
  for (std::size_t u = 0; u < people.size(); ++u)
    rows.row({std::string_view(people.ids[u]), static_cast<double>(point_of_person[u])});
  rows.close();
  engine_.run("UPDATE hyo_kept SET secret = point FROM hyo_points WHERE id = person");
  engine_.run("DROP TABLE hyo_points");
}

}  // namespace hyobscure::data
