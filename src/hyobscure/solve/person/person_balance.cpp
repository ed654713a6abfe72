#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hyobscure/solve/person/person_pool.h"
#include "hyobscure/solve/person/person_sums.h"

namespace hyobscure::solve {
namespace {

constexpr int kSweeps = 500;                // of scaling, before what is left is moved
constexpr double kColumnsBalanced = 1e-10;  // a tenth of what is promised
constexpr double kNothing = 1e-16;          // mass that rounding cannot tell from none

void scale_columns(SparseChannel& channel, const std::vector<double>& factors) {
  for (std::size_t e = 0; e < channel.donors.size(); ++e)
    channel.probabilities[e] *= factors[channel.donors[e]];
}

double row_sum(const SparseChannel& channel, std::size_t u) {
  double sum = 0;
  for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e) sum += channel.probabilities[e];
  return sum;
}

/// Sinkhorn's sweeps. Converges where the support carries a balanced channel; tells whether it did.
bool scale(SparseChannel& channel) {
  normalise_rows(channel);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    std::vector<double> columns = column_sums(channel);
    double worst = 0;
    for (double& sum : columns) {
      worst = std::max(worst, std::abs(sum - 1));
      // a column that nobody uses cannot be scaled: it stays empty, and the sweeps end without success
      sum = sum > 0 ? 1 / sum : 0;
    }
    if (worst <= kColumnsBalanced) return true;
    scale_columns(channel, columns);
    normalise_rows(channel);
  }
  return false;
}

struct Entry {
  std::uint32_t person, donor;
  double mass;
};

/// Moves mass onto the own row of `person` by way of another pair (w, k): (person, k) and (w, person) get
/// what (w, k) gives, which keeps all other sums.
void fill_around_own(std::uint32_t person, double mass, std::vector<Entry>& entries) {
  const std::size_t count = entries.size();
  for (std::size_t e = 0; e < count && mass > kNothing; ++e) {
    const Entry giver = entries[e];
    if (giver.person == person || giver.donor == person) continue;
    const double given = std::min(mass, giver.mass);
    entries[e].mass -= given;
    entries.push_back({person, giver.donor, given});
    entries.push_back({giver.person, person, given});
    mass -= given;
  }
}

/// Gives what rows lack to the columns that lack it, in order: both lack the same in all.
void fill_deficits(std::vector<double> rows, std::vector<double> columns, bool own,
                   std::vector<Entry>& entries) {
  std::size_t u = 0;
  std::size_t j = 0;
  while (u < rows.size() && j < columns.size()) {
    // north-west corner rule: one of the two is filled by each entry
    const double mass = std::min(rows[u], columns[j]);
    if (mass > kNothing) {
      const auto person = static_cast<std::uint32_t>(u);
      if (u == j && !own)
        fill_around_own(person, mass, entries);
      else
        entries.push_back({person, static_cast<std::uint32_t>(j), mass});
    }
    rows[u] -= mass;
    columns[j] -= mass;
    rows[u] <= columns[j] ? ++u : ++j;
  }
}

SparseChannel from_entries(std::size_t people, std::vector<Entry> entries) {
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.person, e.donor); });
  SparseChannel result;
  std::size_t next = 0;
  for (std::size_t u = 0; u < people; ++u) {
    const std::size_t begin = result.donors.size();
    for (; next < entries.size() && entries[next].person == u; ++next) {
      if (entries[next].mass <= 0) continue;
      if (result.donors.size() > begin && result.donors.back() == entries[next].donor) {
        result.probabilities.back() += entries[next].mass;
        continue;
      }
      result.donors.push_back(entries[next].donor);
      result.probabilities.push_back(entries[next].mass);
    }
    result.starts.push_back(result.donors.size());
  }
  return result;
}

/// Scales rows and columns down to at most 1, then fills up what they lack.
SparseChannel filled(SparseChannel channel, bool own) {
  std::vector<double> columns = column_sums(channel);
  // person_channel.md, "The channel returned": columns down to 1; rows were 1 and can only have lost
  for (double& sum : columns) sum = 1 / std::max(1.0, sum);
  scale_columns(channel, columns);
  columns = column_sums(channel);
  for (double& sum : columns) sum = std::max(0.0, 1 - sum);
  std::vector<double> rows;
  std::vector<Entry> entries;
  for (std::size_t u = 0; u < channel.size(); ++u) {
    rows.push_back(std::max(0.0, 1 - row_sum(channel, u)));
    for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e)
      entries.push_back({static_cast<std::uint32_t>(u), channel.donors[e], channel.probabilities[e]});
  }
  fill_deficits(std::move(rows), std::move(columns), own, entries);
  SparseChannel result = from_entries(channel.size(), std::move(entries));
  normalise_rows(result);
  return result;
}

}  // namespace

SparseChannel balanced_channel(const SparseChannel& nearly, bool own) {
  SparseChannel channel = nearly;
  return scale(channel) ? channel : filled(std::move(channel), own);
}

}  // namespace hyobscure::solve
