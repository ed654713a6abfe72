#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace hyobscure::census {

/// The cells that hold people, numbered without gaps in the order of cell_index.
struct Occupied {
  std::vector<Eigen::Index> cells;
  std::vector<std::uint32_t> number;  ///< by cell_index; of an empty cell, that of the next one
};

/// counts: clusters x values; stored value by value, as cell_index counts.
[[nodiscard]] inline Occupied occupied_cells(const Eigen::MatrixXd& counts) {
  Occupied occupied;
  for (Eigen::Index cell = 0; cell < counts.size(); ++cell) {
    occupied.number.push_back(static_cast<std::uint32_t>(occupied.cells.size()));
    if (counts(cell) > 0) occupied.cells.push_back(cell);
  }
  return occupied;
}

/// A table of the occupied cells as one of all `cells`, with 0 for the empty ones.
[[nodiscard]] inline Eigen::MatrixXd spread(Eigen::MatrixXd table, const Occupied& occupied,
                                            Eigen::Index cells) {
  if (table.rows() == cells) return table;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(cells, cells);
  all(occupied.cells, occupied.cells) = table;
  return all;
}

}  // namespace hyobscure::census
