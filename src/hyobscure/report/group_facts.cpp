#include "hyobscure/report/group_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace hyobscure::report {
namespace {

using data::AxisKind;

std::string kind_word(AxisKind kind) {
  switch (kind) {
    case AxisKind::Ordered:
      return "ordered";
    case AxisKind::Spatial:
      return "spatial";
    case AxisKind::Categorical:
      break;
  }
  return "categorical";
}

/// People by value, and the label that a value is published under.
class ValueCounts {
 public:
  ValueCounts(const data::People& people, const obscure::Mechanism& mechanism)
      : mechanism_(mechanism), people_(people.values.size(), 0), points_(people.values.size(), 0) {
    for (const std::uint32_t value : people.secrets) people_[value] += 1;
    if (people.space)
      for (const std::uint32_t value : people.space->value_of_point) points_[value] += 1;
  }

  std::int64_t people(std::uint32_t value) const { return people_[value]; }
  /// Of each of the points that were joined to a value, for nobody counted them one by one: an even share.
  Json people_of_point(std::uint32_t value) const {
    if (points_[value] == 1) return people_[value];
    return static_cast<double>(people_[value]) / static_cast<double>(points_[value]);
  }
  const std::string& label(std::uint32_t value) const {
    return mechanism_.groups[mechanism_.group_of_value(value)].label;
  }

 private:
  const obscure::Mechanism& mechanism_;
  std::vector<std::int64_t> people_, points_;
};

Json histogram_of_numbers(const data::People& people, const ValueCounts& counts) {
  Json json = Json::array();
  for (std::uint32_t v = 0; v < people.values.size(); ++v)
    json.push_back(
        {{"value", people.values[v].centre}, {"people", counts.people(v)}, {"group", counts.label(v)}});
  return json;
}

Json histogram_of_names(const data::SecretSpace& space, const ValueCounts& counts) {
  Json json = Json::array();
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    const std::uint32_t value = space.value_of_point[p];
    json.push_back({{"value", space.coordinate(p, 0).name},
                    {"people", counts.people_of_point(value)},
                    {"group", counts.label(value)}});
  }
  return json;
}

/// The cells of the spatial axis; where another axis parts the people of a cell, one entry for each group.
Json map_facts(const data::SecretSpace& space, const ValueCounts& counts) {
  const std::size_t axis = space.spatial_axis();
  std::map<std::pair<data::GridCell, std::string>, double> people;
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    const std::uint32_t value = space.value_of_point[p];
    people[{space.coordinate(p, axis).cell, counts.label(value)}] +=
        counts.people_of_point(value).get<double>();
  }
  Json json = {
      {"cell_km", space.grid->cell_km}, {"on_earth", space.grid->on_earth}, {"cells", Json::array()}};
  for (const auto& [place, number] : people)
    json["cells"].push_back({{"row", place.first.row},
                             {"column", place.first.column},
                             {"group", place.second},
                             {"people", number}});
  if (space.grid->on_earth)
    json["degrees"] = {{"south", space.grid->south},
                       {"west", space.grid->west},
                       {"height", space.grid->height},
                       {"width", space.grid->width}};
  return json;
}

Json axis_facts(const data::Axis& axis) {
  Json values = Json::array();
  for (const data::Coordinate& coordinate : axis.values)
    if (axis.kind == AxisKind::Ordered)
      values.push_back(coordinate.number);
    else
      values.push_back(coordinate.name);
  return {{"name", axis.column}, {"values", values}};
}

Json plane_facts(const data::SecretSpace& space, const ValueCounts& counts) {
  Json json = {{"x", axis_facts(space.axes[0])}, {"y", axis_facts(space.axes[1])}, {"points", Json::array()}};
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    const std::uint32_t value = space.value_of_point[p];
    json["points"].push_back({{"x", space.points[p][0]},
                              {"y", space.points[p][1]},
                              {"group", counts.label(value)},
                              {"people", counts.people_of_point(value)}});
  }
  return json;
}

Json group_facts(const published::Group& group, const data::People& people) {
  Json json = {{"label", group.label}};
  if (!people.space) {
    json["low"] = optional_number(group.covers[0].low);
    json["high"] = optional_number(group.covers[0].high);
  } else if (group.covers.size() > 1) {
    json["covers"] = Json::array();
    for (const published::Cover& cover : group.covers) json["covers"].push_back({{"label", cover.label}});
  }
  json["people"] = group.people;
  json["values"] = group.values;
  return json;
}

}  // namespace

void add_space_facts(Json& data, const data::People& people) {
  if (!people.space) return;
  std::vector<std::string> kinds, names;
  for (const AxisKind kind : data::secret_kinds(people)) kinds.push_back(kind_word(kind));
  for (const data::Axis& axis : people.space->axes) names.push_back(axis.column);
  data["secret_kind"] = fmt::format("{}", fmt::join(kinds, ", "));
  data["values"] = people.space->points.size();
  data["joined"] = people.space->points.size() > people.values.size();
  if (names.size() > 1) data["axes"] = names;
}

void add_group_facts(Json& json, const data::People& people, const obscure::Mechanism& mechanism) {
  json["groups"] = Json::array();
  for (const published::Group& group : mechanism.groups) json["groups"].push_back(group_facts(group, people));
  const ValueCounts counts(people, mechanism);
  if (!people.space) {
    json["histogram"] = histogram_of_numbers(people, counts);
    return;
  }
  const data::SecretSpace& space = *people.space;
  const std::vector<AxisKind> kinds = data::secret_kinds(people);
  if (space.grid)
    json["map"] = map_facts(space, counts);
  else if (kinds.size() == 2)
    json["plane"] = plane_facts(space, counts);
  else if (kinds == std::vector{AxisKind::Categorical})
    json["histogram"] = histogram_of_names(space, counts);
}

}  // namespace hyobscure::report
