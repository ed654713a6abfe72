#include "hyobscure/audit/attack/row_content.h"

#include <bit>

namespace hyobscure::audit {

std::uint64_t content_of(data::SparseRows::Row row) {
  std::uint64_t content = mixed(row.items.size() + 1);
  for (std::size_t n = 0; n < row.items.size(); ++n) {
    content = mixed(content ^ (row.items[n] + 0x9e3779b97f4a7c15u));
    content = mixed(content ^ std::bit_cast<std::uint64_t>(row.values[n]));
  }
  return content;
}

std::size_t shared_entries(data::SparseRows::Row a, data::SparseRows::Row b) {
  std::size_t shared = 0;
  for (std::size_t i = 0, j = 0; i < a.items.size() && j < b.items.size();) {
    if (a.items[i] == b.items[j]) {
      shared += a.values[i] == b.values[j] ? 1 : 0;
      ++i, ++j;
    } else if (a.items[i] < b.items[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return shared;
}

}  // namespace hyobscure::audit
