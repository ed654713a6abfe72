#pragma once

#include <cstddef>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/audit/attack/kept_outcomes.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"

namespace hyobscure::audit {

struct MatchingSettings {
  census::Distance distance = census::Distance::JensenShannon;  ///< by which rows are near
  std::size_t targets = 150;                                    ///< of each repetition, at most
  std::size_t pairs = 400'000;  ///< distances of each repetition, at most: so many rows are drawn
  int repetitions = 4;          ///< each with its own targets and publication; at least 1
  KeptOutcomes* kept = nullptr;
};

/// How well a whole true row finds the row that is published under the person's id.
struct MatchingResult {
  /// The odds that the row under the target's id is nearer to the true row than any other published row;
  /// equally near ones count half. 1 / 2: the true row tells nothing.
  Estimate auc;
  Estimate rank;     ///< its place among `rows`, the nearest first; the mean over targets
  Estimate nearest;  ///< share of targets for whom it is the nearest, one of equally near ones by lot
  Estimate own_row;  ///< share of targets for whom it has exactly the entries of the true row
  /// The same where ids are shuffled among those with the same group and kept cells, which are published:
  /// what these alone give away, computed exactly. Ids that are shuffled among all people have an auc of 1
  /// / 2.
  Estimate shuffled_auc, shuffled_nearest, shuffled_own_row;
  Estimate gain;            ///< auc - shuffled_auc
  Estimate gain_resampled;  ///< its interval over people who are drawn again
  int repetitions = 0;
  std::size_t targets = 0;  ///< of a repetition
  std::size_t rows = 0;     ///< among which each was sought
};

/// The attacker has a person's whole true row, and ranks the published rows by their distance from it: does
/// the release link the id to the person? Deterministic for a key. Throws as attack() does, and for rows that
/// the distance does not admit.
[[nodiscard]] MatchingResult matching_attack(const AttackTargets& targets,
                                             const PublicationOf& publication_of,
                                             const MatchingSettings& settings, const Key& key,
                                             const Progress& progress = {});

}  // namespace hyobscure::audit
