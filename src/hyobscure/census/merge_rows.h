#pragma once

#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

/// Calls visit(x, y) for every item that at least one of the two rows stores, in the order of the items.
template <class Visit>
void merge_rows(data::SparseRows::Row a, data::SparseRows::Row b, const Visit& visit) {
  std::size_t i = 0, j = 0;
  while (i < a.items.size() || j < b.items.size()) {
    const bool take_a = j == b.items.size() || (i < a.items.size() && a.items[i] <= b.items[j]);
    const bool take_b = i == a.items.size() || (j < b.items.size() && b.items[j] <= a.items[i]);
    visit(take_a ? a.values[i] : 0.0, take_b ? b.values[j] : 0.0);
    i += take_a ? 1 : 0;
    j += take_b ? 1 : 0;
  }
}

}  // namespace hyobscure::census
