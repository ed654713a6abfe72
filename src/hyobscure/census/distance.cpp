#include "hyobscure/census/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/census/cell_products.h"
#include "hyobscure/census/jensen_shannon.h"
#include "hyobscure/census/merge_rows.h"
#include "hyobscure/census/pairwise.h"

namespace hyobscure::census {
namespace {

using data::SparseRows;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

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
};

FaultyRows find_rows(const SparseRows& rows, const auto& is_faulty) {
  FaultyRows faulty;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!is_faulty(rows[r])) continue;
    if (faulty.count == 0) faulty.first = r;
    faulty.count += 1;
  }
  return faulty;
}

void refuse(const FaultyRows& faulty, const std::string& source, const char* fault, const char* remedy) {
  if (faulty.count == 0) return;
  throw InputError(
      {.source = source, .row = faulty.first + 1},
      fmt::format("{} {} (this is the first)",
                  faulty.count == 1 ? "1 row has" : fmt::format("{} rows have", faulty.count), fault),
      remedy);
}

bool any_value(SparseRows::Row row, const auto& is_faulty) {
  return std::any_of(row.values.begin(), row.values.end(), is_faulty);
}

bool is_not_finite(SparseRows::Row row) {
  return any_value(row, [](double x) { return !std::isfinite(x); });
}

bool has_negative(SparseRows::Row row) {
  return any_value(row, [](double x) { return x < 0; });
}

// Nothing positive, or so little that its inverse overflows.
bool has_no_sum(SparseRows::Row row) { return !(sum_of(row) >= std::numeric_limits<double>::min()); }
bool has_infinite_sum(SparseRows::Row row) { return std::isinf(sum_of(row)); }

VectorXd people_of_cells(std::span<const std::uint32_t> cell_of_row, std::size_t cells) {
  VectorXd people = VectorXd::Zero(static_cast<Index>(cells));
  for (const std::uint32_t cell : cell_of_row) people(cell) += 1;
  return people;
}

MatrixXd jensen_shannon_sums(const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                             std::size_t cells, const Progress& progress) {
  std::vector<double> scale(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) scale[r] = 1 / sum_of(rows[r]);
  MatrixXd sums = cell_products(rows, scale, cell_of_row, cells, jensen_shannon_features(), progress);
  const VectorXd people = people_of_cells(cell_of_row, cells);
  for (Index b = 0; b < sums.cols(); ++b)
    sums.col(b) = std::numbers::ln2 * (people(b) * people - sums.col(b)).cwiseMax(0);
  return sums;
}

// Sum of |psi(x) - psi(y)|^2 = |B| sum |psi(x)|^2 + |A| sum |psi(y)|^2 - 2 <Psi_A, Psi_B>, psi by `weight`.
MatrixXd squared_sums(const SparseRows& rows, std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                      double (*weight)(double), const Progress& progress) {
  const FeatureMap map{.scale = VectorXd::Ones(1),
                       .raw = [weight](std::span<const double> values, Eigen::Ref<MatrixXd> features) {
                         std::transform(values.begin(), values.end(), features.col(0).data(), weight);
                       }};
  MatrixXd sums = cell_products(rows, {}, cell_of_row, cells, map, progress);
  const VectorXd people = people_of_cells(cell_of_row, cells);
  VectorXd squares = VectorXd::Zero(people.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const double x : rows[r].values) squares(cell_of_row[r]) += weight(x) * weight(x);
  for (Index b = 0; b < sums.cols(); ++b)
    sums.col(b) = (people(b) * squares + squares(b) * people - 2 * sums.col(b)).cwiseMax(0);
  sums.triangularView<Eigen::StrictlyUpper>() = sums.transpose();  // rounding depends on the side
  return sums;
}

double itself(double x) { return x; }
double one_if_present(double x) { return x != 0 ? 1.0 : 0.0; }

}  // namespace

Distance distance_named(const std::string& name) {
  static const std::map<std::string, Distance> kNames = {{"jensen-shannon", Distance::JensenShannon},
                                                         {"squared-euclidean", Distance::SquaredEuclidean},
                                                         {"euclidean", Distance::Euclidean},
                                                         {"jaccard", Distance::Jaccard},
                                                         {"hamming", Distance::Hamming}};
  const auto found = kNames.find(name);
  if (found == kNames.end())
    throw InputError({.source = "distance"}, "there is no distance of this name",
                     "Take one of docs/settings.md.");
  return found->second;
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
  refuse(find_rows(rows, is_not_finite), source, "an entry that is not a finite number",
         "Correct these entries or leave the rows out.");
  if (distance != Distance::JensenShannon) return;
  refuse(find_rows(rows, has_negative), source,
         "a negative entry, which the Jensen-Shannon distance cannot use",
         "Correct these entries, or choose a Euclidean distance.");
  refuse(find_rows(rows, has_no_sum), source,
         "no positive entry, so the Jensen-Shannon distance is not defined",
         "Leave these rows out, or choose another distance.");
  refuse(find_rows(rows, has_infinite_sum), source, "entries too large to add up", "Scale the entries down.");
}

MatrixXd pair_sums(Distance distance, const SparseRows& rows, std::span<const std::uint32_t> cell_of_row,
                   std::size_t cells, const Progress& progress) {
  assert(cell_of_row.size() == rows.size());
  check_rows(distance, rows);
  switch (distance) {
    case Distance::JensenShannon:
      return jensen_shannon_sums(rows, cell_of_row, cells, progress);
    case Distance::SquaredEuclidean:
      return squared_sums(rows, cell_of_row, cells, itself, progress);
    case Distance::Hamming:
      return squared_sums(rows, cell_of_row, cells, one_if_present, progress) /
             static_cast<double>(std::max<std::size_t>(rows.columns, 1));
    case Distance::Euclidean:
    case Distance::Jaccard:
      return pairwise_sums(distance, rows, cell_of_row, cells, progress);
  }
  return {};
}

double pair_sum_work(Distance distance, const SparseRows& rows, std::size_t cells) {
  std::vector<double> people_of_item(rows.columns, 0);
  for (const std::uint32_t item : rows.items) people_of_item[item] += 1;
  const bool pairwise = distance == Distance::Euclidean || distance == Distance::Jaccard;
  double shared = 0;
  for (const double people : people_of_item) {
    const double distinct = pairwise ? people : std::min(people, static_cast<double>(cells));
    shared += distinct * distinct / 2;
  }
  const double people = static_cast<double>(rows.size()), entries = static_cast<double>(rows.entries());
  if (pairwise) return people * people / 2 + shared;
  if (distance == Distance::JensenShannon) return 100 * entries + 10 * shared;
  return 10 * entries + 2 * shared;
}

}  // namespace hyobscure::census
