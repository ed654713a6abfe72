#include "hyobscure/audit/mechanism/resampled_leakage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0; }

/// Poisson's distribution of mean 1, by inversion.
double poisson(RandomStream& random) {
  double rest = random.uniform(), odds = std::exp(-1.0);
  int count = 0;
  while (rest >= odds && count < 40) {
    rest -= odds;
    odds /= ++count;
  }
  return count;
}

/// The channel of one stratum: what each of its people adds to which cell of signal and secret.
class StratumCounts {
 public:
  StratumCounts(const obscure::Signals& signals, std::span<const std::uint32_t> members,
                std::span<const std::uint32_t> secrets)
      : members_(members), secrets_(secrets) {
    std::unordered_map<std::uint64_t, std::uint32_t> cells;
    std::unordered_map<std::uint32_t, std::uint32_t> rows;
    for (const std::uint32_t u : members) {
      for (const obscure::Signal& signal : signals.of(u)) {
        const auto row = rows.emplace(signal.id, static_cast<std::uint32_t>(rows.size())).first->second;
        const std::uint64_t name = (std::uint64_t{signal.id} << 32) | secrets[u];
        const auto [cell, is_new] = cells.emplace(name, static_cast<std::uint32_t>(cells.size()));
        if (is_new) row_of_cell_.push_back(row);
        entries_.push_back({cell->second, signal.probability});
      }
      ends_.push_back(entries_.size());
    }
    rows_ = rows.size();
  }

  std::size_t entries() const { return entries_.size(); }

  /// The sum above over this stratum; people and secrets are added to theirs.
  template <class WeightOf>
  double sum(const WeightOf& weight_of_next, std::vector<double>& of_secret) const {
    std::vector<double> cells(row_of_cell_.size(), 0), rows(rows_, 0);
    std::size_t entry = 0;
    for (std::size_t n = 0; n < members_.size(); ++n) {
      const double weight = weight_of_next();
      of_secret[secrets_[members_[n]]] += weight;
      if (weight == 0) entry = ends_[n];
      for (; entry < ends_[n]; ++entry) cells[entries_[entry].cell] += weight * entries_[entry].odds;
    }
    double total = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      rows[row_of_cell_[c]] += cells[c];
      total += x_log_x(cells[c]);
    }
    for (const double row : rows) total -= x_log_x(row);
    return total;
  }

 private:
  struct Entry {
    std::uint32_t cell;
    double odds;
  };
  std::span<const std::uint32_t> members_, secrets_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> row_of_cell_;
  std::size_t rows_ = 0;
};

/// The sums of one draw of people.
struct Drawn {
  double sum = 0;
  std::vector<double> of_secret;

  double bits() const {
    double people = 0, secrets = 0;
    for (const double count : of_secret) {
      people += count;
      secrets += x_log_x(count);
    }
    return people > 0 ? std::max(0.0, (sum - secrets) / people + std::log2(people)) : 0;
  }
};

std::size_t draws_for(const obscure::Signals& signals, const data::People& people) {
  constexpr double kSteps = 3e8;
  double entries = 1;
  for (std::uint32_t u = 0; u < people.size(); ++u) entries += static_cast<double>(signals.most(u));
  return static_cast<std::size_t>(std::clamp(kSteps / entries, 40.0, 400.0));
}

}  // namespace

ResampledLeakage resampled_leakage(const obscure::Signals& signals, const data::People& people,
                                   const Key& key, const Progress& progress) {
  const std::span<const std::uint32_t> secrets = people.exact_secrets();
  const std::size_t values = people.exact.empty() ? people.values.size() : people.exact_values;
  const std::size_t draws = draws_for(signals, people);
  Drawn counted{.of_secret = std::vector<double>(values, 0)};
  std::vector<Drawn> drawn(draws, counted);
  const auto& strata = signals.strata().members;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    progress.throw_if_stopped();
    progress.report("people drawn again", static_cast<double>(s), static_cast<double>(strata.size()));
    const StratumCounts counts(signals, strata[s], secrets);
    counted.sum += counts.sum([] { return 1.0; }, counted.of_secret);
    parallel_blocks(draws, 1, [&](std::size_t d, std::size_t) {
      RandomStream random(key.derive(fmt::format("draw {}, stratum {}", d, s)));
      drawn[d].sum += counts.sum([&] { return poisson(random); }, drawn[d].of_secret);
    });
  }
  std::vector<double> bits;
  for (const Drawn& one : drawn) bits.push_back(one.bits());
  const double mean = std::accumulate(bits.begin(), bits.end(), 0.0) / static_cast<double>(draws);
  ResampledLeakage found{.bits = counted.bits(),
                         .as_it_is_low = quantile(bits, 0.025),
                         .as_it_is_median = quantile(bits, 0.5),
                         .as_it_is_high = quantile(bits, 0.975),
                         .draws = draws};
  found.low = std::max(0.0, found.bits + found.as_it_is_low - mean);
  found.high = found.bits + found.as_it_is_high - mean;
  return found;
}

}  // namespace hyobscure::audit
