#include "hyobscure/census/additive.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/jensen_shannon.h"
#include "hyobscure/census/row_segments.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double itself(double x) { return x; }
double one_if_present(double x) { return x != 0 ? 1.0 : 0.0; }

// |psi(x) - psi(y)|^2 with one feature.
AdditiveDistance squared(double (*weight)(double), double largest, double largest_square) {
  return {.map = {.scale = VectorXd::Ones(1),
                  .raw = [weight](double x, double* features) { *features = weight(x); },
                  .largest = largest},
          .largest_square = largest_square,
          .weight = weight};
}

// Sum of JSD(u, v) = log 2 (|A||B| - <Psi_A, Psi_B>)
MatrixXd jensen_shannon_sums(MatrixXd products, const VectorXd& people) {
  for (Index b = 0; b < products.cols(); ++b)
    products.col(b) = std::numbers::ln2 * (people(b) * people - products.col(b)).cwiseMax(0);
  return products;
}

// Sum of |psi(x) - psi(y)|^2 = |B| sum |psi(x)|^2 + |A| sum |psi(y)|^2 - 2 <Psi_A, Psi_B>
MatrixXd squared_sums(MatrixXd products, const VectorXd& squares, const VectorXd& people) {
  for (Index b = 0; b < products.cols(); ++b)
    products.col(b) = (people(b) * squares + squares(b) * people - 2 * products.col(b)).cwiseMax(0);
  products.triangularView<Eigen::StrictlyUpper>() = products.transpose();  // rounding depends on the side
  return products;
}

}  // namespace

Extent extent_of(const SparseRows& rows) {
  constexpr std::size_t kBlock = 1024;
  Extent all;
  for_row_segments(rows, [&](std::size_t first, std::size_t last) {
    std::vector<Extent> of_block(block_count(last - first, kBlock));
    parallel_blocks(last - first, kBlock, [&](std::size_t begin, std::size_t end) {
      Extent& extent = of_block[begin / kBlock];
      for (std::size_t r = first + begin; r < first + end; ++r) {
        double square = 0;
        for (const double x : rows[r].values) {
          extent.entry = std::max(extent.entry, std::abs(x));
          square += x * x;
        }
        extent.square = std::max(extent.square, square);
      }
    });
    for (const Extent& extent : of_block) all.include(extent);
  });
  return all;
}

double AdditiveDistance::square_of(SparseRows::Row row) const {
  double square = 0;
  for (const double x : row.values) square += weight(x) * weight(x);
  return square;
}

MatrixXd AdditiveDistance::pair_sums(MatrixXd products, const VectorXd& squares,
                                     const VectorXd& people) const {
  if (weight == nullptr) return jensen_shannon_sums(std::move(products), people);
  return squared_sums(std::move(products), squares, people) / divisor;
}

bool is_additive(Distance distance) {
  return distance == Distance::JensenShannon || distance == Distance::SquaredEuclidean ||
         distance == Distance::Hamming;
}

AdditiveDistance additive_distance(Distance distance, std::size_t columns, const Extent& extent) {
  assert(is_additive(distance));
  if (distance == Distance::JensenShannon)
    return {.scaling = RowScale::SumOne, .map = jensen_shannon_features()};
  if (distance == Distance::SquaredEuclidean) return squared(itself, extent.entry, extent.square);
  const auto most = static_cast<double>(std::max<std::size_t>(columns, 1));
  AdditiveDistance hamming = squared(one_if_present, 1, most);
  hamming.divisor = most;
  return hamming;
}

}  // namespace hyobscure::census
