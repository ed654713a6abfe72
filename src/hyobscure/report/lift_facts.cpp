#include "hyobscure/report/lift_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/obscure/leakage/lift.h"

namespace hyobscure::report {
namespace {

constexpr std::size_t kMostValues = 2000;  ///< more would be a page of their own

/// Which value of `people.values` each secret that leakage is about was joined to.
std::map<std::uint32_t, std::uint32_t> joined_values(const data::People& people) {
  std::map<std::uint32_t, std::uint32_t> value_of;
  const auto exact = people.exact_secrets();
  for (std::size_t u = 0; u < people.size(); ++u) value_of[exact[u]] = people.secrets[u];
  return value_of;
}

std::string coordinate_text(const data::Axis& axis, const data::Coordinate& coordinate) {
  switch (axis.kind) {
    case data::AxisKind::Ordered:
      return fmt::format("{}", coordinate.number);
    case data::AxisKind::Spatial:
      return fmt::format("row {}, column {}", coordinate.cell.row, coordinate.cell.column);
    case data::AxisKind::Categorical:
      break;
  }
  return coordinate.name;
}

/// A number, or the first of the points that were joined to the value.
Json name_of(const data::People& people, std::uint32_t value) {
  if (!people.space) return people.values[value].centre;
  const data::SecretSpace& space = *people.space;
  const auto point =
      static_cast<std::size_t>(std::ranges::find(space.value_of_point, value) - space.value_of_point.begin());
  std::vector<std::string> parts;
  for (std::size_t a = 0; a < space.axes.size(); ++a)
    parts.push_back(coordinate_text(space.axes[a], space.coordinate(point, a)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

struct Strip {
  double people = 0, highest = 0, lowest = std::numeric_limits<double>::infinity();

  void add(const obscure::ValueLift& lift) {
    people += lift.people;
    highest = std::max(highest, lift.highest);
    lowest = std::min(lowest, lift.lowest);
  }
};

}  // namespace

Json lift_facts(const data::People& people, const obscure::Mechanism& mechanism,
                std::span<const std::uint32_t> cluster_of_person) {
  const obscure::LiftFigures& figures = mechanism.figures.lift;
  Json json = {{"highest", number(figures.highest)},
               {"lowest", number(figures.lowest)},
               {"of_population", number(figures.highest_of_population)},
               {"own_largest", number(figures.own_largest)},
               {"own_largest_median", number(figures.own_largest_median)},
               {"own_expected", number(figures.own_expected)},
               {"own_expected_median", number(figures.own_expected_median)},
               {"own_of_population", number(figures.own_of_population)}};
  if (people.values.size() > kMostValues) return json;
  const bool exact = obscure::counts_exact_values(people, mechanism.clusters.clusters());
  const auto value_of = exact ? joined_values(people) : std::map<std::uint32_t, std::uint32_t>{};
  // Kept columns cut a group into several pools: the worst of them.
  std::map<std::uint32_t, Strip> strips;
  for (const obscure::ValueLift& lift : lifts_of(mechanism, people, cluster_of_person).values)
    strips[exact ? value_of.at(lift.value) : lift.value].add(lift);
  json["values"] = Json::array();
  for (const auto& [value, strip] : strips)
    json["values"].push_back({{"value", name_of(people, value)},
                              {"group", mechanism.groups[mechanism.group_of_value(value)].label},
                              {"people", strip.people},
                              {"lowest", strip.lowest},
                              {"highest", strip.highest}});
  return json;
}

}  // namespace hyobscure::report
