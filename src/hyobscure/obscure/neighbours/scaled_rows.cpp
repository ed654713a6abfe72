#include "hyobscure/obscure/neighbours/scaled_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hyobscure/base/parallel.h"

namespace hyobscure::obscure {
namespace {

constexpr std::size_t kRowsFilledTogether = 64;

double feature_of(census::Distance distance, double value, double scale) {
  switch (distance) {
    case census::Distance::JensenShannon:
      return std::sqrt(value * scale);
    case census::Distance::Jaccard:
    case census::Distance::Hamming:
      return value != 0 ? 1 : 0;
    case census::Distance::SquaredEuclidean:
    case census::Distance::Euclidean:
      break;
  }
  return value * scale;
}

double largest_entry(const data::SparseRows& rows, std::span<const std::uint32_t> members) {
  double largest = 0;
  for (const std::uint32_t row : members)
    for (const double x : rows[row].values) largest = std::max(largest, std::abs(x));
  return largest;
}

void fill_row(ScaledRows& pool, std::size_t i, double scale) {
  const auto row = pool.rows[pool.members[i]];
  double square = 0;
  for (std::size_t e = 0; e < row.values.size(); ++e) {
    const auto f = static_cast<float>(feature_of(pool.distance, row.values[e], scale));
    pool.features[pool.starts[i] + e] = f;
    square += static_cast<double>(f) * f;
  }
  // Sets of different size are compared by their share of common items: the cosine.
  pool.length_scale[i] = pool.distance == census::Distance::Jaccard && square > 0
                             ? static_cast<float>(1 / std::sqrt(square))
                             : 1.0F;
}

}  // namespace

ScaledRows scaled_rows(census::Distance distance, const data::SparseRows& rows,
                       std::span<const std::uint32_t> members) {
  ScaledRows pool{.rows = rows,
                  .members = members,
                  .distance = distance,
                  .starts = {0},
                  .features = {},
                  .length_scale = std::vector<float>(members.size())};
  for (const std::uint32_t row : members) pool.starts.push_back(pool.starts.back() + rows[row].items.size());
  pool.features.resize(pool.starts.back());
  const double largest = largest_entry(rows, members);
  parallel_blocks(members.size(), kRowsFilledTogether, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto values = rows[members[i]].values;
      const double sum = distance == census::Distance::JensenShannon
                             ? std::accumulate(values.begin(), values.end(), 0.0)
                             : largest;
      fill_row(pool, i, sum > 0 ? 1 / sum : 1.0);
    }
  });
  return pool;
}

}  // namespace hyobscure::obscure
