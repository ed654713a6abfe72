#include "hyobscure/solve/person_finish.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hyobscure/solve/person_terms.h"

namespace hyobscure::solve {
namespace {

constexpr double kColumnTolerance = 1e-9;
constexpr double kSmallest = 1e-7;  // probabilities below it are left out
constexpr int kMostScalings = 3000;
constexpr std::size_t kBlock = 256;  // rows or columns that one thread takes at a time

/// The largest entry of a row stays whatever it is.
SparseChannel prune(const Support& support, std::span<const float> values, double smallest) {
  SparseChannel channel;
  for (std::size_t u = 0; u < support.people_count(); ++u) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(support.starts[u]);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(support.starts[u + 1]);
    const double limit = std::min<double>(smallest, *std::max_element(begin, end));
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      if (values[pair] >= limit) {
        channel.donors.push_back(support.donors[pair]);
        channel.probabilities.push_back(values[pair]);
      }
    channel.starts.push_back(channel.donors.size());
  }
  return channel;
}

void normalise_rows(SparseChannel& channel) {
  for (std::size_t u = 0; u < channel.size(); ++u) {
    double sum = 0;
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) sum += channel.probabilities[k];
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) channel.probabilities[k] /= sum;
  }
}

std::vector<double> column_sums(const SparseChannel& channel) {
  std::vector<double> sums(channel.size(), 0.0);
  for (std::size_t k = 0; k < channel.donors.size(); ++k) sums[channel.donors[k]] += channel.probabilities[k];
  return sums;
}

double largest_error(const std::vector<double>& sums) {
  double error = 0;
  for (const double sum : sums) error = std::max(error, std::abs(sum - 1));
  return error;
}

/// Sinkhorn's scalings of an already normalised channel; whether the columns are as good as they must be.
bool balance(SparseChannel& channel) {
  for (int round = 0; round < kMostScalings; ++round) {
    const auto sums = column_sums(channel);
    if (largest_error(sums) <= kColumnTolerance) return true;
    if (std::ranges::min(sums) <= 0) return false;
    for (std::size_t k = 0; k < channel.donors.size(); ++k)
      channel.probabilities[k] /= sums[channel.donors[k]];
    normalise_rows(channel);
  }
  return false;
}

/// An amount that a row, or a column, lacks.
struct Lack {
  std::uint32_t who;
  double amount;
};

/// Takes from columns that have too much and gives what the rows then lack to the columns that have too
/// little, wherever they are: at most two small entries a person, for what scalings are too slow to repair.
void repair(const PoolTask& task, SparseChannel& channel) {
  const auto before = column_sums(channel);
  for (std::size_t k = 0; k < channel.donors.size(); ++k)
    channel.probabilities[k] /= std::max(1.0, before[channel.donors[k]]);
  std::vector<Lack> rows, columns;
  const auto after = column_sums(channel);
  for (std::uint32_t u = 0; u < channel.size(); ++u) {
    double sum = 0;
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) sum += channel.probabilities[k];
    if (sum < 1) rows.push_back({u, 1 - sum});
    if (after[u] < 1) columns.push_back({u, 1 - after[u]});
  }
  std::vector<std::vector<std::pair<std::uint32_t, double>>> gifts(channel.size());
  for (Lack& row : rows)
    while (row.amount > 0 && !columns.empty()) {
      // the last column that this person may be published as
      auto column = columns.rbegin();
      if (!is_allowed(task.pool, task.terms, row.who, column->who) && columns.size() > 1) ++column;
      const double gift = std::min(row.amount, column->amount);
      gifts[row.who].emplace_back(column->who, gift);
      row.amount -= gift;
      column->amount -= gift;
      if (column->amount <= 0) columns.erase(std::next(column).base());
    }
  SparseChannel repaired;
  for (std::size_t u = 0; u < channel.size(); ++u) {
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k)
      gifts[u].emplace_back(channel.donors[k], channel.probabilities[k]);
    std::ranges::sort(gifts[u]);
    for (const auto& [donor, probability] : gifts[u]) {
      if (repaired.donors.size() > repaired.starts.back() && repaired.donors.back() == donor) {
        repaired.probabilities.back() += probability;
      } else {
        repaired.donors.push_back(donor);
        repaired.probabilities.push_back(probability);
      }
    }
    repaired.starts.push_back(repaired.donors.size());
  }
  channel = std::move(repaired);
}

/// sum_u sum_j O(j|u) d(u,j). Nearly all pairs are on the support; a repair may have added others.
double distance_of_channel(const PersonPool& pool, const Support& support, const SparseChannel& channel) {
  return sum_over_blocks(channel.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    std::vector<float> row;
    for (std::size_t u = begin; u < end; ++u) {
      row.clear();
      std::size_t pair = support.starts[u];
      for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) {
        while (pair < support.starts[u + 1] && support.donors[pair] < channel.donors[k]) ++pair;
        const bool known = pair < support.starts[u + 1] && support.donors[pair] == channel.donors[k];
        if (!known && row.empty()) {
          row.resize(pool.size());
          pool.distances->row(u, row);
        }
        sum += channel.probabilities[k] * (known ? support.distances[pair] : row[channel.donors[k]]);
      }
    }
    return sum;
  });
}

/// sum_y v log( v / (q R) ) of one column.
double column_leakage(const Eigen::VectorXd& masses, const Eigen::VectorXd& shares) {
  const double total = masses.sum();
  double sum = 0;
  for (Eigen::Index y = 0; y < masses.size(); ++y)
    if (masses(y) > 0) sum += masses(y) * std::log(masses(y) / (shares(y) * total));
  return sum;
}

/// Who is published as each donor, and how often.
std::vector<std::vector<std::pair<std::uint32_t, double>>> columns_of(const SparseChannel& channel) {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> columns(channel.size());
  for (std::uint32_t u = 0; u < channel.size(); ++u)
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k)
      columns[channel.donors[k]].emplace_back(u, channel.probabilities[k]);
  return columns;
}

}  // namespace

SparseChannel finish_channel(const PoolTask& task, const Support& support, std::span<const float> values) {
  // A pattern that lost too much may not be scalable any more; one that lost next to nothing always is.
  SparseChannel channel;
  for (const double smallest : {kSmallest, 1e-3 * kSmallest}) {
    channel = prune(support, values, smallest);
    normalise_rows(channel);
    if (!task.terms.balanced || balance(channel)) return channel;
  }
  repair(task, channel);
  normalise_rows(channel);
  return channel;
}

double objective_of_channel(const PoolTask& task, const Support& support, const SparseChannel& channel) {
  const auto columns = columns_of(channel);
  const Eigen::VectorXd informed_q = informed_shares(task.pool);
  const Eigen::VectorXd learned_q = counts_learned(task) ? learned_shares(task.pool) : Eigen::VectorXd();
  const double leakage = sum_over_blocks(columns.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    Eigen::VectorXd informed(informed_q.size()), learned(learned_q.size());
    for (std::size_t j = begin; j < end; ++j) {
      informed.setZero();
      learned.setZero();
      for (const auto& [u, amount] : columns[j]) {
        informed(task.pool.value_of_person[u]) += amount;
        if (counts_learned(task)) learned += amount * task.pool.learned.row(u).cast<double>().transpose();
      }
      sum += task.terms.informed_weight * column_leakage(informed, informed_q) +
             task.terms.learned_weight * column_leakage(learned, learned_q);
    }
    return sum;
  });
  return leakage + task.multiplier * distance_of_channel(task.pool, support, channel);
}

}  // namespace hyobscure::solve
