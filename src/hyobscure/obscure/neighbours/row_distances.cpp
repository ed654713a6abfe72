#include "hyobscure/obscure/neighbours/row_distances.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::obscure {

RowDistances::RowDistances(census::Distance distance, const data::SparseRows& rows,
                           std::span<const std::uint32_t> members)
    : distance_(distance), columns_(static_cast<double>(std::max<std::size_t>(rows.columns, 1))) {
  const bool sets = distance == census::Distance::Jaccard || distance == census::Distance::Hamming;
  member_starts_.push_back(0);
  for (const std::uint32_t member : members) {
    const auto row = rows[member];
    const double sum = std::accumulate(row.values.begin(), row.values.end(), 0.0);
    double own = 0;
    for (std::size_t e = 0; e < row.items.size(); ++e) {
      if (row.values[e] == 0) continue;  // a stored zero is like an absent item for every distance
      const double value = distance == census::Distance::JensenShannon ? row.values[e] / sum : row.values[e];
      by_member_.push_back(
          {row.items[e], value, distance == census::Distance::JensenShannon ? x_log_x(value) : 0});
      own += sets ? 1 : value * value;
    }
    own_.push_back(own);
    member_starts_.push_back(by_member_.size());
  }
}

void RowDistances::index_items() const {
  item_starts_.assign(static_cast<std::size_t>(columns_) + 1, 0);
  for (const Entry& entry : by_member_) item_starts_[entry.key + 1] += 1;
  std::partial_sum(item_starts_.begin(), item_starts_.end(), item_starts_.begin());
  by_item_.resize(by_member_.size());
  std::vector<std::size_t> next(item_starts_.begin(), item_starts_.end() - 1);
  for (std::uint32_t m = 0; m < size(); ++m)
    for (std::size_t e = member_starts_[m]; e < member_starts_[m + 1]; ++e) {
      const Entry& entry = by_member_[e];
      by_item_[next[entry.key]++] = {m, entry.value, entry.term};
    }
}

double RowDistances::shared_term(const Entry& a, const Entry& b) const {
  switch (distance_) {
    case census::Distance::JensenShannon:
      return a.term + b.term - x_log_x(a.value + b.value);
    case census::Distance::SquaredEuclidean:
    case census::Distance::Euclidean:
      return a.value * b.value;
    case census::Distance::Jaccard:
    case census::Distance::Hamming:
      return 1;
  }
  return kUnset;
}

double RowDistances::finish(double shared, std::size_t i, std::size_t j) const {
  switch (distance_) {
    case census::Distance::JensenShannon:  // log 2 + 1/2 sum over shared items of h(p) + h(q) - h(p + q), h =
                                           // x log x
      return std::numbers::ln2 + shared / 2;
    case census::Distance::SquaredEuclidean:
      return own_[i] + own_[j] - 2 * shared;
    case census::Distance::Euclidean:
      return std::sqrt(std::max(0.0, own_[i] + own_[j] - 2 * shared));
    case census::Distance::Jaccard: {
      const double either = own_[i] + own_[j] - shared;
      return either > 0 ? 1 - shared / either : 0;
    }
    case census::Distance::Hamming:
      return (own_[i] + own_[j] - 2 * shared) / columns_;
  }
  return kUnset;
}

void RowDistances::row(std::size_t i, std::span<float> to) const {
  std::call_once(items_indexed_, [this] { index_items(); });
  std::vector<double> shared(size(), 0);
  for (std::size_t e = member_starts_[i]; e < member_starts_[i + 1]; ++e) {
    const Entry& mine = by_member_[e];
    for (std::size_t f = item_starts_[mine.key]; f < item_starts_[mine.key + 1]; ++f)
      shared[by_item_[f].key] += shared_term(mine, by_item_[f]);
  }
  for (std::size_t j = 0; j < size(); ++j) to[j] = static_cast<float>(std::max(0.0, finish(shared[j], i, j)));
  to[i] = 0;
}

/// Merges two members' entries: the terms come in the order of the items, as they do in row().
double RowDistances::shared_by(std::size_t i, std::size_t j) const {
  const Entry* a = by_member_.data() + member_starts_[i];
  const Entry* b = by_member_.data() + member_starts_[j];
  const Entry* const a_end = by_member_.data() + member_starts_[i + 1];
  const Entry* const b_end = by_member_.data() + member_starts_[j + 1];
  double shared = 0;
  while (a != a_end && b != b_end) {
    if (a->key == b->key) shared += shared_term(*a, *b);
    const bool next_a = a->key <= b->key, next_b = b->key <= a->key;
    a += next_a;
    b += next_b;
  }
  return shared;
}

void RowDistances::distances_to(std::size_t i, std::span<const std::uint32_t> others,
                                std::span<float> to) const {
  for (std::size_t k = 0; k < others.size(); ++k) {
    const std::size_t j = others[k];
    to[k] = i == j ? 0.0F : static_cast<float>(std::max(0.0, finish(shared_by(i, j), i, j)));
  }
}

DistanceTable all_distances(const RowDistances& distances, const Progress& progress) {
  const auto size = static_cast<Eigen::Index>(distances.size());
  DistanceTable table(size, size);
  parallel_blocks(distances.size(), 16, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    for (std::size_t i = begin; i < end; ++i)
      distances.row(i, {table.row(static_cast<Eigen::Index>(i)).data(), distances.size()});
  });
  return table;
}

}  // namespace hyobscure::obscure
