#pragma once

#include <algorithm>
#include <cstddef>

#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

/// Entries that a pass over rows in a mapped file keeps in memory at a time: 96 MB.
inline constexpr std::size_t kSegmentEntries = 8'000'000;

/// Calls body(begin, end) for one run of rows after the other, each of about `entries` entries and at least a
/// row, and lets go of the rows behind it. The runs depend on the rows only, so partial results that are kept
/// by run do not depend on the number of threads. The parallel work is the body's.
template <class Body>
void for_row_segments(const data::SparseRows& rows, Body&& body, std::size_t entries = kSegmentEntries) {
  std::size_t before = 0;
  for (std::size_t begin = 0; begin < rows.size();) {
    const auto first = rows.starts.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = std::upper_bound(first, rows.starts.end(), *first + entries) - 1;
    const std::size_t end = std::max(begin + 1, static_cast<std::size_t>(last - rows.starts.begin()));
    body(begin, end);
    rows.release_pages(before, end);  // from the run before: the page in which both meet is whole only now
    before = begin;
    begin = end;
  }
}

}  // namespace hyobscure::census
