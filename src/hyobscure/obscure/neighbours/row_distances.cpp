#include "hyobscure/obscure/neighbours/row_distances.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::obscure {
namespace {

constexpr std::size_t kVector = 16;        // floats of the widest vectors
constexpr std::size_t kRowsTogether = 16;  // of one task
constexpr std::size_t kSquare = 64;        // rows and columns that are mirrored together

}  // namespace

RowDistances::Rows RowDistances::rows_of(census::Distance distance, const data::SparseRows& rows,
                                         std::span<const std::uint32_t> members) {
  const bool sets = distance == census::Distance::Jaccard || distance == census::Distance::Hamming;
  Rows result;
  for (const std::uint32_t member : members) {
    const auto row = rows[member];
    const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
    double own = 0;
    for (std::size_t e = 0; e < row.items.size(); ++e) {
      if (row.values[e] == 0) continue;  // a stored zero is like an absent item for every distance
      const double value = distance == census::Distance::JensenShannon ? row.values[e] / sum : row.values[e];
      result.entries.push_back(
          {row.items[e], value, distance == census::Distance::JensenShannon ? x_log_x(value) : 0});
      own += sets ? 1 : value * value;
    }
    result.own.push_back(own);
    result.starts.push_back(result.entries.size());
  }
  return result;
}

RowDistances::RowDistances(census::Distance distance, const data::SparseRows& rows,
                           std::span<const std::uint32_t> members)
    : distance_(distance),
      columns_(static_cast<double>(std::max<std::size_t>(rows.columns, 1))),
      from_(rows_of(distance, rows, members)) {}

RowDistances::RowDistances(census::Distance distance, const data::SparseRows& from,
                           const data::SparseRows& to, std::span<const std::uint32_t> members)
    : RowDistances(distance, from, members) {
  to_ = rows_of(distance, to, members);
}

void RowDistances::index_items() const {
  item_starts_.assign(static_cast<std::size_t>(columns_) + 1, 0);
  for (const Entry& entry : to().entries) item_starts_[entry.key + 1] += 1;
  std::partial_sum(item_starts_.begin(), item_starts_.end(), item_starts_.begin());
  by_item_.resize(to().entries.size());
  std::vector<std::size_t> next(item_starts_.begin(), item_starts_.end() - 1);
  for (std::uint32_t m = 0; m < size(); ++m)
    for (std::size_t e = to().starts[m]; e < to().starts[m + 1]; ++e) {
      const Entry& entry = to().entries[e];
      by_item_[next[entry.key]++] = {m, entry.value, entry.term};
    }
}

/// sums[k] += the term of the item that `mine` and theirs[k] share.
void RowDistances::add_shared_terms(const Entry& mine, std::span<const Entry> theirs, Eigen::ArrayXf& room,
                                    std::span<double> sums) const {
  switch (distance_) {
    case census::Distance::JensenShannon: {
      // Filled up to whole vectors: the logarithm of a number is then the same wherever it stands.
      const auto count = static_cast<Eigen::Index>((theirs.size() + kVector - 1) / kVector * kVector);
      if (room.size() < count) room.resize(2 * count);
      for (std::size_t k = 0; k < theirs.size(); ++k)
        room[static_cast<Eigen::Index>(k)] = static_cast<float>(mine.value + theirs[k].value);
      room.segment(static_cast<Eigen::Index>(theirs.size()), count - static_cast<Eigen::Index>(theirs.size()))
          .setOnes();
      room.head(count) *= room.head(count).log();
      for (std::size_t k = 0; k < theirs.size(); ++k)
        sums[k] += mine.term + theirs[k].term - static_cast<double>(room[static_cast<Eigen::Index>(k)]);
      return;
    }
    case census::Distance::SquaredEuclidean:
    case census::Distance::Euclidean:
      for (std::size_t k = 0; k < theirs.size(); ++k) sums[k] += mine.value * theirs[k].value;
      return;
    case census::Distance::Jaccard:
    case census::Distance::Hamming:
      for (double& sum : sums.first(theirs.size())) sum += 1;
      return;
  }
}

double RowDistances::finish(double shared, std::size_t i, std::size_t j) const {
  switch (distance_) {
    case census::Distance::JensenShannon:  // log 2 + 1/2 sum over shared items of h(p) + h(q) - h(p + q), h =
                                           // x log x
      return std::numbers::ln2 + shared / 2;
    case census::Distance::SquaredEuclidean:
      return from_.own[i] + to().own[j] - 2 * shared;
    case census::Distance::Euclidean:
      return std::sqrt(std::max(0.0, from_.own[i] + to().own[j] - 2 * shared));
    case census::Distance::Jaccard: {
      const double either = from_.own[i] + to().own[j] - shared;
      return either > 0 ? 1 - shared / either : 0;
    }
    case census::Distance::Hamming:
      return (from_.own[i] + to().own[j] - 2 * shared) / columns_;
  }
  return kUnset;
}

void RowDistances::row_from(std::size_t i, std::size_t first, std::span<float> to) const {
  std::call_once(items_indexed_, [this] { index_items(); });
  std::vector<double> shared(size() - first, 0), terms;
  Eigen::ArrayXf room;
  for (std::size_t e = from_.starts[i]; e < from_.starts[i + 1]; ++e) {
    const Entry& mine = from_.entries[e];
    // an item's members ascend
    const std::span<const Entry> all(by_item_.data() + item_starts_[mine.key],
                                     item_starts_[mine.key + 1] - item_starts_[mine.key]);
    const auto begin = std::ranges::lower_bound(all, first, {}, &Entry::key);
    const auto theirs = all.subspan(static_cast<std::size_t>(begin - all.begin()));
    terms.assign(theirs.size(), 0);
    add_shared_terms(mine, theirs, room, terms);
    for (std::size_t k = 0; k < theirs.size(); ++k) shared[theirs[k].key - first] += terms[k];
  }
  for (std::size_t j = first; j < size(); ++j)
    to[j - first] =
        i == j && symmetric() ? 0.0F : static_cast<float>(std::max(0.0, finish(shared[j - first], i, j)));
}

/// Merges two members' entries: the terms come in the order of the items, as they do in row().
void RowDistances::distances_to(std::size_t i, std::span<const std::uint32_t> others,
                                std::span<float> to) const {
  Eigen::ArrayXf room;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const std::size_t j = others[k];
    const Entry* a = from_.entries.data() + from_.starts[i];
    const Entry* b = this->to().entries.data() + this->to().starts[j];
    const Entry* const a_end = from_.entries.data() + from_.starts[i + 1];
    const Entry* const b_end = this->to().entries.data() + this->to().starts[j + 1];
    double shared = 0;
    while (a != a_end && b != b_end) {
      if (a->key == b->key) {
        double term = 0;
        add_shared_terms(*a, {b, 1}, room, {&term, 1});
        shared += term;
      }
      const bool next_a = a->key <= b->key, next_b = b->key <= a->key;
      a += next_a;
      b += next_b;
    }
    to[k] = i == j && symmetric() ? 0.0F : static_cast<float>(std::max(0.0, finish(shared, i, j)));
  }
}

DistanceTable all_distances(const RowDistances& distances, const Progress& progress) {
  const std::size_t size = distances.size();
  DistanceTable table(static_cast<Eigen::Index>(size), static_cast<Eigen::Index>(size));
  parallel_blocks(size, kRowsTogether, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t first = distances.symmetric() ? i : 0;
      distances.row_from(i, first, {table.row(static_cast<Eigen::Index>(i)).data() + first, size - first});
    }
  });
  if (!distances.symmetric()) return table;
  // below the diagonal, square by square: whole columns would be read from all over the memory
  const std::size_t squares = block_count(size, kSquare);
  parallel_blocks(squares, 1, [&](std::size_t r, std::size_t) {
    const auto row = static_cast<Eigen::Index>(r * kSquare);
    const Eigen::Index height = std::min<Eigen::Index>(kSquare, table.rows() - row);
    for (std::size_t c = 0; c <= r; ++c) {
      const auto column = static_cast<Eigen::Index>(c * kSquare);
      const Eigen::Index width = std::min<Eigen::Index>(kSquare, table.cols() - column);
      if (c < r) {
        table.block(row, column, height, width) = table.block(column, row, width, height).transpose();
      } else {
        for (Eigen::Index i = row; i < row + height; ++i)
          for (Eigen::Index j = column; j < i; ++j) table(i, j) = table(j, i);
      }
    }
  });
  return table;
}

}  // namespace hyobscure::obscure
