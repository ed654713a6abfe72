#include "hyobscure/obscure/groups/terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/groups/pool_limits.h"
#include "hyobscure/published/group.h"
#include "hyobscure/solve/groups/first_groups.h"

namespace hyobscure::obscure {
namespace {

// --- what cannot be met

std::string limits_text(const solve::GroupLimits& limits) {
  return fmt::format("people = [{}, {}], values = [{}, {}]", limits.least_people, limits.most_people,
                     limits.least_values, limits.most_values);
}

[[noreturn]] void throw_infeasible(const data::Spec& spec, const solve::OrderedValues& values,
                                   const solve::GroupLimits& limits, int groups, const std::string& found) {
  const solve::Infeasibility why = solve::explain_infeasible(values, limits, groups);
  std::string remedy =
      why.nearest.empty() ? "Widen the limits in [groups]." : "Settings near yours that work:";
  for (const auto& suggestion : why.nearest)
    remedy += fmt::format("\n  count = {}, {}", suggestion.groups, limits_text(suggestion.limits));
  throw InputError({.source = spec.name + ", [groups]"}, found + why.reason, remedy);
}

/// The partition that the user wrote down as ranges.
solve::Partition fixed_groups(const data::Spec& spec, const solve::OrderedValues& values,
                              const solve::GroupLimits& limits) {
  const auto fail = [&](const std::string& problem) {
    throw InputError({.source = spec.name + ", groups.fixed"}, problem,
                     "Correct the ranges, or the limits in [groups].");
  };
  solve::Partition partition;
  Eigen::Index v = 0;
  for (const data::Interval& range : spec.groups.fixed) {
    partition.starts.push_back(static_cast<int>(v));
    const Eigen::Index first = v;
    while (v < values.positions.size() && values.positions[v] >= range[0] && values.positions[v] <= range[1])
      ++v;
    const auto text = fmt::format("the range [{}, {}]", range[0], range[1]);
    if (v == first) fail(text + " holds nobody, or an earlier value belongs to no range");
    if (!solve::allowed(values, limits, static_cast<int>(first), static_cast<int>(v)))
      fail(fmt::format("{} holds {} people and {} values, outside {}", text,
                       values.people.segment(first, v - first).sum(),
                       values.distinct.segment(first, v - first).sum(), limits_text(limits)));
  }
  if (v < values.positions.size()) fail("there are people above the last range, or between two ranges");
  partition.starts.push_back(static_cast<int>(v));
  return partition;
}

// --- first groups

std::optional<solve::Partition> find_groups(const data::Spec& spec, const solve::ValueLayout& layout,
                                            const solve::GroupLimits& limits, int count) {
  RandomStream random(search_key(spec).derive("first groups"));
  return layout.first_groups(limits, count, spec.groups.first == data::FirstGroups::Paper, random);
}

/// Along a row everything can be explained and proven; of areas there may be others.
[[noreturn]] void throw_none_found(const data::Spec& spec, const solve::ValueLayout& layout,
                                   const solve::GroupLimits& limits, int count) {
  throw_infeasible(spec, layout.rows().front(), limits, count,
                   layout.search_is_exact()
                       ? "no grouping meets the limits: "
                       : "no areas within the limits were found; along a curve through all values, ");
}

/// Of the number that the spec asks for, or of the smallest that works.
solve::Partition first_groups(const data::Spec& spec, const solve::OrderedValues& values,
                              const solve::ValueLayout& layout, const solve::GroupLimits& limits) {
  if (!spec.groups.fixed.empty()) return fixed_groups(spec, values, limits);
  if (spec.groups.count) {
    if (auto found = find_groups(spec, layout, limits, *spec.groups.count)) return *std::move(found);
    throw_none_found(spec, layout, limits, *spec.groups.count);
  }
  for (const int count : layout.counts_to_try(limits))
    if (auto found = find_groups(spec, layout, limits, count)) return *std::move(found);
  const double fewest =
      std::max(values.people.sum() / limits.most_people, values.distinct.sum() / limits.most_values);
  throw_none_found(spec, layout, limits, std::max(1, static_cast<int>(std::ceil(fewest))));
}

// --- the values of a secret that is no single number

/// Runs of neighbouring branches of one node: what a group that follows the hierarchy may be.
solve::Joinable along_hierarchy(const data::SecretSpace& space, int values) {
  std::set<std::pair<int, int>> runs;
  const auto first = [&](const data::HierarchyNode& node) {
    return static_cast<int>(space.value_of_point[node.first]);
  };
  const auto end = [&](const data::HierarchyNode& node) {
    return static_cast<int>(space.value_of_point[node.end - 1]) + 1;
  };
  for (int value = 0; value < values; ++value) runs.insert({value, value + 1});
  for (const data::HierarchyNode& node : space.hierarchy)
    for (std::size_t from = 0; from < node.children.size(); ++from)
      for (std::size_t to = from; to < node.children.size(); ++to)
        runs.insert({first(space.hierarchy[node.children[from]]), end(space.hierarchy[node.children[to]])});
  return {values, [&](int a, int b) { return runs.contains({a, b}); }};
}

std::string coordinate_text(const data::Axis& axis, const data::Coordinate& at) {
  return (axis.kind == data::AxisKind::Spatial ? "cell " : "") + published::text_of(at, axis.kind);
}

/// Of each value, its first point stands for those that were joined to it.
std::vector<std::string> value_names(const data::SecretSpace& space, std::size_t values) {
  std::vector<std::string> names(values);
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    std::string& name = names[space.value_of_point[p]];
    if (!name.empty()) continue;
    std::vector<std::string> parts;
    for (std::size_t axis = 0; axis < space.axes.size(); ++axis)
      parts.push_back(coordinate_text(space.axes[axis], space.coordinate(p, axis)));
    name = fmt::format("{}", fmt::join(parts, ", "));
  }
  return names;
}

/// Steps along each dimension: ranks of numbers, rows and columns of cells, places of names.
std::vector<double> steps_of(const data::SecretSpace& space, std::size_t point) {
  std::vector<double> steps;
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis) {
    const data::GridCell& cell = space.coordinate(point, axis).cell;
    if (space.axes[axis].kind == data::AxisKind::Spatial)
      steps.insert(steps.end(), {static_cast<double>(cell.row), static_cast<double>(cell.column)});
    else
      steps.push_back(space.points[point][axis]);
  }
  return steps;
}

/// The middle of the points of each value.
Eigen::MatrixXi middle_positions(const data::SecretSpace& space, Eigen::Index values) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(values, static_cast<Eigen::Index>(steps_of(space, 0).size()));
  Eigen::VectorXd points = Eigen::VectorXd::Zero(values);
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    const std::vector<double> steps = steps_of(space, p);
    sums.row(space.value_of_point[p]) += Eigen::Map<const Eigen::RowVectorXd>(steps.data(), sums.cols());
    points[space.value_of_point[p]] += 1;
  }
  return (sums.array().colwise() / points.array()).round().cast<int>();
}

/// Whether no other point lies in what the values cover of each axis: of numbers the range between the
/// smallest and the largest, of cells and names just these.
bool is_box(const data::SecretSpace& space, std::span<const int> values) {
  std::vector<char> inside(space.points.size());
  std::vector<std::vector<char>> covered;  // of each axis
  for (const data::Axis& axis : space.axes) covered.emplace_back(axis.values.size(), 0);
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    inside[p] = std::ranges::find(values, static_cast<int>(space.value_of_point[p])) != values.end();
    for (std::size_t axis = 0; inside[p] && axis < covered.size(); ++axis)
      covered[axis][space.points[p][axis]] = 1;
  }
  for (std::size_t axis = 0; axis < covered.size(); ++axis)
    if (space.axes[axis].kind == data::AxisKind::Ordered) {
      const auto first = std::ranges::find(covered[axis], 1);
      const auto last = std::ranges::find(covered[axis].rbegin(), covered[axis].rend(), 1).base();
      std::fill(first, last, 1);
    }
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    bool crossed = true;
    for (std::size_t axis = 0; crossed && axis < covered.size(); ++axis)
      crossed = covered[axis][space.points[p][axis]] != 0;
    if (crossed && !inside[p]) return false;
  }
  return true;
}

}  // namespace

Key search_key(const data::Spec& spec) {
  return Key::from_seed(spec.method.seed.value_or(0)).derive("search");
}

solve::OrderedValues ordered_values(const Population& population) {
  const auto size = static_cast<Eigen::Index>(population.values.size());
  solve::OrderedValues values{Eigen::VectorXd(size), population.people, Eigen::VectorXd(size)};
  for (Eigen::Index v = 0; v < size; ++v) {
    values.positions[v] = population.values[static_cast<std::size_t>(v)].centre;
    values.distinct[v] = population.values[static_cast<std::size_t>(v)].distinct;
  }
  if (!population.space) return values;
  values.names = value_names(*population.space, population.values.size());
  if (!population.space->hierarchy.empty())
    values.joinable = along_hierarchy(*population.space, static_cast<int>(size));
  return values;
}

namespace {

bool lie_in_a_row(const Population& population) {
  return !population.space || !population.space->hierarchy.empty();
}

solve::AreaValues area_values(const Population& population, bool boxes) {
  solve::OrderedValues values = ordered_values(population);
  solve::AreaValues areas{.positions = middle_positions(*population.space, values.people.size()),
                          .people = std::move(values.people),
                          .distinct = std::move(values.distinct),
                          .neighbours = {},
                          .names = std::move(values.names)};
  for (const auto& neighbours : data::neighbours_of_values(*population.space))
    areas.neighbours.emplace_back(neighbours.begin(), neighbours.end());
  if (boxes)
    areas.may_be_group = [space = &*population.space](std::span<const int> group) {
      return is_box(*space, group);
    };
  return areas;
}

solve::OrderedValues with_pools(solve::OrderedValues values, const PoolLimits* pools) {
  if (pools != nullptr)
    values.joinable = {values.count(), [pools, before = values.joinable](int first, int end) {
                         return before(first, end) && pools->allow_run(first, end);
                       }};
  return values;
}

/// The predicate outlives this call, and so it has limits of its own.
solve::AreaValues with_pools(solve::AreaValues areas, const PoolLimits* pools) {
  if (pools != nullptr)
    areas.may_be_group = [limits = *pools, before = areas.may_be_group](std::span<const int> group) {
      return (!before || before(group)) && limits.allow(group);
    };
  return areas;
}

/// `pools`: what kept columns ask of groups, or nothing.
std::shared_ptr<const solve::ValueLayout> layout_within(const Population& population, bool boxes,
                                                        const PoolLimits* pools) {
  if (lie_in_a_row(population))
    return std::make_shared<solve::RunLayout>(with_pools(ordered_values(population), pools));
  return std::make_shared<solve::AreaLayout>(with_pools(area_values(population, boxes), pools));
}

}  // namespace

std::shared_ptr<const solve::ValueLayout> layout_of(const Population& population, bool boxes) {
  return layout_within(population, boxes, nullptr);
}

solve::GroupLimits group_limits(const data::Spec& spec) {
  if (!spec.groups.people || !spec.groups.values)
    throw InputError(
        {.source = spec.name}, "groups.people and groups.values are not both given",
        "Choose the fewest and most people, and the fewest and most distinct secrets of a group; `hyobscure "
        "inspect` shows what is possible.");
  return {.least_people = std::max((*spec.groups.people)[0], PoolLimits::kFewestPeople),
          .most_people = (*spec.groups.people)[1],
          .least_values = (*spec.groups.values)[0],
          .most_values = (*spec.groups.values)[1]};
}

namespace {

// --- kept columns

PoolLimits pool_limits(const Population& population, const data::Spec& spec,
                       const solve::GroupLimits& limits) {
  const bool for_pools = spec.groups.limits_for == data::LimitsFor::Pools;
  return {population, for_pools ? limits.least_people : 1, for_pools ? limits.least_values : 1};
}

Terms terms_with(const Population& population, const data::Spec& spec, const solve::GroupLimits& limits,
                 const PoolLimits* pools, bool boxes) {
  Terms terms{.values = with_pools(ordered_values(population), pools),
              .layout = layout_within(population, boxes, pools),
              .limits = limits,
              .first_groups = {}};
  terms.first_groups = first_groups(spec, terms.values, *terms.layout, limits);
  return terms;
}

/// `pools`: what kept columns ask of groups, or nothing. Of several secrets boxes are tried first.
Terms terms_within(const Population& population, const data::Spec& spec, const solve::GroupLimits& limits,
                   const PoolLimits* pools) {
  const bool several = population.space && population.space->axes.size() > 1;
  if (several && spec.groups.shape != data::GroupShape::Connected) try {
      return terms_with(population, spec, limits, pools, true);
    } catch (const InputError&) {
      if (spec.groups.shape == data::GroupShape::Boxes) throw;
    }
  return terms_with(population, spec, limits, pools, false);
}

bool admit_groups(const Population& population, const data::Spec& spec, const solve::GroupLimits& limits) {
  const PoolLimits pools = pool_limits(population, spec, limits);
  try {
    (void)terms_within(population, spec, limits, &pools);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// The same limits with the largest value of one lower limit that works; nothing: none does.
std::optional<solve::GroupLimits> lowered(const Population& population, const data::Spec& spec,
                                          solve::GroupLimits limits, double solve::GroupLimits::* which) {
  double fails = limits.*which, works = 1;
  limits.*which = works;
  if (fails <= works || !admit_groups(population, spec, limits)) return std::nullopt;
  while (fails - works > 1) {
    limits.*which = std::floor((works + fails) / 2);
    (admit_groups(population, spec, limits) ? works : fails) = limits.*which;
  }
  limits.*which = works;
  return limits;
}

std::string lower_limits_text(const Population& population, const data::Spec& spec,
                              const solve::GroupLimits& limits) {
  std::vector<solve::GroupLimits> work;
  for (const auto which : {&solve::GroupLimits::least_people, &solve::GroupLimits::least_values})
    if (const auto found = lowered(population, spec, limits, which)) work.push_back(*found);
  if (work.empty()) {
    solve::GroupLimits one_value = limits;
    one_value.least_values = 1;
    if (const auto found = lowered(population, spec, one_value, &solve::GroupLimits::least_people))
      work.push_back(*found);
  }
  std::string text;
  for (const solve::GroupLimits& found : work) text += fmt::format("\n  {}", limits_text(found));
  return text;
}

/// There are groups within the limits, but kept columns cut each choice of them into pools that are too
/// small.
[[noreturn]] void throw_small_pools(const Population& population, const data::Spec& spec,
                                    const solve::GroupLimits& limits) {
  const bool for_pools = spec.groups.limits_for == data::LimitsFor::Pools;
  const std::string remedy = fmt::format(
      "Leave a column out of people.keep, or merge its rare values in a query{}",
      for_pools ? ", or set groups.limits_for = \"groups\", which holds the limits for groups only" : "");
  const std::string lower = for_pools ? lower_limits_text(population, spec, limits) : "";
  throw InputError(
      {.source = spec.name + ", [groups]"},
      for_pools ? fmt::format("kept columns ({}) make pools, people with the same group and the same kept "
                              "cells; no groups have pools of at least {} people and {} values only",
                              fmt::join(spec.people.keep, ", "), limits.least_people, limits.least_values)
                : fmt::format("kept columns ({}) leave somebody alone, with a group and kept cells that "
                              "nobody shares: such a person could publish only themselves",
                              fmt::join(spec.people.keep, ", ")),
      remedy + (lower.empty() ? "." : ". Lower limits that work:" + lower));
}

}  // namespace

Terms first_terms_of(const Population& population, const data::Spec& spec) {
  const solve::GroupLimits limits = group_limits(spec);
  if (population.kept_people.size() == 0) return terms_within(population, spec, limits, nullptr);
  const PoolLimits pools = pool_limits(population, spec, limits);
  try {
    return terms_within(population, spec, limits, &pools);
  } catch (const InputError&) {
    (void)terms_within(population, spec, limits, nullptr);  // says what is wrong without kept columns too
    throw_small_pools(population, spec, limits);
  }
}

}  // namespace hyobscure::obscure
