#include "hyobscure/audit/mechanism/audit_cost.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hyobscure::audit {
namespace {

// Seconds, measured by bench/scale/costs.py (docs/benchmarks.md). Of models: for an entry of a known person.
constexpr double kForestOfLevel = 2.4e-8;  ///< of a tree
constexpr int kTrees = 100;
constexpr double kPaperBoosting = 6e-9 * 160;
constexpr double kBoosting = 6e-6;         ///< of numbers, where rows say something
constexpr double kBoostingOfClass = 1e-6;  ///< and of each class
constexpr double kOfSilentRows = 0.25;     ///< boosting stops early where rows say nothing
constexpr double kLinear = 2e-7;
constexpr double kSimilarityPerEntry = 1.2e-9;  ///< a tested person, an entry of the known people
constexpr double kSearchOfEntry = 2e-8;         ///< a published entry, all targets
constexpr double kDistanceOfEntry = 2e-8;       ///< an entry of a pair of rows
constexpr double kInformedOfPair = 3e-8;        ///< an attacked person, one of the pool, a release
constexpr int kReleasesSeen = 18;               ///< 1, 2, 5 and 10
constexpr double kMostAttacked = 1000;

struct Size {
  double people;  ///< known and tested
  double entries_per_person;
  double classes;  ///< 0: a number
};

double model_seconds(data::AttackModel model, double known, const Size& size) {
  const double entries = known * size.entries_per_person;
  switch (model) {
    case data::AttackModel::Forest:
      return entries * kForestOfLevel * kTrees * std::log2(known);
    case data::AttackModel::PaperBoosting:
      return entries * kPaperBoosting * std::max(1.0, size.classes);
    case data::AttackModel::Boosting:
      return entries * (size.classes > 0 ? kBoostingOfClass * size.classes : kBoosting);
    case data::AttackModel::Linear:
      break;
  }
  return entries * kLinear;
}

/// Of every attacker, models of rows that say something and of rows that should not.
double attackers_seconds(double telling, double silent, double known, const Size& size,
                         const data::AuditSpec& audit) {
  double seconds = 0;
  for (const data::AttackModel model : audit.attackers) {
    const double of_silent = model == data::AttackModel::Boosting ? kOfSilentRows * silent : silent;
    seconds += (telling + of_silent) * model_seconds(model, known, size);
  }
  return seconds;
}

/// Learns in each fold from the release, from true rows and, once, from four planted leaks.
double seconds_in_release(double known_share, double folds, const Size& size, const data::AuditSpec& audit) {
  constexpr double kPlanted = 4;
  const double releases = audit.releases;
  return attackers_seconds(folds * (releases + kPlanted), folds * releases, size.people * known_share, size,
                           audit);
}

/// I learns once from true rows, the others from the release.
double scenario_seconds(data::AttackScenario scenario, const Size& size, const data::AuditSpec& audit) {
  switch (scenario) {
    case data::AttackScenario::I:
      return attackers_seconds(audit.releases, 0, size.people * audit.known, size, audit);
    case data::AttackScenario::II:
      return seconds_in_release(1 - 1.0 / audit.folds, audit.folds, size, audit);
    case data::AttackScenario::KnownPart:
      break;
  }
  return seconds_in_release(0.1, 1, size, audit) + seconds_in_release(0.9, 1, size, audit);
}

/// Known entries: every published entry is looked at, and a linear model is learned; matching: distances.
double row_attack_seconds(data::RowAttack attack, double people, const Size& size,
                          const data::AuditSpec& audit) {
  constexpr double kMostPairs = 4e5, kMostTargets = 150;
  const double targets = std::min(people, kMostTargets);
  const double of_one =
      attack == data::RowAttack::KnownEntries
          ? people * size.entries_per_person * kSearchOfEntry +
                size.people * audit.known * size.entries_per_person * kLinear
          : std::min(kMostPairs, targets * people) * size.entries_per_person * kDistanceOfEntry;
  return audit.releases * of_one;
}

/// Similarities of tested and known people, for the release and for the truth.
double recommendation_seconds(const Size& size, int releases) {
  constexpr double kKnown = 0.7;
  return 2.0 * std::max(2, releases) * size.people * (1 - kKnown) * size.people * kKnown *
         size.entries_per_person * kSimilarityPerEntry;
}

}  // namespace

double AuditCost::total() const {
  return std::accumulate(scenarios.begin(), scenarios.end(), rows + shadow + informed + utilities);
}

AuditCost audit_cost(const data::People& people, const data::Spec& spec) {
  const auto all = static_cast<double>(people.size());
  const Size size{.people = std::min(all, static_cast<double>(spec.audit.people)),
                  .entries_per_person = static_cast<double>(people.features.entries()) / std::max(1.0, all),
                  .classes = people.space ? static_cast<double>(people.values.size()) : 0};
  AuditCost cost;
  for (const data::AttackScenario scenario : spec.audit.scenarios)
    cost.scenarios.push_back(scenario_seconds(scenario, size, spec.audit));
  for (const data::RowAttack attack : spec.audit.row_attacks)
    cost.rows += row_attack_seconds(attack, all, size, spec.audit);
  cost.shadow = attackers_seconds(spec.audit.shadow, spec.audit.shadow, size.people * spec.audit.known, size,
                                  spec.audit);
  cost.informed = kInformedOfPair * kReleasesSeen * std::min(all, kMostAttacked) * all / 4;
  cost.utilities = recommendation_seconds(size, spec.audit.releases);
  if (!spec.audit.task.empty())
    cost.utilities += 2.0 * spec.audit.releases * size.people * size.entries_per_person * kPaperBoosting;
  return cost;
}

}  // namespace hyobscure::audit
