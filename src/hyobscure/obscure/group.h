#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/secret_space.h"

namespace hyobscure::obscure {

/// What a group covers of one axis of the secret; a secret that is one number has one axis.
struct Cover {
  std::string label;                ///< "18-24"
  std::optional<double> low = {};   ///< numbers: the smallest that the label covers; absent: open below
  std::optional<double> high = {};  ///< the largest that it covers, or the first above; absent: open above
  bool high_included = true;
  std::vector<data::GridCell> cells = {};  ///< places, ascending
  std::vector<std::string> names = {};     ///< categories

  bool operator==(const Cover&) const = default;
};

/// What is published in place of an exact secret.
struct Group {
  std::string label;          ///< "18-24", "north-east: 41 cells", "18-24, F"
  std::vector<Cover> covers;  ///< one an axis
  std::int64_t people = 0;
  std::int64_t values = 0;  ///< distinct secrets
  /// Several axes, and the group is not all that its covers cross: its secrets one by one, a text an axis.
  std::vector<std::vector<std::string>> combinations = {};
  std::vector<int> members = {};  ///< its values among the people's, ascending; private

  bool operator==(const Group&) const = default;
};

}  // namespace hyobscure::obscure
