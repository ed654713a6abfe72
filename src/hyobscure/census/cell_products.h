#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/census/fixed_point.h"
#include "hyobscure/census/row_segments.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

/// Maps a non-zero entry x to the vector psi(x) = scale * raw(x), element by element.
struct FeatureMap {
  Eigen::VectorXd scale;  ///< as long as psi
  /// Writes raw(x), as long as `scale`. The scale is left out because it can be applied once to a sum.
  std::function<void(double x, double* features)> raw;
  double largest = 1;  ///< no |raw(x)| exceeds it
};

/// An item's features summed over the people of each cell, before they are scaled: exact multiples of the
/// unit of fixed_features. Sums of parts of the people add up to those of all.
struct ItemSums {
  using Sums = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic>;

  std::uint32_t item = 0;
  std::size_t entries = 0;           ///< people who have it
  std::vector<std::uint32_t> cells;  ///< that have it, ascending
  Sums sums;                         ///< a column for each of them
};

/// In what unit features are added up over so many people.
[[nodiscard]] inline FixedPoint fixed_features(const FeatureMap& map, std::uint64_t people) {
  return FixedPoint(map.largest, people);
}

enum class RowScale {
  AsTheyAre,
  SumOne,  ///< every row is divided by its sum, which must be positive
};

/// What cell_products may hold at a time.
struct ProductLimits {
  std::size_t segment_entries = kSegmentEntries;
  std::size_t table_bytes = 512u << 20;  ///< of sums of features, and of entries in the order of items
};

/// The scalar products of all cells: P(A, B) = sum over u in A, v in B and items i of <psi(x_ui), psi(x_vi)>.
///
/// Frequent items, with at least as many entries as there are cells, have a table of the summed features of
/// all cells, filled in one pass over the rows; P is then one dense product. Of rare items the entries are
/// kept, put into the order of items, and each item adds the products of the cells that have it. What exceeds
/// the limits is taken in parts, each with a pass over the rows, in segments that are let go of.
///
/// Same bits for any number of threads and any `segment_entries`: sums are exact (fixed_point.h), and every
/// element of P is added up by one thread in the order of the items.
Eigen::MatrixXd cell_products(const data::SparseRows& rows, RowScale scaling,
                              std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                              const FeatureMap& map, const Progress& progress,
                              const ProductLimits& limits = {});

/// The same from sums that others have added up, with the same bits: of all items that somebody has,
/// ascending. `entries` are those of all rows of so many `people`.
Eigen::MatrixXd products_of_sums(std::span<const ItemSums> sums, std::size_t columns, std::size_t entries,
                                 std::uint64_t people, std::size_t cells, const FeatureMap& map,
                                 const ProductLimits& limits = {});

/// What row r is multiplied with.
[[nodiscard]] double scale_of(data::SparseRows::Row row, RowScale scaling);

/// Number of entries of each item, zeros included.
std::vector<std::size_t> entries_of_items(const data::SparseRows& rows);

}  // namespace hyobscure::census
