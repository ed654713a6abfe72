#pragma once

#include <optional>
#include <vector>

#include "hyobscure/data/secret/secret_space.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/published/group.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// Readable groups of a secret that is a place, a category, or several secrets at once.
///
///   places       "north-east: 41 cells", by where the middle of the cells lies from the middle of all
///   categories   the name of the hierarchy's node that holds just these, else a list, "A, B and 12 more";
///                "A to C" where names have an order (secret.order)
///   numbers      as label_ranges has them; `keep` is theirs
///
/// On one axis, different sets have different labels: they are numbered where they read alike. The group of
/// several axes is called by what it covers of each. Where the covers of some groups cross, every group also
/// lists its secrets (published::Group::combinations, ascending). Fills all but `people`.
[[nodiscard]] std::vector<published::Group> label_space(const data::SecretSpace& space,
                                                        const solve::Partition& partition,
                                                        const std::optional<data::Interval>& keep);

}  // namespace hyobscure::obscure
