#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/published/group.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// Readable ranges for groups that are runs of numbers, by the rules of RangeCovers. Fills all but `people`.
[[nodiscard]] std::vector<published::Group> label_ranges(std::span<const data::SecretValue> values,
                                                         const solve::Partition& partition,
                                                         const std::optional<data::Interval>& keep);

/// The groups of any secret, readable (label_ranges, label_space); with their people counted.
[[nodiscard]] std::vector<published::Group> label_groups(const Population& population,
                                                         const solve::Partition& partition,
                                                         const data::Spec& spec);

/// The shortest decimal number c with low < c < high; `high` itself where there is none between.
[[nodiscard]] double short_number_between(double low, double high);

}  // namespace hyobscure::obscure
