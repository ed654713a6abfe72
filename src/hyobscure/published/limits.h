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
[[nodiscard]] Json limits_json(const Limits& limits, bool keeps);
/// What limits_json wrote; throws Json's exceptions where it did not.
[[nodiscard]] Limits limits_from(const Json& json);

}  // namespace hyobscure::published
