#include "hyobscure/census/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/rows_by_cell.h"

namespace hyobscure::census {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Sum of x log x: what the terms of a plug-in information are made of.
template <class Numbers>
double sum_x_log_x(const Numbers& numbers) {
  CompensatedSum sum;
  for (const auto number : numbers) sum.add(x_log_x(static_cast<double>(number)));
  return sum.value();
}

// std::lgamma writes a global sign, which threads must not share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// Replaces labels by 0, 1, .. in the order of the labels; returns how many there are.
std::uint32_t renumber(std::vector<std::uint32_t>& labels) {
  std::vector<std::uint32_t> distinct = labels;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (std::uint32_t& label : labels)
    label = static_cast<std::uint32_t>(std::lower_bound(distinct.begin(), distinct.end(), label) -
                                       distinct.begin());
  return static_cast<std::uint32_t>(distinct.size());
}

// The people of one stratum. Only the joint counts change when values are permuted.
struct Stratum {
  std::vector<std::uint32_t> clusters;
  std::vector<std::uint32_t> values;
  std::uint32_t cluster_count;
  std::uint32_t value_count;
  double margins;  // sum of x log x of both margins, less that of the total
};

double margins_of(const std::vector<std::uint32_t>& labels, std::uint32_t count) {
  std::vector<std::uint32_t> people(count, 0);
  for (const std::uint32_t label : labels) people[label] += 1;
  return sum_x_log_x(people);
}

std::vector<Stratum> split(std::span<const std::uint32_t> cluster_of_person,
                           std::span<const std::uint32_t> value_of_person,
                           std::span<const std::uint32_t> stratum_of_person) {
  assert(value_of_person.size() == cluster_of_person.size());
  assert(stratum_of_person.empty() || stratum_of_person.size() == cluster_of_person.size());
  std::vector<std::uint32_t> number(stratum_of_person.begin(), stratum_of_person.end());
  number.resize(cluster_of_person.size(), 0);
  const std::uint32_t count = renumber(number);
  const RowsByCell by_stratum(number, count);

  std::vector<Stratum> strata;
  for (std::uint32_t s = 0; s < count; ++s) {
    Stratum stratum{};
    for (const std::uint32_t person : by_stratum.members(s)) {
      stratum.clusters.push_back(cluster_of_person[person]);
      stratum.values.push_back(value_of_person[person]);
    }
    stratum.cluster_count = renumber(stratum.clusters);
    stratum.value_count = renumber(stratum.values);
    stratum.margins = margins_of(stratum.clusters, stratum.cluster_count) +
                      margins_of(stratum.values, stratum.value_count) -
                      x_log_x(static_cast<double>(stratum.values.size()));
    strata.push_back(std::move(stratum));
  }
  return strata;
}

// n I(Y; C) of a stratum of n people with the given values.
double information(const Stratum& stratum, const std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> joint(std::size_t{stratum.cluster_count} * stratum.value_count, 0);
  for (std::size_t i = 0; i < values.size(); ++i)
    joint[std::size_t{values[i]} * stratum.cluster_count + stratum.clusters[i]] += 1;
  return std::max(0.0, sum_x_log_x(joint) - stratum.margins);
}

void shuffle(std::vector<std::uint32_t>& values, RandomStream& random) {
  for (std::size_t left = values.size(); left > 1; --left)
    std::swap(values[left - 1], values[random.below(left)]);
}

double permuted_information(const std::vector<Stratum>& strata, std::size_t people, const Key& key) {
  RandomStream random(key);
  double total = 0;
  for (const Stratum& stratum : strata) {
    std::vector<std::uint32_t> values = stratum.values;
    shuffle(values, random);
    total += information(stratum, values);
  }
  return total / static_cast<double>(people);
}

}  // namespace

double entropy(const VectorXd& weights) {
  const double total = weights.sum();
  if (!(total > 0)) return 0;
  return std::max(0.0, std::log(total) - sum_x_log_x(weights) / total);
}

double mutual_information(const Eigen::MatrixXd& counts) {
  const VectorXd rows = counts.rowwise().sum(), columns = counts.colwise().sum();
  return std::max(0.0, entropy(rows) + entropy(columns) - entropy(counts.reshaped()));
}

double conditional_information(std::span<const std::uint32_t> cluster_of_person,
                               std::span<const std::uint32_t> value_of_person,
                               std::span<const std::uint32_t> stratum_of_person) {
  if (cluster_of_person.empty()) return 0;
  double total = 0;
  for (const Stratum& stratum : split(cluster_of_person, value_of_person, stratum_of_person))
    total += information(stratum, stratum.values);
  return total / static_cast<double>(cluster_of_person.size());
}

PermutationNull permutation_null(std::span<const std::uint32_t> cluster_of_person,
                                 std::span<const std::uint32_t> value_of_person,
                                 std::span<const std::uint32_t> stratum_of_person, int permutations,
                                 const Key& key) {
  if (permutations < 2)
    throw InputError({.source = "permutations"}, "expected at least 2", "Correct the setting.");
  if (cluster_of_person.empty()) return {.mean_nats = 0, .deviation_nats = 0, .permutations = permutations};
  const auto strata = split(cluster_of_person, value_of_person, stratum_of_person);
  VectorXd nats(permutations);
  parallel_blocks(static_cast<std::size_t>(permutations), 1, [&](std::size_t p, std::size_t) {
    nats(static_cast<Index>(p)) =
        permuted_information(strata, cluster_of_person.size(), key.derive(fmt::format("permutation {}", p)));
  });
  const double mean = nats.mean();
  const double variance = (nats.array() - mean).square().sum() / (permutations - 1);
  return {.mean_nats = mean, .deviation_nats = std::sqrt(variance), .permutations = permutations};
}

std::int64_t draw_hypergeometric(std::int64_t kind, std::int64_t all, std::int64_t draws,
                                 RandomStream& random) {
  const std::int64_t lowest = std::max<std::int64_t>(0, draws - (all - kind)),
                     highest = std::min(kind, draws);
  if (lowest == highest) return lowest;
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const auto mode =
      std::clamp(static_cast<std::int64_t>((number(draws) + 1) * (number(kind) + 1) / (number(all) + 2)),
                 lowest, highest);
  // P(n + 1) / P(n)
  const auto step = [&](std::int64_t n) {
    return number(kind - n) / number(n + 1) * (number(draws - n) / number(all - kind - draws + n + 1));
  };
  const auto choose = [&](std::int64_t n, std::int64_t k) {
    return log_gamma(number(n) + 1) - log_gamma(number(k) + 1) - log_gamma(number(n - k) + 1);
  };
  // From the most probable number outwards, until the drawn share of the probability is passed.
  double left = random.uniform(),
         below = std::exp(choose(kind, mode) + choose(all - kind, draws - mode) - choose(all, draws));
  double above = below;
  left -= below;
  for (std::int64_t low = mode, high = mode; left >= 0 && (low > lowest || high < highest);) {
    if (high < highest) {
      above *= step(high++);
      if ((left -= above) < 0) return high;
    }
    if (low > lowest) {
      below /= step(--low);
      if ((left -= below) < 0) return low;
    }
  }
  return mode;
}

Eigen::MatrixXd permuted_table(const Eigen::MatrixXd& counts, RandomStream& random) {
  Eigen::VectorXd rows = counts.rowwise().sum();
  Eigen::MatrixXd table(counts.rows(), counts.cols());
  const auto whole = [](double count) { return static_cast<std::int64_t>(std::llround(count)); };
  for (Index column = 0; column < counts.cols(); ++column) {
    std::int64_t draws = whole(counts.col(column).sum()), all = whole(rows.sum());
    for (Index row = 0; row < counts.rows(); ++row) {
      const std::int64_t drawn = draw_hypergeometric(whole(rows[row]), all, draws, random);
      all -= whole(rows[row]);
      draws -= drawn;
      rows[row] -= static_cast<double>(drawn);
      table(row, column) = static_cast<double>(drawn);
    }
  }
  return table;
}

}  // namespace hyobscure::census
