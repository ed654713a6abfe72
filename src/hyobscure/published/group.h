#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/data/secret/secret_space.h"

namespace hyobscure::published {

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
  /// Several axes, and the covers of groups cross: its secrets one by one, ascending, a text an axis.
  std::vector<std::vector<std::string>> combinations = {};
  std::vector<int> members = {};  ///< its values among the people's, ascending; private

  bool operator==(const Group&) const = default;
};

/// As combinations have it: "24", "3:17" (row and column), a name.
[[nodiscard]] std::string text_of(const data::Coordinate& coordinate, data::AxisKind kind);

/// Whether the cover of an axis holds an exact value of it.
[[nodiscard]] bool covers(const Cover& cover, const data::Coordinate& coordinate, data::AxisKind kind);

/// Whether a group holds an exact secret: one of its combinations where it lists them, else all that its
/// covers cross. A coordinate and a kind an axis.
[[nodiscard]] bool covers(const Group& group, std::span<const data::Coordinate> secret,
                          std::span<const data::AxisKind> kinds);

}  // namespace hyobscure::published
