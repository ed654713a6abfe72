#include "hyobscure/verify/group_index.h"

#include <algorithm>
#include <limits>

namespace hyobscure::verify {
namespace {

using data::AxisKind;
using published::Cover;

constexpr double kOpen = std::numeric_limits<double>::infinity();

double begin_of(const Cover& cover) { return cover.low.value_or(-kOpen); }

/// The lists that hold numbers of the cover: first .. last.
std::pair<std::size_t, std::size_t> lists_of(const Cover& cover, const std::vector<double>& begins) {
  const auto place = [&](double x) {
    return static_cast<std::size_t>(std::ranges::upper_bound(begins, x) - begins.begin());
  };
  const std::size_t first = place(begin_of(cover)) - 1;
  std::size_t behind = place(cover.high.value_or(kOpen));
  if (cover.high && !cover.high_included && behind > first + 1 && begins[behind - 1] == *cover.high) --behind;
  return {first, std::max(first + 1, behind)};
}

/// How many pairs stand in one list.
double pairs_in(const std::vector<std::vector<std::uint32_t>>& lists) {
  double pairs = 0;
  for (const auto& list : lists) pairs += static_cast<double>(list.size()) * static_cast<double>(list.size());
  return pairs;
}

}  // namespace

GroupIndex::ByAxis GroupIndex::by_axis(const published::Manifest& manifest, std::size_t axis) {
  ByAxis by;
  const auto count = static_cast<std::uint32_t>(manifest.groups.size());
  const auto add = [&](auto& places, const auto& key, std::uint32_t group) {
    const auto [place, is_new] = places.try_emplace(key, by.lists.size());
    if (is_new) by.lists.emplace_back();
    by.lists[place->second].push_back(group);
  };
  if (manifest.kinds[axis] != AxisKind::Ordered) {
    for (std::uint32_t g = 0; g < count; ++g) {
      const Cover& cover = manifest.groups[g].covers[axis];
      for (const data::GridCell& cell : cover.cells) add(by.cells, cell, g);
      for (const std::string& name : cover.names) add(by.names, name, g);
    }
    return by;
  }
  for (const published::Group& group : manifest.groups) by.begins.push_back(begin_of(group.covers[axis]));
  std::ranges::sort(by.begins);
  by.begins.erase(std::unique(by.begins.begin(), by.begins.end()), by.begins.end());
  by.lists.resize(by.begins.size());
  for (std::uint32_t g = 0; g < count; ++g) {
    const auto [first, end] = lists_of(manifest.groups[g].covers[axis], by.begins);
    for (std::size_t list = first; list < end; ++list) by.lists[list].push_back(g);
  }
  return by;
}

GroupIndex::GroupIndex(const published::Manifest& manifest) {
  double fewest = kOpen;
  for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis) {
    ByAxis by = by_axis(manifest, axis);
    const double pairs = pairs_in(by.lists);
    if (pairs >= fewest) continue;
    fewest = pairs;
    axis_ = axis;
    kind_ = manifest.kinds[axis];
    lists_ = std::move(by.lists);
    places_ = std::move(by);
  }
}

const std::vector<std::uint32_t>& GroupIndex::near(const std::vector<data::Coordinate>& secret) const {
  const data::Coordinate& coordinate = secret[axis_];
  if (kind_ == AxisKind::Ordered) {
    const auto place = std::ranges::upper_bound(places_.begins, coordinate.number);
    return place == places_.begins.begin()
               ? none_
               : lists_[static_cast<std::size_t>(place - places_.begins.begin()) - 1];
  }
  const auto of = [&](const auto& places, const auto& key) -> const std::vector<std::uint32_t>& {
    const auto found = places.find(key);
    return found == places.end() ? none_ : lists_[found->second];
  };
  return kind_ == AxisKind::Spatial ? of(places_.cells, coordinate.cell) : of(places_.names, coordinate.name);
}

}  // namespace hyobscure::verify
