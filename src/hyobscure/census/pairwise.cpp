#include "hyobscure/census/pairwise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/rows_by_cell.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kWave = 256;  // rows between two looks at the progress
constexpr std::size_t kBlock = 8;   // rows of one task

// Below this share of |x|^2 + |y|^2 the difference of squares has lost too many digits.
constexpr double kCancelled = 1e-6;

// Jaccard sees sets only.
double weight(Distance distance, double value) {
  if (distance == Distance::Jaccard) return value != 0 ? 1.0 : 0.0;
  return value;
}

// For every item the positions of the rows that have it, in the order of the cells.
struct InvertedIndex {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> positions;
  std::vector<double> weights;
};

struct Workspace {
  Distance distance;
  const SparseRows& rows;
  std::vector<std::uint32_t> order;             // position -> row
  std::vector<std::uint32_t> cell_of_position;  // ascending
  std::vector<double> squares;                  // by position: |x|^2, or the size of the set
  InvertedIndex index;
};

InvertedIndex invert(const Workspace& work) {
  InvertedIndex index{.starts = std::vector<std::size_t>(work.rows.columns + 1, 0),
                      .positions = std::vector<std::uint32_t>(work.rows.entries()),
                      .weights = std::vector<double>(work.rows.entries())};
  for (const std::uint32_t item : work.rows.items) index.starts[item + 1] += 1;
  std::partial_sum(index.starts.begin(), index.starts.end(), index.starts.begin());
  std::vector<std::size_t> next(index.starts.begin(), index.starts.end() - 1);
  for (std::size_t position = 0; position < work.order.size(); ++position) {
    const auto row = work.rows[work.order[position]];
    for (std::size_t e = 0; e < row.items.size(); ++e) {
      const std::size_t place = next[row.items[e]]++;
      index.positions[place] = static_cast<std::uint32_t>(position);
      index.weights[place] = weight(work.distance, row.values[e]);
    }
  }
  return index;
}

Workspace prepare(Distance distance, const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                  std::size_t cells) {
  Workspace work{.distance = distance,
                 .rows = rows,
                 .order = RowsByCell(cell_of_row, cells).order,
                 .cell_of_position = {},
                 .squares = {},
                 .index = {}};
  for (const std::uint32_t row : work.order) {
    work.cell_of_position.push_back(cell_of_row[row]);
    double square = 0;
    for (const double value : rows[row].values) square += weight(distance, value) * weight(distance, value);
    work.squares.push_back(square);
  }
  work.index = invert(work);
  return work;
}

// Scalar products of the row at a position with all later ones.
void shared_with_later(const Workspace& work, std::size_t position, std::vector<double>& shared) {
  std::fill(shared.begin() + static_cast<std::ptrdiff_t>(position), shared.end(), 0.0);
  const auto row = work.rows[work.order[position]];
  for (std::size_t e = 0; e < row.items.size(); ++e) {
    const double x = weight(work.distance, row.values[e]);
    const auto begin = work.index.positions.begin();
    const auto first = begin + static_cast<std::ptrdiff_t>(work.index.starts[row.items[e]]);
    const auto last = begin + static_cast<std::ptrdiff_t>(work.index.starts[row.items[e] + 1]);
    for (auto p = std::upper_bound(first, last, position); p != last; ++p)
      shared[*p] += x * work.index.weights[static_cast<std::size_t>(p - begin)];
  }
}

double distance_at(const Workspace& work, std::size_t a, std::size_t b, double shared) {
  const double both = work.squares[a] + work.squares[b];
  if (work.distance == Distance::Jaccard) return both > 0 ? 1 - shared / (both - shared) : 0.0;
  const double square = both - 2 * shared;
  if (square > kCancelled * both) return std::sqrt(square);
  return distance_between(work.distance, work.rows[work.order[a]], work.rows[work.order[b]],
                          work.rows.columns);
}

// Adds the distances from one row to all later ones to the sums of their cells.
void add_distances(const Workspace& work, std::size_t position, std::vector<double>& shared,
                   Eigen::Ref<Eigen::VectorXd> sums) {
  shared_with_later(work, position, shared);
  for (std::size_t other = position + 1; other < work.order.size(); ++other)
    sums(work.cell_of_position[other]) += distance_at(work, position, other, shared[other]);
}

// Pairs before row `position`, out of all.
double share_done(std::size_t position, std::size_t people) {
  const double left = 1 - static_cast<double>(position) / static_cast<double>(people);
  return 1 - left * left;
}

}  // namespace

MatrixXd pairwise_sums(Distance distance, const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                       std::size_t cells, const Progress& progress) {
  const Workspace work = prepare(distance, rows, cell_of_row, cells);
  const std::size_t people = rows.size();
  MatrixXd half = MatrixXd::Zero(static_cast<Index>(cells), static_cast<Index>(cells));
  MatrixXd sums(static_cast<Index>(cells), static_cast<Index>(kWave));

  for (std::size_t first = 0; first < people; first += kWave) {
    progress.throw_if_stopped();
    progress.report("distances", share_done(first, people), 1);
    const std::size_t count = std::min(kWave, people - first);
    sums.setZero();
    parallel_blocks(count, kBlock, [&](std::size_t begin, std::size_t end) {
      std::vector<double> shared(people);
      for (std::size_t i = begin; i < end; ++i)
        add_distances(work, first + i, shared, sums.col(static_cast<Index>(i)));
    });
    for (std::size_t i = 0; i < count; ++i)
      half.col(work.cell_of_position[first + i]) += sums.col(static_cast<Index>(i));
  }
  return half + half.transpose();
}

}  // namespace hyobscure::census
