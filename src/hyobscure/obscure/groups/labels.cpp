#include "hyobscure/obscure/groups/labels.h"

#include <cmath>

#include "hyobscure/obscure/groups/range_covers.h"
#include "hyobscure/obscure/groups/space_labels.h"

namespace hyobscure::obscure {

double short_number_between(double low, double high) {
  for (int digits = -15; digits <= 17; ++digits) {
    const double scale = std::pow(10.0, digits);
    const double candidate =
        (std::floor(low * scale) + 1) / scale;  // the next multiple of 10^-digits above low
    if (candidate > low && candidate < high) return candidate;
  }
  return high;
}

std::vector<published::Group> label_ranges(std::span<const data::SecretValue> values,
                                           const solve::Partition& partition,
                                           const std::optional<data::Interval>& keep) {
  std::vector<RangeCovers::Ends> ends;
  for (const data::SecretValue& value : values) ends.push_back({value.low, value.high});
  const RangeCovers ranges(std::move(ends), keep);
  std::vector<published::Group> groups(static_cast<std::size_t>(partition.groups()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    published::Group& group = groups[g];
    group.members = partition.members(static_cast<int>(g));
    group.covers = {ranges.cover(static_cast<std::size_t>(group.members.front()),
                                 static_cast<std::size_t>(group.members.back()))};
    group.label = group.covers[0].label;
    for (const int v : group.members)
      group.values += static_cast<std::int64_t>(values[static_cast<std::size_t>(v)].distinct);
  }
  return groups;
}

std::vector<published::Group> label_groups(const Population& population, const solve::Partition& partition,
                                           const data::Spec& spec) {
  std::vector<published::Group> groups = population.space
                                             ? label_space(*population.space, partition, spec.secret.keep)
                                             : label_ranges(population.values, partition, spec.secret.keep);
  const std::vector<int> group_of_value = partition.group_of_values();
  for (std::size_t v = 0; v < group_of_value.size(); ++v)
    groups[static_cast<std::size_t>(group_of_value[v])].people +=
        std::llround(population.people[static_cast<Eigen::Index>(v)]);
  return groups;
}

}  // namespace hyobscure::obscure
