#pragma once

#include <memory>

#include "hyobscure/base/random.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/solve/areas/value_layout.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// The people by value, as the partition search sees them.
[[nodiscard]] solve::OrderedValues ordered_values(const Population& population);

/// How the values lie: in a row, or otherwise on a map, of several secrets, of categories without a
/// hierarchy. boxes: of several secrets, a group is what a range or list of each by itself crosses.
[[nodiscard]] std::shared_ptr<const solve::ValueLayout> layout_of(const Population& population, bool boxes);

/// (k, alpha) and (l, beta) of the spec; k is at least 2, since somebody alone could publish only themselves.
/// Throws InputError where they are not given: they have no default.
[[nodiscard]] solve::GroupLimits group_limits(const data::Spec& spec);

/// The key of the searches: fixed, so that the same data and spec give the same mechanism but for its draws.
[[nodiscard]] Key search_key(const data::Spec& spec);

/// What the publisher asks for, and the groups to start from.
struct Terms {
  solve::OrderedValues values;
  std::shared_ptr<const solve::ValueLayout> layout = {};  ///< how the values of the secret lie
  solve::GroupLimits limits;
  solve::Partition first_groups;
};

/// First groups are those of the spec, or of the kind that it asks for. Needs nothing but the secrets, so
/// terms which cannot be met are refused before any long work: throws InputError with the cause and the
/// nearest settings that work.
[[nodiscard]] Terms first_terms_of(const Population& population, const data::Spec& spec);

}  // namespace hyobscure::obscure
