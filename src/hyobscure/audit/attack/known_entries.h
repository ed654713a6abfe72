#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/audit/attack/kept_outcomes.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"

namespace hyobscure::audit {

struct KnownEntriesSettings {
  std::vector<std::size_t> known = {2, 4, 8, 16};  ///< ascending, at most kMostKnown
  std::size_t targets = 400;                       ///< of each repetition, at most
  double known_share = 0.5;                        ///< of people from whom a model of the secret is learned
  std::size_t most_people = 20'000;                ///< targets and known people are drawn from so many
  int repetitions = 4;  ///< each with its own targets, entries and publication; at least 1
  KeptOutcomes* kept = nullptr;
};

/// What the found row says of the target's secret: errors as those of trained attackers (AttackErrors).
struct SecretOfFoundRow {
  Estimate error;  ///< a linear model of true rows, applied to the found row and its group
  Estimate group;  ///< the best guess from the group of the found row
  Estimate no_information;
  Estimate own_group;  ///< from the target's own group: of who is told it
  Estimate true_row;   ///< the model on the target's true row and group: all that finding it could give
  Estimate gain;       ///< no_information - error
};

/// Of all targets with so many known entries.
struct KnownEntries {
  std::size_t known = 0;
  /// Exactly one row fits best, and it is the target's own true row, which nobody else has. A row that is
  /// published several times is one row.
  Estimate own_row;
  Estimate own_row_once;  ///< the same, and it is published once: somebody who counts copies finds no more
  Estimate under_id;      ///< one of the best rows, drawn by lot, stands under the target's id
  double under_id_chance = kUnset;  ///< the same for any row
  Estimate in_group;                ///< the row drawn stands in the target's group
  Estimate one_fits;                ///< exactly one row has all known entries, whoever's it is
  Estimate one_fits_absent;         ///< the same of people who are not in the release: their own row left out
  /// Of the other entries of the row drawn, the share that is true of the target: mean over targets whose row
  /// has others. Nothing where no row has.
  std::optional<Estimate> rest_true;
  std::optional<Estimate> rest_true_random;     ///< of a random row of the target's group
  std::optional<Estimate> rest_true_absent;     ///< of the row that fits best where the own one is left out
  std::optional<Estimate> rest_gain;            ///< rest_true - rest_true_random, person by person
  std::optional<Estimate> rest_gain_resampled;  ///< its interval over people who are drawn again
  SecretOfFoundRow secret;
};

struct KnownEntriesResult {
  std::vector<KnownEntries> of;  ///< by the number of known entries
  int repetitions = 0;
  std::size_t targets = 0;  ///< of a repetition
};

/// The attacker knows some entries (item and value) of a target's true row, drawn at random, and looks for
/// the published rows of any group that have the most of them; of several it draws one. Somebody with fewer
/// entries is known by all. Controls: a random row of the target's group, and targets who are not in the
/// release. attack.md, "Known entries".
///
/// Deterministic for a key, whatever the number of threads. Throws as attack() does.
[[nodiscard]] KnownEntriesResult known_entries_attack(const AttackTargets& targets,
                                                      const PublicationOf& publication_of,
                                                      const KnownEntriesSettings& settings, const Key& key,
                                                      const Progress& progress = {});

}  // namespace hyobscure::audit
