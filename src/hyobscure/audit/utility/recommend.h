#pragma once

#include <cstddef>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/attack/kept_outcomes.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"

namespace hyobscure::audit {

struct RecommendSettings {
  double hidden_share = 0.2;  ///< of the items that anybody has, at least one; above 0, below 1
  double known_share = 0.7;   ///< of the people: their hidden items are known, those of the others tested
  int repetitions = 10;       ///< each with its own split and its own publication; at least 2
  /// Of more people, so many are drawn again in each repetition: similarities are quadratic in them.
  std::size_t most_people = 20'000;
  KeptOutcomes* kept = nullptr;  ///< of finished repetitions
};

struct RecommendUtility {
  UtilityResult rating_prediction;  ///< RMSE over the hidden ratings of the tested people
  UtilityResult recommendation;     ///< mean average precision over tested people with a hidden item
};

/// Are people who look alike in the publication alike? Some items are hidden; s(t, k) is the cosine of the
/// *published* rows of a tested and a known person over the other items, 0 where it is negative. Hidden
/// entries are the true ones, R the known people who have item i:
///
///   predicted rating   sum_{k in R} s(t,k) r_ki / sum_{k in R} s(t,k)
///   place of an item   by sum_{k in R} s(t,k), equal ones by all their orders
///
/// A rating without a similar rater is predicted as the mean of the item's known ratings, or of all known
/// hidden ratings where the item has none. Baselines: these means; the number of known people who have the
/// item.
///
/// Ratings that are all alike (check-ins, sets) and items that everybody has are not measurable, and neither
/// is a split in which nobody has a hidden item.
///
/// Cost: tested people * known entries, linear memory. Deterministic for a key, whatever the number of
/// threads. Intervals: utility.md. Throws InputError for people, publications or settings that do not fit,
/// and Stopped.
[[nodiscard]] RecommendUtility recommend(const data::SparseRows& features,
                                         const PublicationOf& publication_of,
                                         const RecommendSettings& settings, const Key& key,
                                         const Progress& progress = {});

}  // namespace hyobscure::audit
