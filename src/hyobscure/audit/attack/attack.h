#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/attack_targets.h"
#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/audit/attack/kept_outcomes.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/learn/boosting.h"
#include "hyobscure/learn/linear.h"
#include "hyobscure/learn/stopped_boosting.h"

namespace hyobscure::audit {

enum class Attacker {
  Forest,         ///< as in the paper: trees that grow until their leaves are pure
  Boosting,       ///< boosted trees that begin with the guess from the group and stop early
  Linear,         ///< a linear model in few directions, of what the row adds to that guess
  PaperBoosting,  ///< XGBoost as in the paper: 160 rounds of squared error, whatever they learn
  Own,            ///< one of AttackSettings::own
};

/// What an attacker of the caller's has learned: gives the predictions for rows that have the columns of the
/// training rows.
using OwnModel = std::function<learn::Predictions(const data::SparseRows& rows)>;

/// An attacker of the caller's. The same controls, splits and publications are for it.
struct OwnAttacker {
  std::string name;
  /// Learns from rows and their numbers (classes = 0), or their classes 0 .. classes-1, all of which occur.
  /// The seed belongs to the trial. May be called on several threads at once.
  std::function<OwnModel(const data::SparseRows& rows, std::span<const double> label_of_row,
                         std::uint32_t classes, std::uint64_t seed)>
      learn;
};

enum class Scenario {
  I,          ///< learns from true features and secrets of some people, attacks the release of the others
  II,         ///< learns from the release and the true secrets of some people in it, attacks the others
  KnownPart,  ///< as II, but knows the secrets of known_share of the people in the release
  Shadow,     ///< learns from people of its own on whom it ran the mechanism; see shadow.h
};

struct AttackSettings {
  std::vector<Attacker> attackers = {Attacker::Boosting, Attacker::Linear};
  /// Of the people whose secret the attacker knows; in scenario II the number of folds says it.
  double known_share = 0.5;
  int folds = 2;         ///< scenario II: each fold is attacked with the secrets of the others; at least 2
  int repetitions = 10;  ///< each with its own split and its own publication; at least 1
  /// Of more people, so many are drawn again for each repetition: the attacker knows some of them and is
  /// tried on the others. Fewer to learn from make a weaker attacker.
  std::size_t most_people = 20'000;
  int trees = 100;  ///< of the forest
  learn::StoppedBoostingSettings boosting = {};
  learn::LinearSettings linear = {};
  learn::BoostingSettings paper_boosting = {};
  std::vector<OwnAttacker> own = {};  ///< beside the others
  KeptOutcomes* kept = nullptr;       ///< what is there is not computed again, what is computed goes there
};

/// Errors of one measure, each with its 95 % interval. All are of the same people and splits, so differences
/// are paired. Of a measure that is larger for a better attacker (AttackResult::auc) differences have the
/// other sign: an advantage above 0 is always the attacker's.
struct AttackErrors {
  Estimate attack;          ///< on the publication
  Estimate unobscured;      ///< the same attack where the true features are published with the same groups
  Estimate group_only;      ///< best guess from the group and the kept cells, learned from the known people
  Estimate no_information;  ///< best guess without even these
  Estimate advantage;       ///< group_only - attack: what the published features gave away
  Estimate advantage_resampled = {};  ///< its interval over people who are drawn again (resampled())
  Estimate unobscured_advantage;      ///< group_only - unobscured: what there was to give away
  Estimate over_unobscured =
      {};  ///< unobscured - attack: what the release gave away and true features do not
  /// The smallest advantage that would have been found nine times out of ten (smallest_found); nothing where
  /// not even that of true features would.
  std::optional<double> power = {};

  /// The publication gives more away than true features would: a defence that marks people by their secret.
  bool reveals_more() const { return advantage.above_zero() && over_unobscured.above_zero(); }
};

struct AttackResult {
  Attacker attacker;
  Scenario scenario;
  /// Ordered secrets: mean absolute error. Categories: share of people whose value is not the first guess.
  AttackErrors error;
  /// Categories only: share of people whose value is not among the first five guesses. Nothing where no group
  /// has more than five values.
  std::optional<AttackErrors> top5_error;
  /// Places only: mean distance in km between the person's value and the guess of least expected distance,
  /// which need not be the most probable value. group_only guesses from the known people of the group alike.
  std::optional<AttackErrors> km_error;
  /// Ordered secrets, and those of two values: the odds that of two people with different values the guesses
  /// are in the right order (concordance.h).
  std::optional<AttackErrors> auc = {};
  int repetitions = 0;
  double known_share = 0;        ///< of the people, whose secret the attacker knew
  std::size_t known_people = 0;  ///< of a split; folds may differ by one
  std::size_t tested_people = 0;
  std::string own_name = {};  ///< of Attacker::Own
};

/// Tries to infer the secret of people from what is published of them: features, group and kept cells.
///
/// All attackers predict a number for ordered secrets, and probabilities of values otherwise. The group
/// enters as a number that ascends with the secret (ordered) or one column a group; kept combinations as one
/// column each. The attacker knows which values a group holds, for the release says so: a predicted number is
/// moved into the range of the group, a value outside the group gets no probability.
///
/// An error above group_only is the attacker's own noise, not protection. A mechanism is as good as its worst
/// attacker: see also informed.h.
///
/// Deterministic for a key, whatever the number of threads; models run side by side. Throws InputError for
/// people, publications or settings that cannot be attacked (too few people, one value), and Stopped.
[[nodiscard]] std::vector<AttackResult> attack(const AttackTargets& targets,
                                               const PublicationOf& publication_of, Scenario scenario,
                                               const AttackSettings& settings, const Key& key,
                                               const Progress& progress = {});

}  // namespace hyobscure::audit
