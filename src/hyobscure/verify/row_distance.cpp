#include "hyobscure/verify/row_distance.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace hyobscure::verify {
namespace {

using data::Distance;
using Row = data::SparseRows::Row;

/// Calls visit(x, y) for every item that one of the rows has; an item that a row lacks is 0 there.
template <class Visit>
void for_each_item(Row a, Row b, const Visit& visit) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0, j = 0; i < a.items.size() || j < b.items.size();) {
    const std::uint32_t x = i < a.items.size() ? a.items[i] : kNone,
                        y = j < b.items.size() ? b.items[j] : kNone;
    visit(x <= y ? a.values[i] : 0.0, y <= x ? b.values[j] : 0.0);
    i += x <= y ? 1 : 0;
    j += y <= x ? 1 : 0;
  }
}

double sum_of(Row row) {
  double sum = 0;
  for (const double x : row.values) sum += x;
  return sum;
}

/// ( D(p || m) + D(q || m) ) / 2 with m = (p + q) / 2, of the rows scaled to sum 1.
double divergence_from_the_middle(Row a, Row b) {
  const double all_of_a = sum_of(a), all_of_b = sum_of(b);
  double sum = 0;
  for_each_item(a, b, [&](double x, double y) {
    const double p = x / all_of_a, q = y / all_of_b, middle = (p + q) / 2;
    if (p > 0) sum += p * std::log(p / middle) / 2;
    if (q > 0) sum += q * std::log(q / middle) / 2;
  });
  return std::max(sum, 0.0);
}

double sum_of_squares(Row a, Row b) {
  double sum = 0;
  for_each_item(a, b, [&](double x, double y) { sum += (x - y) * (x - y); });
  return sum;
}

/// Items that one of the rows has, and those that just one has.
struct Items {
  double either = 0, one = 0;
};

Items items_of(Row a, Row b) {
  Items items;
  for_each_item(a, b, [&](double x, double y) {
    items.either += x != 0 || y != 0 ? 1 : 0;
    items.one += (x != 0) != (y != 0) ? 1 : 0;
  });
  return items;
}

}  // namespace

double row_distance(Distance distance, Row a, Row b, std::size_t columns) {
  switch (distance) {
    case Distance::JensenShannon:
      return divergence_from_the_middle(a, b);
    case Distance::SquaredEuclidean:
      return sum_of_squares(a, b);
    case Distance::Euclidean:
      return std::sqrt(sum_of_squares(a, b));
    case Distance::Jaccard: {
      const Items items = items_of(a, b);
      return items.either > 0 ? items.one / items.either : 0;
    }
    case Distance::Hamming:
      return columns > 0 ? items_of(a, b).one / static_cast<double>(columns) : 0;
  }
  return 0;
}

double greatest_distance(Distance distance, double norm, double greatest_norm) {
  switch (distance) {
    case Distance::JensenShannon:
      return std::numbers::ln2;
    case Distance::SquaredEuclidean:
      return (norm + greatest_norm) * (norm + greatest_norm);
    case Distance::Euclidean:
      return norm + greatest_norm;  // |x - y| <= |x| + |y|
    case Distance::Jaccard:
    case Distance::Hamming:
      return 1;
  }
  return 0;
}

double norm_of(Row row) {
  double sum = 0;
  for (const double x : row.values) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace hyobscure::verify
