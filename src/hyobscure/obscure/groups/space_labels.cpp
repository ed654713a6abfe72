#include "hyobscure/obscure/groups/space_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "hyobscure/obscure/groups/range_covers.h"

namespace hyobscure::obscure {
namespace {

using data::Axis;
using data::AxisKind;
using data::GridCell;
using data::SecretSpace;

/// Some values of an axis: indices, ascending.
using Indices = std::vector<std::uint32_t>;

// --- texts that must differ

/// The texts in their order; one that occurred before, or means something else already, gets the next number.
template <class Numbered>
void number_repeats(std::vector<std::string>& texts, const Numbered& numbered,
                    const std::set<std::string>& reserved = {}) {
  std::set<std::string> taken = reserved, seen = reserved;
  taken.insert(texts.begin(), texts.end());
  for (std::string& text : texts) {
    if (seen.insert(text).second) continue;
    int number = 2;
    while (taken.contains(numbered(text, number))) ++number;
    text = numbered(text, number);
    taken.insert(text);
    seen.insert(text);
  }
}

std::string in_brackets(const std::string& text, int number) { return fmt::format("{} ({})", text, number); }
std::string behind(const std::string& text, int number) { return fmt::format("{} {}", text, number); }

// --- places

struct Middle {
  double row = 0, column = 0;
};

Middle middle_of(const std::vector<GridCell>& cells) {
  Middle middle;
  for (const GridCell& cell : cells) {
    middle.row += cell.row;
    middle.column += cell.column;
  }
  return {middle.row / static_cast<double>(cells.size()), middle.column / static_cast<double>(cells.size())};
}

double squared_distance(double rows, double columns) { return rows * rows + columns * columns; }

/// Eight directions of 45 degrees each.
std::string direction(double northwards, double eastwards) {
  constexpr double kDiagonal = 1 + std::numbers::sqrt2;  // tan 67.5 degrees
  const std::string north_south = northwards > 0 ? "north" : "south";
  const std::string east_west = eastwards > 0 ? "east" : "west";
  if (std::abs(northwards) > kDiagonal * std::abs(eastwards)) return north_south;
  if (std::abs(eastwards) > kDiagonal * std::abs(northwards)) return east_west;
  return north_south + "-" + east_west;
}

/// Tells where areas lie among all cells.
class Compass {
 public:
  explicit Compass(const std::vector<GridCell>& all) : all_(all.size()), middle_(middle_of(all)) {
    for (const GridCell& cell : all)
      spread_ += squared_distance(cell.row - middle_.row, cell.column - middle_.column);
    spread_ /= static_cast<double>(all.size());
  }

  /// "centre" within a quarter of how far (root mean square) cells lie from the middle.
  std::string where(const std::vector<GridCell>& cells) const {
    if (cells.size() == all_) return "all";
    const Middle middle = middle_of(cells);
    const double northwards = middle.row - middle_.row, eastwards = middle.column - middle_.column;
    if (16 * squared_distance(northwards, eastwards) <= spread_) return "centre";
    return direction(northwards, eastwards);
  }

 private:
  std::size_t all_;
  Middle middle_;
  double spread_ = 0;
};

std::vector<published::Cover> area_covers(const Axis& axis, const std::vector<Indices>& sets) {
  std::vector<GridCell> all;
  for (const data::Coordinate& value : axis.values) all.push_back(value.cell);
  const Compass compass(all);
  std::vector<published::Cover> covers(sets.size());
  std::vector<std::string> directions;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const std::uint32_t index : sets[s]) covers[s].cells.push_back(all[index]);
    std::ranges::sort(covers[s].cells);
    directions.push_back(compass.where(covers[s].cells));
  }
  number_repeats(directions, behind);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const std::size_t cells = covers[s].cells.size();
    covers[s].label = fmt::format("{}: {} {}", directions[s], cells, cells == 1 ? "cell" : "cells");
  }
  return covers;
}

// --- categories

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t kReadable = 5, kShown = 2;
  if (names.size() <= kReadable) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

/// The name of the node that holds just these leaves, of several the lowest; empty: there is none.
std::string node_name(const std::vector<data::HierarchyNode>& hierarchy, const Indices& leaves) {
  const auto holds_just_these = [&](const data::HierarchyNode& node) {
    return node.first == leaves.front() && node.end == leaves.back() + 1 &&
           node.end - node.first == leaves.size();
  };
  std::string name;
  for (const data::HierarchyNode& node : hierarchy) {
    const bool lowest = std::ranges::none_of(
        node.children, [&](std::uint32_t child) { return holds_just_these(hierarchy[child]); });
    if (holds_just_these(node) && lowest) name = node.name;
  }
  return name;
}

/// The label of several categories never reads as one of them.
std::vector<published::Cover> name_covers(const SecretSpace& space, const Axis& axis,
                                          const std::vector<Indices>& sets) {
  std::set<std::string> names;
  for (const data::Coordinate& value : axis.values) names.insert(value.name);
  std::vector<published::Cover> covers(sets.size());
  std::vector<std::string> labels;  // of several categories
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const std::uint32_t index : sets[s]) covers[s].names.push_back(axis.values[index].name);
    if (sets[s].size() == 1) continue;
    const std::string node = node_name(space.hierarchy, sets[s]);
    labels.push_back(space.names_in_order
                         ? fmt::format("{} to {}", covers[s].names.front(), covers[s].names.back())
                     : node.empty() || names.contains(node) ? list_of(covers[s].names)
                                                            : node);
  }
  number_repeats(labels, in_brackets, names);
  auto next = labels.begin();
  for (published::Cover& cover : covers) cover.label = cover.names.size() == 1 ? cover.names[0] : *next++;
  return covers;
}

// --- an axis of any kind

std::vector<published::Cover> range_covers(const Axis& axis, const std::vector<Indices>& sets,
                                           const std::optional<data::Interval>& keep) {
  std::vector<RangeCovers::Ends> ends;
  for (const data::Coordinate& value : axis.values) ends.push_back({value.number, value.number});
  const RangeCovers ranges(std::move(ends), keep);
  std::vector<published::Cover> covers;
  for (const Indices& set : sets) covers.push_back(ranges.cover(set.front(), set.back()));
  return covers;
}

/// What each group covers of an axis. Groups with the same values of it have the same cover.
std::vector<published::Cover> axis_covers(const SecretSpace& space, const Axis& axis,
                                          const std::vector<Indices>& values_of_group,
                                          const std::optional<data::Interval>& keep) {
  if (axis.kind == AxisKind::Ordered) return range_covers(axis, values_of_group, keep);
  std::map<Indices, std::size_t> number_of_set;
  std::vector<Indices> sets;  // in the order of the groups, so that numbers of labels are
  for (const Indices& values : values_of_group)
    if (number_of_set.emplace(values, sets.size()).second) sets.push_back(values);
  const std::vector<published::Cover> of_set =
      axis.kind == AxisKind::Spatial ? area_covers(axis, sets) : name_covers(space, axis, sets);
  std::vector<published::Cover> covers;
  for (const Indices& values : values_of_group) covers.push_back(of_set[number_of_set.at(values)]);
  return covers;
}

// --- groups of several axes

bool disjoint(AxisKind kind, const Indices& a, const Indices& b) {
  if (kind == AxisKind::Ordered) return a.back() < b.front() || b.back() < a.front();
  Indices both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both.empty();
}

/// `values[axis][group]`. Whether any two groups differ wholly in what they cover of some axis.
bool are_disjoint_boxes(const SecretSpace& space, const std::vector<std::vector<Indices>>& values) {
  const std::size_t groups = values[0].size();
  for (std::size_t a = 0; a < groups; ++a)
    for (std::size_t b = a + 1; b < groups; ++b) {
      bool apart = false;
      for (std::size_t axis = 0; axis < space.axes.size() && !apart; ++axis)
        apart = disjoint(space.axes[axis].kind, values[axis][a], values[axis][b]);
      if (!apart) return false;
    }
  return true;
}

std::vector<std::vector<std::string>> combinations(const SecretSpace& space, const Indices& points) {
  std::vector<std::vector<std::string>> result;
  for (const std::uint32_t point : points) {
    std::vector<std::string>& texts = result.emplace_back();
    for (std::size_t axis = 0; axis < space.axes.size(); ++axis)
      texts.push_back(published::text_of(space.coordinate(point, axis), space.axes[axis].kind));
  }
  std::ranges::sort(result);
  return result;
}

std::vector<Indices> points_by_group(const SecretSpace& space, const solve::Partition& partition) {
  const std::vector<int> group_of_value = partition.group_of_values();
  std::vector<Indices> points(static_cast<std::size_t>(partition.groups()));
  for (std::uint32_t p = 0; p < space.points.size(); ++p)
    points[static_cast<std::size_t>(group_of_value[space.value_of_point[p]])].push_back(p);
  return points;
}

Indices values_on_axis(const SecretSpace& space, const Indices& points, std::size_t axis) {
  std::set<std::uint32_t> values;
  for (const std::uint32_t point : points) values.insert(space.points[point][axis]);
  return {values.begin(), values.end()};
}

void join_labels(std::vector<published::Group>& groups) {
  std::vector<std::string> labels;
  for (const published::Group& group : groups) {
    std::vector<std::string> parts;
    for (const published::Cover& cover : group.covers) parts.push_back(cover.label);
    labels.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  }
  number_repeats(labels, in_brackets);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].label = labels[g];
}

}  // namespace

std::vector<published::Group> label_space(const SecretSpace& space, const solve::Partition& partition,
                                          const std::optional<data::Interval>& keep) {
  const std::vector<Indices> points = points_by_group(space, partition);
  std::vector<published::Group> groups(points.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].members = partition.members(static_cast<int>(g));
    groups[g].values = static_cast<std::int64_t>(points[g].size());
  }
  std::vector<std::vector<Indices>> values(space.axes.size());
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    for (const Indices& of_group : points) values[axis].push_back(values_on_axis(space, of_group, axis));
    const auto covers = axis_covers(space, space.axes[axis], values[axis], keep);
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].covers.push_back(covers[g]);
  }
  if (space.axes.size() > 1 && !are_disjoint_boxes(space, values))
    for (std::size_t g = 0; g < groups.size(); ++g) groups[g].combinations = combinations(space, points[g]);
  join_labels(groups);
  return groups;
}

}  // namespace hyobscure::obscure
