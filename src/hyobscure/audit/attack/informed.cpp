#include "hyobscure/audit/attack/informed.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The best guess of a value whose distribution is known, and what it costs. Weights need not sum to 1.
class BestGuess {
 public:
  BestGuess(std::span<const double> numbers, Index values)
      : numbers_(numbers), order_(static_cast<std::size_t>(values)) {
    std::iota(order_.begin(), order_.end(), Index{0});
    if (ordered())
      std::sort(order_.begin(), order_.end(), [&](Index a, Index b) { return number(a) < number(b); });
  }

  // Expected error times the sum of the weights.
  double cost(const VectorXd& weights) const {
    if (!ordered()) return weights.sum() - weights.maxCoeff();
    const double guess = median(weights);
    CompensatedSum sum;
    for (Index value = 0; value < weights.size(); ++value)
      sum.add(weights(value) * std::abs(number(value) - guess));
    return sum.value();
  }

  // Error where the value is `truth`; equally probable modes are drawn by lot.
  double error(const VectorXd& weights, std::uint32_t truth) const {
    if (ordered()) return std::abs(median(weights) - number(truth));
    const double most = weights.maxCoeff();
    if (weights(truth) < most) return 1;
    return 1 - 1 / static_cast<double>((weights.array() == most).count());
  }

 private:
  bool ordered() const { return !numbers_.empty(); }
  double number(Index value) const { return numbers_[static_cast<std::size_t>(value)]; }

  double median(const VectorXd& weights) const {
    const double half = weights.sum() / 2;
    double below = 0;
    for (const Index value : order_) {
      below += weights(value);
      if (below >= half) return number(value);
    }
    return number(order_.back());
  }

  std::span<const double> numbers_;
  std::vector<Index> order_;
};

std::span<const double> all_of(const VectorXd& weights) {
  return {weights.data(), static_cast<std::size_t>(weights.size())};
}

// The values that a pool can hold.
std::vector<std::uint32_t> values_in(const VectorXd& weights) {
  std::vector<std::uint32_t> values;
  for (Index value = 0; value < weights.size(); ++value)
    if (weights(value) > 0) values.push_back(static_cast<std::uint32_t>(value));
  return values;
}

// Values of people of a pool.
std::vector<std::uint32_t> values_in(const ReleasedPool& pool,
                                     std::span<const std::uint32_t> value_of_person) {
  std::vector<std::uint32_t> values;
  for (const std::uint32_t person : pool.people) values.push_back(value_of_person[person]);
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

VectorXd weights_of(const SignalTable& pool, Index signal) { return pool.joint.row(signal).transpose(); }

VectorXd weights_of_all(const SignalTable& pool) {
  return pool.joint.transpose() * VectorXd::Ones(pool.joint.rows());
}

void add_km(InformedErrors& errors, std::span<const SignalTable> pools, std::span<const Place> places) {
  CompensatedSum km, group_only;
  for (const SignalTable& pool : pools) {
    const VectorXd of_pool = weights_of_all(pool);
    const std::vector<std::uint32_t> candidates = values_in(of_pool);
    if (candidates.empty()) continue;
    group_only.add(nearest_guess(places, all_of(of_pool), candidates).cost);
    for (Index signal = 0; signal < pool.joint.rows(); ++signal) {
      const VectorXd weights = weights_of(pool, signal);
      if (weights.sum() > 0) km.add(nearest_guess(places, all_of(weights), candidates).cost);
    }
  }
  errors.km = km.value();
  errors.group_only_km = group_only.value();
}

void require_distribution(std::span<const SignalTable> pools, std::span<const double> numbers,
                          std::span<const Place> places) {
  constexpr double kSumTolerance = 1e-6;  // sums of a million rounded entries
  double total = 0;
  bool fits = !pools.empty();
  for (const SignalTable& pool : pools) {
    const Eigen::Map<const Eigen::ArrayXd> shares(pool.joint.valuePtr(), pool.joint.nonZeros());
    fits = fits && pool.joint.cols() == pools.front().joint.cols() && shares.size() > 0 &&
           shares.allFinite() && shares.minCoeff() >= 0;
    total += shares.sum();
  }
  for (const std::size_t scale : {numbers.size(), places.size()})
    fits = fits && (scale == 0 || static_cast<Index>(scale) == pools.front().joint.cols());
  if (!fits || std::abs(total - 1) > kSumTolerance)
    throw InputError({.source = "signal tables"}, "they are no joint distribution of signals and values",
                     "Give finite shares of all people that are not negative and sum to 1 over all pools.");
}

struct Target {
  std::size_t pool;
  std::uint32_t person;
};

// Everybody, or a sample without replacement where they are too many.
std::vector<Target> choose_targets(std::span<const ReleasedPool> pools, std::size_t most, const Key& key) {
  std::vector<Target> targets;
  for (std::size_t p = 0; p < pools.size(); ++p)
    for (const std::uint32_t person : pools[p].people) targets.push_back({.pool = p, .person = person});
  RandomStream random(key.derive("targets"));
  const std::size_t taken = std::min(most, targets.size());
  for (std::size_t n = 0; n < taken; ++n)
    std::swap(targets[n], targets[n + random.below(targets.size() - n)]);
  targets.resize(taken);
  return targets;
}

// P(value) where the person of the pool has these log-probabilities, up to a factor.
VectorXd values_of(const VectorXd& logs, std::span<const std::uint32_t> people,
                   std::span<const std::uint32_t> value_of_person, std::uint32_t values) {
  const double most = logs.maxCoeff();
  if (!std::isfinite(most))
    throw InputError({.source = "release"}, "it has donors that the channel cannot give",
                     "Give the channel and the draws of the same mechanism.");
  VectorXd weights = VectorXd::Zero(values);
  for (std::size_t n = 0; n < people.size(); ++n)
    weights(value_of_person[people[n]]) += std::exp(logs(static_cast<Index>(n)) - most);
  return weights;
}

void validate(const RepeatedSettings& settings, std::size_t targets) {
  require(!settings.releases.empty() && settings.releases.front() >= 1 &&
              std::is_sorted(settings.releases.begin(), settings.releases.end()),
          "releases", "the setting is out of range", "Give ascending numbers of at least 1.");
  require(targets >= 2, "people", "fewer than two are too few for an interval",
          "Attack at least two people.");
}

constexpr std::size_t kTargetsTogether = 8;

}  // namespace

InformedErrors informed_attack(std::span<const SignalTable> pools, std::span<const double> numbers,
                               std::span<const Place> places) {
  require_distribution(pools, numbers, places);
  const BestGuess guess(numbers, pools.front().joint.cols());
  CompensatedSum error, group_only, named, group_only_named;
  for (const SignalTable& pool : pools) {
    for (Index signal = 0; signal < pool.joint.rows(); ++signal) {
      const VectorXd weights = weights_of(pool, signal);
      error.add(guess.cost(weights));
      named.add(weights.maxCoeff());
    }
    const VectorXd of_pool = weights_of_all(pool);
    group_only.add(guess.cost(of_pool));
    group_only_named.add(of_pool.maxCoeff());
  }
  InformedErrors errors{.error = error.value(),
                        .group_only = group_only.value(),
                        .named = named.value(),
                        .group_only_named = group_only_named.value()};
  if (!places.empty()) add_km(errors, pools, places);
  return errors;
}

std::vector<RepeatedErrors> repeated_releases(
    std::span<const std::uint32_t> value_of_person, std::uint32_t values, std::span<const double> numbers,
    std::span<const ReleasedPool> pools,
    const std::function<std::vector<std::uint32_t>(int release)>& donors_of, const RepeatedSettings& settings,
    const Key& key, const Progress& progress, std::span<const Place> places) {
  const std::vector<Target> targets = choose_targets(pools, settings.most_people, key);
  validate(settings, targets.size());
  std::vector<std::vector<std::uint32_t>> donors;
  for (int r = 0; r < settings.releases.back(); ++r) {
    donors.push_back(donors_of(r));
    if (donors.back().size() != value_of_person.size())
      throw InputError({.source = "release"}, "it is not a release of these people",
                       "Give a donor for every person.");
  }

  const BestGuess guess(numbers, static_cast<Index>(values));
  std::vector<std::vector<double>> errors(settings.releases.size(), std::vector<double>(targets.size()));
  std::vector<std::vector<double>> kms = errors;
  std::vector<std::vector<std::uint32_t>> candidates;
  if (!places.empty())
    for (const ReleasedPool& pool : pools) candidates.push_back(values_in(pool, value_of_person));
  parallel_blocks(targets.size(), kTargetsTogether, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    for (std::size_t t = begin; t < end; ++t) {
      const auto& [pool, person] = targets[t];
      VectorXd logs = VectorXd::Zero(static_cast<Index>(pools[pool].people.size()));
      int seen = 0;
      for (std::size_t n = 0; n < settings.releases.size(); ++n) {
        for (; seen < settings.releases[n]; ++seen)
          logs.array() += pools[pool].column(donors[static_cast<std::size_t>(seen)][person]).array().log();
        const VectorXd weights = values_of(logs, pools[pool].people, value_of_person, values);
        const std::uint32_t truth = value_of_person[person];
        errors[n][t] = guess.error(weights, truth);
        if (!places.empty())
          kms[n][t] = km_off(places, nearest_guess(places, all_of(weights), candidates[pool]), truth);
      }
    }
  });

  std::vector<RepeatedErrors> results;
  for (std::size_t n = 0; n < settings.releases.size(); ++n) {
    results.push_back({.releases = settings.releases[n],
                       .people = targets.size(),
                       .error = estimate(errors[n], numbers.empty() ? kShare : kError)});
    if (!places.empty()) results.back().km = estimate(kms[n], kError);
  }
  return results;
}

}  // namespace hyobscure::audit
