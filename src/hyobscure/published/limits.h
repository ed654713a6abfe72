#pragma once

#include "hyobscure/base/json.h"

namespace hyobscure::published {

/// (k, alpha)-uniqueness and (l, beta)-variety, as a mechanism keeps them and a release states them.
struct Limits {
  double least_people = 1, most_people = 1;  ///< k, alpha: people of a group
  double least_values = 1, most_values = 1;  ///< l, beta: distinct secrets of a group
  /// Kept columns: k and l hold for people who share group and kept cells, and not only for groups.
  bool for_pools = false;
};

/// `keeps`: columns are kept, so it matters what the limits are for.
inline Json limits_json(const Limits& limits, bool keeps) {
  Json json = {{"people", {limits.least_people, limits.most_people}},
               {"values", {limits.least_values, limits.most_values}}};
  if (keeps) json["for"] = limits.for_pools ? "pools" : "groups";
  return json;
}

inline Limits limits_from(const Json& json) {
  return {json.at("people").at(0), json.at("people").at(1), json.at("values").at(0), json.at("values").at(1),
          json.value("for", "") == "pools"};
}

}  // namespace hyobscure::published
