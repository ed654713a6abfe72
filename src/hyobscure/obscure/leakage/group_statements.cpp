#include "hyobscure/obscure/leakage/group_statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/groups/range_covers.h"
#include "hyobscure/obscure/groups/space_labels.h"

namespace hyobscure::obscure {
namespace {

/// Calls visit(value, exact secret) for all that occur.
template <class Visit>
void for_each_secret(const data::People& people, const Visit& visit) {
  if (people.space) {
    for (std::size_t point = 0; point < people.space->points.size(); ++point)
      visit(std::size_t{people.space->value_of_point[point]}, people.space->secret(point));
    return;
  }
  for (std::size_t value = 0; value < people.values.size(); ++value)
    for (const double number : {people.values[value].low, people.values[value].high}) {
      const data::Coordinate secret{.number = number};
      visit(value, std::span(&secret, 1));
    }
}

std::vector<std::size_t> group_of_values(const Mechanism& mechanism, std::size_t values) {
  std::vector<std::size_t> group_of_value(values);
  for (std::size_t g = 0; g < mechanism.groups.size(); ++g)
    for (const int value : mechanism.groups[g].members) group_of_value[static_cast<std::size_t>(value)] = g;
  return group_of_value;
}

void check_own_secrets(const Mechanism& mechanism, const data::People& people,
                       std::vector<std::string>& untrue) {
  const auto kinds = data::secret_kinds(people);
  const auto group_of_value = group_of_values(mechanism, people.values.size());
  std::set<std::size_t> lacking;
  for_each_secret(people, [&](std::size_t value, std::span<const data::Coordinate> secret) {
    const std::size_t g = group_of_value[value];
    if (!published::covers(mechanism.groups[g], secret, kinds)) lacking.insert(g);
  });
  for (const std::size_t g : lacking)
    untrue.push_back(fmt::format("{} does not cover the secrets of its people.", mechanism.groups[g].label));
}

/// Ranges of numbers, which may end anywhere between the secrets of two groups.
void check_ranges(const Mechanism& mechanism, const data::People& people, std::vector<std::string>& untrue) {
  const auto group_of_value = group_of_values(mechanism, people.values.size());
  for (std::size_t g = 0; g < mechanism.groups.size(); ++g) {
    const published::Group& group = mechanism.groups[g];
    bool holds_others = false;
    for_each_secret(people, [&](std::size_t value, std::span<const data::Coordinate> secret) {
      holds_others = holds_others || (group_of_value[value] != g &&
                                      published::covers(group.covers[0], secret[0], data::AxisKind::Ordered));
    });
    if (holds_others)
      untrue.push_back(fmt::format("{} covers secrets of people of other groups.", group.label));
    if (group.label != group.covers[0].label || !is_label_of(group.covers[0]))
      untrue.push_back(fmt::format("the label of group {} is not that of its range.", g + 1));
  }
}

/// Places, names and several secrets, whose covers and labels follow from the values of each group alone.
void check_space(const Mechanism& mechanism, const data::SecretSpace& space,
                 const std::optional<data::Interval>& keep, std::vector<std::string>& untrue) {
  const auto labelled = label_space(space, mechanism.partition(), keep);
  for (std::size_t g = 0; g < mechanism.groups.size(); ++g) {
    const published::Group& group = mechanism.groups[g];
    if (group.label != labelled[g].label || group.covers != labelled[g].covers ||
        group.combinations != labelled[g].combinations)
      untrue.push_back(fmt::format("the label or cover of group {} is not that of its secrets.", g + 1));
  }
}

bool is_outside(double number, double least, double most) { return !(number >= least && number <= most); }

void check_sizes(const Mechanism& mechanism, const data::People& people, std::vector<std::string>& untrue) {
  const auto group_of_value = group_of_values(mechanism, people.values.size());
  std::vector<std::int64_t> in_group(mechanism.groups.size(), 0);
  for (const std::uint32_t secret : people.secrets) in_group[group_of_value[secret]] += 1;
  const published::Limits& limits = mechanism.limits;
  for (std::size_t g = 0; g < mechanism.groups.size(); ++g) {
    const published::Group& group = mechanism.groups[g];
    if (group.people != in_group[g])
      untrue.push_back(
          fmt::format("it says {} people are in {}, and {} are.", group.people, group.label, in_group[g]));
    double secrets = 0;
    for (const int value : group.members) secrets += people.values[static_cast<std::size_t>(value)].distinct;
    const std::int64_t distinct = std::llround(secrets);
    if (group.values != distinct)
      untrue.push_back(
          fmt::format("it says {} secrets are in {}, and {} are.", group.values, group.label, distinct));
    if (is_outside(static_cast<double>(in_group[g]), limits.least_people, limits.most_people))
      untrue.push_back(fmt::format("{} has {} people, which its limits (k, alpha) do not allow.", group.label,
                                   in_group[g]));
    if (is_outside(static_cast<double>(distinct), limits.least_values, limits.most_values))
      untrue.push_back(
          fmt::format("{} has {} secrets, which its limits (l, beta) do not allow.", group.label, distinct));
  }
}

/// Of people who share group and kept cells.
void check_pools(const Mechanism& mechanism, const data::People& people, std::vector<std::string>& untrue) {
  if (people.kept.empty()) return;
  const auto exact = people.exact_secrets();
  std::size_t smallest = people.size(), fewest_secrets = people.size();
  for (const auto& members : pools_by_group(people, mechanism.partition()).members) {
    std::set<std::uint32_t> secrets;
    for (const std::uint32_t u : members) secrets.insert(exact[u]);
    smallest = std::min(smallest, members.size());
    fewest_secrets = std::min(fewest_secrets, secrets.size());
  }
  if (mechanism.smallest_pool != static_cast<std::int64_t>(smallest))
    untrue.push_back(fmt::format("it says its smallest pool has {} people, and it has {}.",
                                 mechanism.smallest_pool, smallest));
  if (!mechanism.limits.for_pools) return;
  if (static_cast<double>(smallest) < mechanism.limits.least_people)
    untrue.push_back(
        fmt::format("a pool has {} people, which its limits (k, of pools) do not allow.", smallest));
  if (static_cast<double>(fewest_secrets) < mechanism.limits.least_values)
    untrue.push_back(
        fmt::format("a pool has {} secrets, which its limits (l, of pools) do not allow.", fewest_secrets));
}

}  // namespace

std::vector<std::string> untrue_of_groups(const Mechanism& mechanism, const data::People& people,
                                          const std::optional<data::Interval>& keep) {
  std::vector<std::string> untrue;
  check_own_secrets(mechanism, people, untrue);
  if (people.space)
    check_space(mechanism, *people.space, keep, untrue);
  else
    check_ranges(mechanism, people, untrue);
  check_sizes(mechanism, people, untrue);
  check_pools(mechanism, people, untrue);
  return untrue;
}

}  // namespace hyobscure::obscure
