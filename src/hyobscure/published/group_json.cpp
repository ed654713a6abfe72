#include "hyobscure/published/group_json.h"

namespace hyobscure::published {
namespace {

/// Only what the kind of the axis has.
Json cover_json(const Cover& cover) {
  Json json = {{"label", cover.label}};
  if (!cover.cells.empty()) {
    json["cells"] = Json::array();
    for (const data::GridCell& cell : cover.cells) json["cells"].push_back({cell.row, cell.column});
  } else if (!cover.names.empty()) {
    json["names"] = cover.names;
  } else {
    json["low"] = optional_number(cover.low);
    json["high"] = optional_number(cover.high);
    json["high_included"] = cover.high_included;
  }
  return json;
}

/// Of a grid that somebody counted: far below where sums of rows and columns would wrap.
std::int32_t row_or_column_from(const Json& json) {
  constexpr double kMost = 1 << 24;
  const auto number = json.get<double>();
  if (!(number >= -kMost && number <= kMost)) throw Json::out_of_range::create(401, "cell of a grid", &json);
  return static_cast<std::int32_t>(number);
}

Cover cover_from(const Json& json) {
  Cover cover{.label = json.at("label")};
  if (json.contains("cells")) {
    for (const Json& cell : json.at("cells"))
      cover.cells.push_back(
          {.row = row_or_column_from(cell.at(0)), .column = row_or_column_from(cell.at(1))});
  } else if (json.contains("names")) {
    cover.names = json.at("names").get<std::vector<std::string>>();
  } else {
    cover.low = optional_number(json.at("low"));
    cover.high = optional_number(json.at("high"));
    cover.high_included = json.at("high_included");
  }
  return cover;
}

}  // namespace

Json group_json(const Group& group) {
  Json json = {{"label", group.label}, {"people", group.people}, {"values", group.values}};
  json["covers"] = Json::array();
  for (const Cover& cover : group.covers) json["covers"].push_back(cover_json(cover));
  if (!group.combinations.empty()) json["combinations"] = group.combinations;
  return json;
}

Group group_from(const Json& json) {
  Group group{
      .label = json.at("label"), .covers = {}, .people = json.at("people"), .values = json.at("values")};
  for (const Json& cover : json.at("covers")) group.covers.push_back(cover_from(cover));
  if (json.contains("combinations"))
    group.combinations = json.at("combinations").get<std::vector<std::vector<std::string>>>();
  return group;
}

}  // namespace hyobscure::published
