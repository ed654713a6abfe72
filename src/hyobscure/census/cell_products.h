#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/people.h"

namespace hyobscure::census {

/// Maps a non-zero entry x to the vector psi(x) = scale * raw(x), element by element.
struct FeatureMap {
  Eigen::VectorXd scale;  ///< as long as psi
  /// Fills row e with raw(values[e]). The scale is left out because it can be applied once to a sum.
  std::function<void(std::span<const double> values, Eigen::Ref<Eigen::MatrixXd> features)> raw;
};

/// The scalar products of all cells: P(A, B) = sum over u in A, v in B and items i of <psi(x_ui), psi(x_vi)>,
/// with rows multiplied by `scale_of_row` first (empty: not at all).
///
/// Item by item: the features of the k cells that have the item are summed up and their k x k products are
/// added to P, so cells without an item cost nothing. Same bits for any number of threads: every element of P
/// is added up by one thread, in the order of the items.
Eigen::MatrixXd cell_products(const data::SparseRows& rows, std::span<const double> scale_of_row,
                              std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                              const FeatureMap& map, const Progress& progress);

}  // namespace hyobscure::census
