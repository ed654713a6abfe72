#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace hyobscure::census {

/// The rows in the order of their cells; the rows of a cell keep their order.
struct RowsByCell {
  RowsByCell(std::span<const std::uint32_t> cell_of_row, std::size_t cells)
      : starts(cells + 1, 0), order(cell_of_row.size()) {
    for (const std::uint32_t cell : cell_of_row) starts[cell + 1] += 1;
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<std::size_t> next = starts;
    for (std::size_t row = 0; row < order.size(); ++row)
      order[next[cell_of_row[row]]++] = static_cast<std::uint32_t>(row);
  }

  std::span<const std::uint32_t> members(std::size_t cell) const {
    return {order.data() + starts[cell], starts[cell + 1] - starts[cell]};
  }

  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> order;
};

}  // namespace hyobscure::census
