#include "hyobscure/report/group_facts.h"

#include <gtest/gtest.h>

#include <map>

namespace hyobscure::report {
namespace {

using data::AxisKind;

/// People of the given secrets (a value each) in groups of values.
struct Made {
  data::People people;
  obscure::Mechanism mechanism;

  Made(std::vector<std::uint32_t> secrets, const std::vector<std::vector<int>>& groups) {
    people.secrets = std::move(secrets);
    for (const auto& members : groups) {
      published::Group group{.label = std::string(1, static_cast<char>('a' + mechanism.groups.size())),
                             .covers = {},
                             .members = members};
      group.values = static_cast<std::int64_t>(members.size());
      for (const std::uint32_t secret : people.secrets)
        group.people += std::ranges::count(members, static_cast<int>(secret));
      mechanism.groups.push_back(group);
      for (const int member : members)
        people.values.push_back({.low = double(member), .high = double(member), .centre = double(member)});
    }
  }

  Json facts() const {
    Json json = Json::object();
    add_group_facts(json, people, mechanism);
    return json;
  }
  Json data() const {
    Json json = {{"secret_kind", "ordered"}, {"values", people.values.size()}};
    add_space_facts(json, people);
    return json;
  }
};

data::Axis ages() { return {"age", AxisKind::Ordered, {{.number = 18}, {.number = 30.5}}}; }
data::Axis towns() {
  return {"town", AxisKind::Categorical, {{.name = "Ash"}, {.name = "Birch"}, {.name = "Cedar"}}};
}
data::Axis homes() {
  return {"home",
          AxisKind::Spatial,
          {{.cell = {.row = 0, .column = 5}},
           {.cell = {.row = 1, .column = 5}},
           {.cell = {.row = 1, .column = 6}}}};
}

data::SecretSpace space_of(std::vector<data::Axis> axes, std::vector<data::SecretSpace::Point> points,
                           std::vector<std::uint32_t> value_of_point) {
  return {.axes = std::move(axes),
          .grid = {},
          .hierarchy = {},
          .points = std::move(points),
          .value_of_point = std::move(value_of_point)};
}

TEST(GroupFacts, NumbersAreAHistogramAndRangesAsBefore) {
  Made made({0, 0, 1, 2}, {{0, 1}, {2}});
  made.mechanism.groups[0].covers = {{.label = "a", .low = {}, .high = 1}};
  made.mechanism.groups[1].covers = {{.label = "b", .low = 2, .high = {}}};
  EXPECT_EQ(made.data(), Json::parse(R"({"secret_kind": "ordered", "values": 3})"));
  EXPECT_EQ(made.facts(), Json::parse(R"({
    "groups": [{"label": "a", "low": null, "high": 1.0, "people": 3, "values": 2},
               {"label": "b", "low": 2.0, "high": null, "people": 1, "values": 1}],
    "histogram": [{"value": 0.0, "people": 2, "group": "a"}, {"value": 1.0, "people": 1, "group": "a"},
                  {"value": 2.0, "people": 1, "group": "b"}]})"));
}

TEST(GroupFacts, NamesAreAHistogramOfTexts) {
  Made made({0, 0, 1, 2}, {{0, 2}, {1}});
  made.people.space = space_of({towns()}, {{0}, {1}, {2}}, {0, 1, 2});
  EXPECT_EQ(made.data(), Json::parse(R"({"secret_kind": "categorical", "values": 3, "joined": false})"));
  EXPECT_EQ(made.facts(), Json::parse(R"({
    "groups": [{"label": "a", "people": 3, "values": 2}, {"label": "b", "people": 1, "values": 1}],
    "histogram": [{"value": "Ash", "people": 2, "group": "a"}, {"value": "Birch", "people": 1, "group": "b"},
                  {"value": "Cedar", "people": 1, "group": "a"}]})"));
}

TEST(GroupFacts, PlacesAreAMapAndJoinedCellsShareTheirPeople) {
  Made made({0, 1, 1, 1}, {{0}, {1}});
  made.people.space = space_of({homes()}, {{0}, {1}, {2}}, {0, 1, 1});
  made.people.space->grid = data::Grid{.cell_km = 0.5, .on_earth = true};
  EXPECT_EQ(made.data(), Json::parse(R"({"secret_kind": "spatial", "values": 3, "joined": true})"));
  EXPECT_EQ(made.facts()["map"], Json::parse(R"({"cell_km": 0.5, "on_earth": true, "cells": [
    {"row": 0, "column": 5, "group": "a", "people": 1.0}, {"row": 1, "column": 5, "group": "b", "people": 1.5},
    {"row": 1, "column": 6, "group": "b", "people": 1.5}],
    "degrees": {"south": 0.0, "west": 0.0, "height": 1.0, "width": 1.0}})"));
  EXPECT_FALSE(made.facts().contains("histogram"));
}

TEST(GroupFacts, TwoSecretsAreAPlaneAndGroupsSayWhatTheyCoverOfEach) {
  Made made({0, 1, 2, 2}, {{0, 1}, {2}});
  made.people.space = space_of({ages(), towns()}, {{0, 0}, {0, 2}, {1, 1}}, {0, 1, 2});
  made.mechanism.groups[0].covers = {{.label = "18"}, {.label = "Ash, Cedar"}};
  made.mechanism.groups[1].covers = {{.label = "30 or more"}, {.label = "Birch"}};
  EXPECT_EQ(made.data(), Json::parse(R"({"secret_kind": "ordered, categorical", "values": 3, "joined": false,
                                         "axes": ["age", "town"]})"));
  const Json facts = made.facts();
  EXPECT_EQ(facts["groups"][0]["covers"], Json::parse(R"([{"label": "18"}, {"label": "Ash, Cedar"}])"));
  EXPECT_EQ(facts["plane"], Json::parse(R"({
    "x": {"name": "age", "values": [18.0, 30.5]}, "y": {"name": "town", "values": ["Ash", "Birch", "Cedar"]},
    "points": [{"x": 0, "y": 0, "group": "a", "people": 1}, {"x": 0, "y": 2, "group": "a", "people": 1},
               {"x": 1, "y": 1, "group": "b", "people": 2}]})"));
}

TEST(GroupFacts, CellWhosePeopleAreInTwoGroupsIsOnTheMapForEach) {
  Made made({0, 0, 1}, {{0}, {1}});
  made.people.space = space_of({ages(), homes()}, {{0, 1}, {1, 1}}, {0, 1});
  made.people.space->grid = data::Grid{};
  made.mechanism.groups[0].covers = made.mechanism.groups[1].covers = {{.label = "x"}, {.label = "y"}};
  EXPECT_EQ(made.facts()["map"]["cells"], Json::parse(R"([
    {"row": 1, "column": 5, "group": "a", "people": 2.0}, {"row": 1, "column": 5, "group": "b", "people": 1.0}])"));
  EXPECT_FALSE(made.facts().contains("plane"));
}

}  // namespace
}  // namespace hyobscure::report
