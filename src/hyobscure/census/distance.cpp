#include "hyobscure/census/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/additive.h"
#include "hyobscure/census/cell_products.h"
#include "hyobscure/census/checked_rows.h"
#include "hyobscure/census/fixed_point.h"
#include "hyobscure/census/merge_rows.h"
#include "hyobscure/census/pairwise.h"
#include "hyobscure/census/row_segments.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kRowBlock = 1024;

double sum_of(SparseRows::Row row) { return std::accumulate(row.values.begin(), row.values.end(), 0.0); }

double jensen_shannon(SparseRows::Row a, SparseRows::Row b) {
  const double sum_a = sum_of(a), sum_b = sum_of(b);
  double total = 0;
  merge_rows(a, b, [&](double x, double y) {
    const double p = x / sum_a, q = y / sum_b;
    if (p > 0) total += p * std::log(2 * p / (p + q));
    if (q > 0) total += q * std::log(2 * q / (p + q));
  });
  return std::max(0.0, total / 2);
}

double squared_euclidean(SparseRows::Row a, SparseRows::Row b) {
  double total = 0;
  merge_rows(a, b, [&](double x, double y) { total += (x - y) * (x - y); });
  return total;
}

struct SetSizes {
  std::size_t both = 0;
  std::size_t either = 0;
};

SetSizes compare_sets(SparseRows::Row a, SparseRows::Row b) {
  SetSizes sizes;
  merge_rows(a, b, [&](double x, double y) {
    sizes.both += x != 0 && y != 0 ? 1 : 0;
    sizes.either += x != 0 || y != 0 ? 1 : 0;
  });
  return sizes;
}

double jaccard(SparseRows::Row a, SparseRows::Row b) {
  const auto [both, either] = compare_sets(a, b);
  return either > 0 ? 1 - static_cast<double>(both) / static_cast<double>(either) : 0.0;
}

double hamming(SparseRows::Row a, SparseRows::Row b, std::size_t columns) {
  const auto [both, either] = compare_sets(a, b);
  return columns > 0 ? static_cast<double>(either - both) / static_cast<double>(columns) : 0.0;
}

// Rows with some fault: how many, and the first.
struct FaultyRows {
  std::size_t count = 0;
  std::size_t first = 0;

  void add(std::size_t row) {
    if (count == 0) first = row;
    count += 1;
  }
  void add(const FaultyRows& later) {
    if (count == 0) first = later.first;
    count += later.count;
  }
};

bool is_finite(double x) { return std::isfinite(x); }

struct Faults {
  FaultyRows not_finite, negative, no_sum, infinite_sum;

  void add(SparseRows::Row row, std::size_t index) {
    double sum = 0, least = 0;
    for (const double x : row.values) {
      sum += x;
      least = std::min(least, x);
    }
    if (!std::isfinite(sum) && !std::all_of(row.values.begin(), row.values.end(), is_finite))
      not_finite.add(index);
    if (least < 0) negative.add(index);
    // Nothing positive, or so little that its inverse overflows.
    if (!(sum >= std::numeric_limits<double>::min())) no_sum.add(index);
    if (std::isinf(sum)) infinite_sum.add(index);
  }
  void add(const Faults& later) {
    not_finite.add(later.not_finite);
    negative.add(later.negative);
    no_sum.add(later.no_sum);
    infinite_sum.add(later.infinite_sum);
  }
};

Faults find_faults(const SparseRows& rows) {
  Faults all;
  for_row_segments(rows, [&](std::size_t first, std::size_t last) {
    std::vector<Faults> of_block(block_count(last - first, kRowBlock));
    parallel_blocks(last - first, kRowBlock, [&](std::size_t begin, std::size_t end) {
      Faults& faults = of_block[begin / kRowBlock];
      for (std::size_t r = first + begin; r < first + end; ++r) faults.add(rows[r], r);
    });
    for (const Faults& faults : of_block) all.add(faults);
  });
  return all;
}

void refuse(const FaultyRows& faulty, const std::string& source, const char* fault, const char* remedy) {
  if (faulty.count == 0) return;
  throw InputError(
      {.source = source, .row = faulty.first + 1},
      fmt::format("{} {} (this is the first)",
                  faulty.count == 1 ? "1 row has" : fmt::format("{} rows have", faulty.count), fault),
      remedy);
}

VectorXd people_of_cells(std::span<const std::uint32_t> cell_of_row, std::size_t cells) {
  VectorXd people = VectorXd::Zero(static_cast<Index>(cells));
  for (const std::uint32_t cell : cell_of_row) people(cell) += 1;
  return people;
}

// Sum over the people of each cell of |psi(x)|^2.
VectorXd squares_of_cells(const AdditiveDistance& distance, const SparseRows& rows,
                          std::span<const std::uint32_t> cell_of_row, std::size_t cells) {
  if (distance.weight == nullptr) return {};
  const FixedPoint fixed(distance.largest_square, rows.size());
  Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1> squares;
  squares.setZero(static_cast<Index>(cells));
  std::vector<std::int64_t> square_of_row;
  for_row_segments(rows, [&](std::size_t first, std::size_t last) {
    square_of_row.assign(last - first, 0);
    parallel_blocks(last - first, kRowBlock, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) square_of_row[r] = fixed(distance.square_of(rows[first + r]));
    });
    for (std::size_t r = first; r < last; ++r) squares(cell_of_row[r]) += square_of_row[r - first];
  });
  return squares.cast<double>() * fixed.unit();
}

}  // namespace

Distance distance_named(const std::string& name) {
  const auto found = data::word_named<Distance>(name);
  if (!found)
    throw InputError({.source = "distance"}, "there is no distance of this name",
                     "Take one of docs/settings.md.");
  return *found;
}

double distance_between(Distance distance, SparseRows::Row a, SparseRows::Row b, std::size_t columns) {
  switch (distance) {
    case Distance::JensenShannon:
      return jensen_shannon(a, b);
    case Distance::SquaredEuclidean:
      return squared_euclidean(a, b);
    case Distance::Euclidean:
      return std::sqrt(squared_euclidean(a, b));
    case Distance::Jaccard:
      return jaccard(a, b);
    case Distance::Hamming:
      return hamming(a, b, columns);
  }
  return kUnset;
}

void check_rows(Distance distance, const SparseRows& rows, const std::string& source) {
  const Faults faults = find_faults(rows);
  refuse(faults.not_finite, source, "an entry that is not a finite number",
         "Correct these entries or leave the rows out.");
  if (distance != Distance::JensenShannon) return;
  refuse(faults.negative, source, "a negative entry, which the Jensen-Shannon distance cannot use",
         "Correct these entries, or choose a Euclidean distance.");
  refuse(faults.no_sum, source, "no positive entry, so the Jensen-Shannon distance is not defined",
         "Leave these rows out, or choose another distance.");
  refuse(faults.infinite_sum, source, "entries too large to add up", "Scale the entries down.");
}

MatrixXd pair_sums(Distance distance, const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                   std::size_t cells, const Progress& progress) {
  check_rows(distance, rows);
  return pair_sums_of_checked_rows(distance, rows, cell_of_row, cells, progress);
}

MatrixXd pair_sums_of_checked_rows(Distance distance, const SparseRows& rows,
                                   std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                                   const Progress& progress) {
  assert(cell_of_row.size() == rows.size());
  if (!is_additive(distance)) return pairwise_sums(distance, rows, cell_of_row, cells, progress);
  const Extent extent = distance == Distance::SquaredEuclidean ? extent_of(rows) : Extent{};
  const AdditiveDistance additive = additive_distance(distance, rows.columns, extent);
  return additive.pair_sums(cell_products(rows, additive.scaling, cell_of_row, cells, additive.map, progress),
                            squares_of_cells(additive, rows, cell_of_row, cells),
                            people_of_cells(cell_of_row, cells));
}

double pair_sum_work(Distance distance, const SparseRows& rows, std::size_t cells) {
  const bool pairwise = !is_additive(distance);
  double shared = 0;
  for (const std::size_t people : entries_of_items(rows)) {
    const auto distinct = static_cast<double>(pairwise ? people : std::min(people, cells));
    shared += distinct * distinct / 2;
  }
  const double people = static_cast<double>(rows.size()), entries = static_cast<double>(rows.entries());
  if (pairwise) return people * people / 2 + shared;
  if (distance == Distance::JensenShannon) return 100 * entries + 10 * shared;
  return 10 * entries + 2 * shared;
}

}  // namespace hyobscure::census
