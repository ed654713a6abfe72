#include "hyobscure/published/group.h"

#include <fmt/format.h>

#include <algorithm>

namespace hyobscure::published {

std::string text_of(const data::Coordinate& coordinate, data::AxisKind kind) {
  switch (kind) {
    case data::AxisKind::Ordered:
      return fmt::format("{}", coordinate.number);
    case data::AxisKind::Spatial:
      return fmt::format("{}:{}", coordinate.cell.row, coordinate.cell.column);
    case data::AxisKind::Categorical:
      break;
  }
  return coordinate.name;
}

bool covers(const Cover& cover, const data::Coordinate& coordinate, data::AxisKind kind) {
  switch (kind) {
    case data::AxisKind::Ordered:
      return (!cover.low || coordinate.number >= *cover.low) &&
             (!cover.high || coordinate.number < *cover.high ||
              (cover.high_included && coordinate.number == *cover.high));
    case data::AxisKind::Spatial:
      return std::ranges::binary_search(cover.cells, coordinate.cell);
    case data::AxisKind::Categorical:
      break;
  }
  return std::ranges::find(cover.names, coordinate.name) != cover.names.end();
}

bool covers(const Group& group, std::span<const data::Coordinate> secret,
            std::span<const data::AxisKind> kinds) {
  if (!group.combinations.empty()) {
    std::vector<std::string> texts;
    for (std::size_t axis = 0; axis < kinds.size(); ++axis)
      texts.push_back(text_of(secret[axis], kinds[axis]));
    return std::ranges::binary_search(group.combinations, texts);
  }
  for (std::size_t axis = 0; axis < kinds.size(); ++axis)
    if (!covers(group.covers[axis], secret[axis], kinds[axis])) return false;
  return true;
}

}  // namespace hyobscure::published
