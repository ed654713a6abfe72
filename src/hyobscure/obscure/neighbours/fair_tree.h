#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::obscure {

/// Wards: sets of alike people in which every value of the secret has the same share as in the whole pool,
/// but for rounding. A ward therefore reveals next to nothing of the secret, I(Y; W | pool) being what
/// rounding leaves, and donors can be chosen in each ward alone (fair_tree.md).
///
/// The pool is halved until no part has more than `most` people: along a direction in which a sample of the
/// part differs much, the people of each value at their own median. A value of n people has floor(n / 2^d) or
/// ceil(n / 2^d) of them in every node of depth d; nodes of one depth differ by at most one person.
///
/// Wards hold positions in `members`, ascending. They depend on the data, the key and `most` alone.
/// `value_of_member`: one for each member, below `values`. Rows must have passed census::check_rows.
/// Throws Stopped.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> fair_wards(
    census::Distance distance, const data::SparseRows& rows, std::span<const std::uint32_t> members,
    std::span<const std::uint32_t> value_of_member, std::uint32_t values, std::size_t most, const Key& key,
    const Progress& progress = {});

}  // namespace hyobscure::obscure
