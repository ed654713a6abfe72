#include "hyobscure/published/limits.h"

namespace hyobscure::published {

Json limits_json(const Limits& limits, bool keeps) {
  Json json = {{"people", {limits.least_people, limits.most_people}},
               {"values", {limits.least_values, limits.most_values}}};
  if (keeps) json["for"] = limits.for_pools ? "pools" : "groups";
  return json;
}

Limits limits_from(const Json& json) {
  return {json.at("people").at(0), json.at("people").at(1), json.at("values").at(0), json.at("values").at(1),
          json.value("for", "") == "pools"};
}

}  // namespace hyobscure::published
