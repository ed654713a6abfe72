#include "hyobscure/obscure/mechanism/misfit.h"

#include <algorithm>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/groups/pools.h"

namespace hyobscure::obscure {
namespace {

bool is_of(const published::Cover& cover, data::AxisKind kind) {
  return cover.cells.empty() == (kind != data::AxisKind::Spatial) &&
         cover.names.empty() == (kind != data::AxisKind::Categorical);
}

bool is_about(const published::Group& group, const std::vector<data::AxisKind>& kinds) {
  return std::ranges::equal(group.covers, kinds, is_of) &&
         std::ranges::all_of(group.combinations,
                             [&](const auto& combination) { return combination.size() == kinds.size(); });
}

bool fits(const Mechanism& mechanism, const data::People& people) {
  std::size_t values = 0;
  for (const published::Group& group : mechanism.groups) values += group.members.size();
  const auto kinds = data::secret_kinds(people);
  return values == people.values.size() && mechanism.people == static_cast<std::int64_t>(people.size()) &&
         mechanism.clusters.centres.cols() == static_cast<Eigen::Index>(people.features.columns) &&
         std::ranges::all_of(mechanism.groups,
                             [&](const published::Group& group) { return is_about(group, kinds); });
}

/// Where donors come from the own group: a channel for each pool, of as many people.
bool channels_fit(const Mechanism& mechanism, const data::People& people) {
  return !mechanism.within_groups ||
         std::ranges::equal(pools_by_group(people, mechanism.partition()).members, mechanism.channels,
                            [](const auto& members, const Channel& channel) {
                              return static_cast<std::int64_t>(members.size()) == channel.people;
                            });
}

}  // namespace

void refuse_misfit(const Mechanism& mechanism, const data::People& people) {
  if (!fits(mechanism, people) || !channels_fit(mechanism, people))
    throw InputError({.source = mechanism.source},
                     "does not fit the people: it was made for other data, or edited",
                     "Give the data and the spec that it was made from, or run fit again.");
}

}  // namespace hyobscure::obscure
