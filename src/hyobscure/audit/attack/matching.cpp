#include "hyobscure/audit/attack/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <numeric>

#include "hyobscure/audit/attack/row_content.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

/// What is measured of a target.
struct Match {
  double won = 0;      ///< share of the other rows that are farther than this one
  double nearest = 0;  ///< whether it is the nearest
  double own_row = 0;  ///< whether it has the entries of the true row
};
constexpr std::size_t kMatchFigures = 6;  ///< a match of the row under the id, and of one of the same pool

/// The published rows by their distance from one true row.
class RankedRows {
 public:
  RankedRows(const AttackTargets& targets, const Publication& publication,
             std::span<const std::uint32_t> candidates, std::uint32_t target, census::Distance distance)
      : own_(content_of(targets.features[target])) {
    const data::SparseRows::Row truth = targets.features[target];
    for (const std::uint32_t person : candidates) {
      const data::SparseRows::Row row = publication.rows[publication.row_of_person[person]];
      distances_.push_back(distance_of(distance, truth, row, targets.features.columns));
      is_own_.push_back(content_of(row) == own_ ? 1 : 0);
    }
    sorted_ = distances_;
    std::ranges::sort(sorted_);
  }

  /// Of the row of the n-th candidate.
  Match match(std::size_t n) const {
    const auto [first, last] = std::ranges::equal_range(sorted_, distances_[n]);
    const auto equal = static_cast<double>(last - first), farther = static_cast<double>(sorted_.end() - last);
    return {.won = (farther + (equal - 1) / 2) / static_cast<double>(sorted_.size() - 1),
            .nearest = first == sorted_.begin() ? 1 / equal : 0,
            .own_row = is_own_[n] != 0 ? 1.0 : 0.0};
  }

 private:
  /// A row without entries has no distribution: it is as far as two rows can be.
  static double distance_of(census::Distance distance, data::SparseRows::Row a, data::SparseRows::Row b,
                            std::size_t columns) {
    if (distance == census::Distance::JensenShannon && (a.items.empty() || b.items.empty()))
      return a.items.empty() && b.items.empty() ? 0 : std::numbers::ln2;
    return census::distance_between(distance, a, b, columns);
  }

  std::uint64_t own_;
  std::vector<double> distances_, sorted_;
  std::vector<char> is_own_;
};

/// People whose rows are ranked, and which of them are sought.
struct RankedPeople {
  std::vector<std::uint32_t> candidates;
  std::vector<std::uint32_t> targets;  ///< by their place among the candidates
};

RankedPeople people_ranked(std::size_t people, const MatchingSettings& settings, const Key& key) {
  const std::size_t rows = std::max<std::size_t>(2, settings.pairs / std::min(people, settings.targets));
  RankedPeople repetition{.candidates = drawn_people(people, rows, key.derive("rows")), .targets = {}};
  repetition.targets = drawn_people(repetition.candidates.size(), settings.targets, key.derive("targets"));
  return repetition;
}

std::size_t pool_of(const AttackTargets& targets, std::uint32_t person) {
  const std::size_t kept = targets.kept_of_person.empty() ? 0 : targets.kept_of_person[person];
  return targets.group_of_person[person] * std::size_t{targets.kept_combinations} + kept;
}

/// kMatchFigures numbers for each target.
std::vector<double> matches(const AttackTargets& targets, const Publication& publication,
                            const RankedPeople& repetition, census::Distance distance,
                            const Progress& progress) {
  std::vector<std::vector<std::uint32_t>> places_of_pool(std::size_t{targets.groups} *
                                                         targets.kept_combinations);
  for (std::uint32_t n = 0; n < repetition.candidates.size(); ++n)
    places_of_pool[pool_of(targets, repetition.candidates[n])].push_back(n);
  std::vector<double> numbers(repetition.targets.size() * kMatchFigures);
  parallel_blocks(repetition.targets.size(), 8, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    for (std::size_t t = begin; t < end; ++t) {
      const std::uint32_t place = repetition.targets[t], person = repetition.candidates[place];
      const RankedRows ranked(targets, publication, repetition.candidates, person, distance);
      const Match own = ranked.match(place);
      Match anybody;
      const auto& pool = places_of_pool[pool_of(targets, person)];
      const double share = 1 / static_cast<double>(pool.size());
      for (const std::uint32_t other : pool) {
        const Match match = ranked.match(other);
        anybody.won += share * match.won;
        anybody.nearest += share * match.nearest;
        anybody.own_row += share * match.own_row;
      }
      std::ranges::copy(
          std::array{own.won, own.nearest, own.own_row, anybody.won, anybody.nearest, anybody.own_row},
          numbers.begin() + static_cast<std::ptrdiff_t>(t * kMatchFigures));
    }
  });
  return numbers;
}

/// Means over the targets of all repetitions.
class MatchingSummary {
 public:
  MatchingSummary(std::span<const RankedPeople> repetitions, std::span<const std::vector<double>> numbers)
      : repetitions_(repetitions), numbers_(numbers) {}

  /// `weights` of the figures of each target are added up.
  MeanAndVariance of(const std::array<double, kMatchFigures>& weights) const {
    return over_people(trials(weights));
  }
  std::vector<TrialFigure> trials(const std::array<double, kMatchFigures>& weights) const {
    std::vector<TrialFigure> trials;
    for (std::size_t r = 0; r < repetitions_.size(); ++r) {
      std::vector<std::uint32_t> people;
      std::vector<double> values;
      for (std::size_t t = 0; t < repetitions_[r].targets.size(); ++t) {
        people.push_back(repetitions_[r].candidates[repetitions_[r].targets[t]]);
        values.push_back(
            std::inner_product(weights.begin(), weights.end(),
                               numbers_[r].begin() + static_cast<std::ptrdiff_t>(t * kMatchFigures), 0.0));
      }
      trials.push_back(mean_figure(people, values));
    }
    return trials;
  }

 private:
  std::span<const RankedPeople> repetitions_;
  std::span<const std::vector<double>> numbers_;
};

}  // namespace

MatchingResult matching_attack(const AttackTargets& targets, const PublicationOf& publication_of,
                               const MatchingSettings& settings, const Key& key, const Progress& progress) {
  check(targets);
  require(settings.repetitions >= 1 && settings.targets >= 2, "repetitions, targets",
          "the setting is out of range", "Take at least 1 and 2.");
  const std::vector<Publication> published =
      publications(targets.features, publication_of, settings.repetitions);
  std::vector<RankedPeople> repetitions;
  std::vector<std::vector<double>> numbers;
  for (int r = 0; r < settings.repetitions; ++r) {
    progress.report("matching rows", r, settings.repetitions);
    repetitions.push_back(
        people_ranked(targets.size(), settings, key.derive(fmt::format("repetition {}", r))));
    numbers.push_back(outcome_of(settings.kept, fmt::format("matching {}", r), [&] {
      return matches(targets, published[static_cast<std::size_t>(r)], repetitions.back(), settings.distance,
                     progress);
    }));
  }
  const MatchingSummary summary(repetitions, numbers);
  const MeanAndVariance auc = summary.of({1, 0, 0, 0, 0, 0});
  const auto others = static_cast<double>(repetitions.front().candidates.size() - 1);
  const Estimate area = estimate(auc, kShare);
  return {.auc = area,
          .rank = {.mean = 1 + (1 - area.mean) * others,
                   .low = 1 + (1 - area.high) * others,
                   .high = 1 + (1 - area.low) * others},
          .nearest = share_estimate(summary.of({0, 1, 0, 0, 0, 0})),
          .own_row = share_estimate(summary.of({0, 0, 1, 0, 0, 0})),
          .shuffled_auc = estimate(summary.of({0, 0, 0, 1, 0, 0}), kShare),
          .shuffled_nearest = share_estimate(summary.of({0, 0, 0, 0, 1, 0})),
          .shuffled_own_row = share_estimate(summary.of({0, 0, 0, 0, 0, 1})),
          .gain = estimate(summary.of({1, 0, 0, -1, 0, 0}), kShareDifference),
          .gain_resampled =
              resampled(summary.trials({1, 0, 0, -1, 0, 0}), key.derive("resampled"), kShareDifference),
          .repetitions = settings.repetitions,
          .targets = repetitions.front().targets.size(),
          .rows = repetitions.front().candidates.size()};
}

}  // namespace hyobscure::audit
