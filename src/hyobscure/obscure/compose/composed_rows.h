#pragma once

#include <cstdint>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/compose/units.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/mechanism/composing.h"

namespace hyobscure::obscure {

/// Nobody: the cell stays empty.
inline constexpr std::uint32_t kNobody = ~0u;

/// For every person the row that is published when they are drawn as donor: composed of the rows of their kin
/// (kin.h), unit by unit (units.h).
struct ComposedRows {
  data::SparseRows rows;
  std::vector<std::uint32_t> contributors;  ///< who gave each entry of `rows`
  /// Who gave the fixed units of a row: person u's are u * fixed ..
  std::vector<std::uint32_t> contributors_of_units;
  std::uint32_t fixed = 0;

  double largest_share = 0;  ///< that one person gives of a row of two units or more
  double dropped = 0;        ///< share of all entries whose item too few people of the pool have
  double entries = 1;        ///< entries of all composed rows, as a share of those of all true rows

  std::uint32_t contributor(std::uint32_t person, std::uint32_t unit) const {
    return contributors_of_units[std::size_t{person} * fixed + unit];
  }
};

/// Of each unit that a row has, one place of the donor's kin is drawn, all with the same probability, and the
/// row has what the person in that place has: a unit that c of the places have is in the row with probability
/// c / places, exactly, and the row has as many of them as the places have on average (systematic sampling in
/// a random order). K being doubly stochastic (kin.h), every entry is in one row in expectation, but for
///
///   owners  a category, element or item that fewer than `owners` people of the pool have is in no row
///   half    where there are other kin, nobody gives more than half of the units of a row of two or more:
///   what
///           is beyond comes from other kin who have it, or is left out
///   rare    a row that some people of the pool have, and fewer than `owners`, is composed again, in the end
///           of random people of the pool
///
/// which look at the rows of the pool alone. The random bits are those of the key and the donor's id: the
/// same for any number of threads. Secrets play no part but by the pools.
///
/// Throws InputError for a pool of which nothing can be published, Stopped.
[[nodiscard]] ComposedRows compose_rows(const data::People& people, census::Distance distance,
                                        const Pools& pools, const Units& units, const Composing& composing,
                                        const Key& key, const Progress& progress = {});

}  // namespace hyobscure::obscure
