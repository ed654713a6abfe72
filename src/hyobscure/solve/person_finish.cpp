#include "hyobscure/solve/person_finish.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "hyobscure/solve/person_terms.h"

namespace hyobscure::solve {
namespace {

constexpr double kColumnTolerance = 1e-9;
constexpr double kSmallest = 1e-7;  // probabilities below it are left out
constexpr int kMostScalings = 3000;

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

using Entries = std::vector<std::map<std::uint32_t, double>>;  // of each row, by donor

/// Gives `amount` to row u and column u, where nobody may be their own donor: someone else's mass for a third
/// person makes room.
void give_around(Entries& rows, std::uint32_t u, double amount) {
  for (std::uint32_t v = 0; v < rows.size(); ++v) {
    if (v == u) continue;
    for (auto& [donor, probability] : rows[v])
      if (donor != u && probability >= amount) {
        probability -= amount;
        rows[v][u] += amount;
        rows[u][donor] += amount;
        return;
      }
  }
}

/// Takes from columns that have too much and gives what the rows then lack to the columns that have too
/// little, wherever they are: at most two small entries a person, for what scalings are too slow to repair.
void repair(const PoolTask& task, SparseChannel& channel) {
  const auto before = column_sums(channel);
  for (std::size_t k = 0; k < channel.donors.size(); ++k)
    channel.probabilities[k] /= std::max(1.0, before[channel.donors[k]]);
  const auto after = column_sums(channel);
  Entries rows(channel.size());
  struct Gift {
    std::uint32_t person, donor;
    double amount;
  };
  std::vector<Gift> gifts;
  std::uint32_t needy = 0;  // no column before it lacks anything
  std::vector<double> lacking(channel.size());
  for (std::size_t j = 0; j < lacking.size(); ++j) lacking[j] = std::max(0.0, 1 - after[j]);
  for (std::uint32_t u = 0; u < channel.size(); ++u) {
    double lack = 1;
    for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) {
      rows[u][channel.donors[k]] = channel.probabilities[k];
      lack -= channel.probabilities[k];
    }
    while (lack > 0 && needy < channel.size()) {
      const double gift = std::min(lack, lacking[needy]);
      if (gift > 0) gifts.push_back({u, needy, gift});
      lack -= gift;
      lacking[needy] -= gift;
      if (lacking[needy] <= 0) ++needy;
    }
  }
  for (const auto& [u, donor, amount] : gifts) {
    if (is_allowed(task.pool, task.terms, u, donor))
      rows[u][donor] += amount;
    else
      give_around(rows, u, amount);
  }
  channel = SparseChannel{};
  for (const auto& row : rows) {
    for (const auto& [donor, probability] : row)
      if (probability > 0) {
        channel.donors.push_back(donor);
        channel.probabilities.push_back(probability);
      }
    channel.starts.push_back(channel.donors.size());
  }
}

/// sum_u sum_j O(j|u) d(u,j). Nearly all pairs are on the support; a repair may have added others.
double distance_of_channel(const PersonPool& pool, const Support& support, const SparseChannel& channel) {
  return sum_over_blocks(channel.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t u = begin; u < end; ++u) {
      std::size_t pair = support.starts[u];
      for (std::size_t k = channel.starts[u]; k < channel.starts[u + 1]; ++k) {
        while (pair < support.starts[u + 1] && support.donors[pair] < channel.donors[k]) ++pair;
        const bool known = pair < support.starts[u + 1] && support.donors[pair] == channel.donors[k];
        float distance = 0;
        if (known)
          distance = support.distances[pair];
        else
          pool.distances->some(u, {&channel.donors[k], 1}, {&distance, 1});
        sum += channel.probabilities[k] * distance;
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
