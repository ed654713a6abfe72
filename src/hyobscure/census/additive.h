#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "hyobscure/census/cell_products.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

/// How large entries are. Of several parts of the rows, that of all is the larger of each.
struct Extent {
  double entry = 0;   ///< largest |x|
  double square = 0;  ///< largest |row|^2

  void include(const Extent& other) {
    entry = std::max(entry, other.entry);
    square = std::max(square, other.square);
  }
};
[[nodiscard]] Extent extent_of(const data::SparseRows& rows);

/// A distance whose sum over all pairs of two cells follows from sums over each cell:
///
///   sum over u in A, v in B of d(u, v)  from  |A|, |B|, <Psi_A, Psi_B>  and, of some, sum |psi(x)|^2
struct AdditiveDistance {
  RowScale scaling = RowScale::AsTheyAre;
  FeatureMap map;
  double largest_square = 0;           ///< of a row; 0: squares are not needed
  double (*weight)(double) = nullptr;  ///< of an entry in the squares
  double divisor = 1;

  [[nodiscard]] double square_of(data::SparseRows::Row row) const;
  /// From the products, the squares (empty where they are not needed) and the people of the cells.
  [[nodiscard]] Eigen::MatrixXd pair_sums(Eigen::MatrixXd products, const Eigen::VectorXd& squares,
                                          const Eigen::VectorXd& people) const;
};

/// Jensen-Shannon, squared Euclidean and Hamming; the others need every pair.
[[nodiscard]] bool is_additive(Distance distance);
/// Only squared Euclidean reads the extent.
[[nodiscard]] AdditiveDistance additive_distance(Distance distance, std::size_t columns,
                                                 const Extent& extent);

}  // namespace hyobscure::census
