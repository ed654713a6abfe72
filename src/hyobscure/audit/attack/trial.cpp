#include "hyobscure/audit/attack/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "hyobscure/audit/attack/secret_model.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

std::vector<std::uint32_t> shuffled(std::size_t people, const Key& key) {
  std::vector<std::uint32_t> order = own_rows(people);
  RandomStream random(key);
  for (std::size_t n = people; n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
  return order;
}

std::vector<std::uint32_t> ascending(std::vector<std::uint32_t> people) {
  std::sort(people.begin(), people.end());
  return people;
}

std::size_t known_of(std::size_t people, double known_share) {
  return static_cast<std::size_t>(std::lround(known_share * static_cast<double>(people)));
}

// What a trial gives for the tested people, each on the same people.
struct Outcome {
  PersonErrors attack, unobscured, group_only, no_information;
};

bool same(const AttackerView& a, const AttackerView& b) {
  return a.rows == b.rows && std::equal(a.row_of_person.begin(), a.row_of_person.end(),
                                        b.row_of_person.begin(), b.row_of_person.end());
}

Outcome run_trial(const AttackTargets& targets, const GroupValues& groups, const Trial& trial,
                  const ChosenAttacker& attacker, const AttackSettings& settings, const AttackerView& truth,
                  const Key& key, const Progress& progress) {
  const auto learn = [&](const AttackerView& view) {
    return SecretModel(targets, groups, attacker, settings, trial.known, view, key, progress);
  };
  Outcome outcome;
  const SecretModel model = learn(trial.learned_from);
  outcome.attack = model.errors(trial.tested, trial.attacked);
  outcome.unobscured = same(trial.learned_from, truth) ? model.errors(trial.tested, truth)
                                                       : learn(truth).errors(trial.tested, truth);
  const GroupGuess guess(targets, groups, trial.known);
  outcome.group_only = guess.errors(trial.tested);
  outcome.no_information = guess.errors_without_group(trial.tested);
  return outcome;
}

std::vector<ChosenAttacker> chosen_attackers(const AttackSettings& settings) {
  std::vector<ChosenAttacker> chosen;
  for (const Attacker attacker : settings.attackers) chosen.push_back({.attacker = attacker});
  for (const OwnAttacker& own : settings.own) chosen.push_back({.attacker = Attacker::Own, .own = &own});
  return chosen;
}

using Errors = std::vector<double> PersonErrors::*;
using Guess = PersonErrors Outcome::*;

// The errors of one guess, less those of another if there is one: the mean of each trial, or each person.
class Summary {
 public:
  Summary(std::span<const Outcome> outcomes, bool over_people, double tested_per_known)
      : outcomes_(outcomes), over_people_(over_people), tested_per_known_(tested_per_known) {}

  AttackErrors errors(Errors measure) const {
    return {.attack = of(measure, &Outcome::attack),
            .unobscured = of(measure, &Outcome::unobscured),
            .group_only = of(measure, &Outcome::group_only),
            .no_information = of(measure, &Outcome::no_information),
            .advantage = of(measure, &Outcome::group_only, &Outcome::attack),
            .unobscured_advantage = of(measure, &Outcome::group_only, &Outcome::unobscured)};
  }

 private:
  Estimate of(Errors measure, Guess guess, Guess less = nullptr) const {
    std::vector<double> values;
    for (const Outcome& outcome : outcomes_) {
      std::vector<double> people = outcome.*guess.*measure;
      if (less != nullptr)
        for (std::size_t n = 0; n < people.size(); ++n) people[n] -= (outcome.*less.*measure)[n];
      if (over_people_)
        values.insert(values.end(), people.begin(), people.end());
      else
        values.push_back(std::accumulate(people.begin(), people.end(), 0.0) /
                         static_cast<double>(people.size()));
    }
    return estimate(values, over_people_ ? 0 : tested_per_known_);
  }

  std::span<const Outcome> outcomes_;
  bool over_people_;
  double tested_per_known_;
};

}  // namespace

std::vector<std::uint32_t> own_rows(std::size_t people) {
  std::vector<std::uint32_t> rows(people);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::vector<std::uint32_t> drawn_people(std::size_t people, std::size_t most, const Key& key) {
  if (people <= most) return own_rows(people);
  const double share = static_cast<double>(most) / static_cast<double>(people);
  return split_by_share(people, share, key).known;
}

Split among(std::span<const std::uint32_t> drawn, Split split) {
  for (std::vector<std::uint32_t>* side : {&split.known, &split.tested})
    for (std::uint32_t& person : *side) person = drawn[person];
  return split;
}

Split split_by_share(std::size_t people, double known_share, const Key& key) {
  const std::vector<std::uint32_t> order = shuffled(people, key);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(known_of(people, known_share));
  return {.known = ascending({order.begin(), cut}), .tested = ascending({cut, order.end()})};
}

std::vector<Split> split_by_folds(std::size_t people, int folds, const Key& key) {
  const std::vector<std::uint32_t> order = shuffled(people, key);
  const auto count = static_cast<std::size_t>(folds);
  std::vector<Split> splits(count);
  for (std::size_t n = 0; n < people; ++n)
    for (std::size_t fold = 0; fold < count; ++fold)
      (n % count == fold ? splits[fold].tested : splits[fold].known).push_back(order[n]);
  for (Split& split : splits)
    split = {.known = ascending(std::move(split.known)), .tested = ascending(std::move(split.tested))};
  return splits;
}

void validate(const AttackSettings& settings, std::size_t people) {
  constexpr auto kOutOfRange = "the setting is out of range";
  require(!settings.attackers.empty() || !settings.own.empty(), "attackers", kOutOfRange,
          "Name at least one.");
  require(settings.repetitions >= 1, "repetitions", kOutOfRange, "Take at least 1.");
  require(settings.most_people >= kFewestPeople, "most_people", kOutOfRange,
          fmt::format("Take at least {}.", kFewestPeople));
  people = std::min(people, settings.most_people);
  require(settings.folds >= 2 && static_cast<std::size_t>(settings.folds) <= people / 2, "folds", kOutOfRange,
          "Take at least 2 and at most half as many as there are people.");
  const std::size_t known = known_of(people, std::clamp(settings.known_share, 0.0, 1.0));
  require(settings.known_share > 0 && settings.known_share < 1 && known >= 2 && people - known >= 2,
          "known_share", kOutOfRange, "Take a share that leaves people on both sides.");
}

std::vector<Publication> publications(const data::SparseRows& features, const PublicationOf& publication_of,
                                      int repetitions) {
  std::vector<Publication> all;
  for (int r = 0; r < repetitions; ++r) {
    all.push_back(publication_of(r));
    check(all.back(), features);
  }
  return all;
}

std::vector<AttackResult> run_trials(const AttackTargets& targets, const std::vector<Trial>& trials,
                                     Scenario scenario, const AttackSettings& settings, const Key& key,
                                     const Progress& progress) {
  const GroupValues groups(targets);
  const std::vector<std::uint32_t> own = own_rows(targets.size());
  const AttackerView truth{.rows = &targets.features, .row_of_person = own};
  const std::size_t count = trials.size();
  const std::vector<ChosenAttacker> attackers = chosen_attackers(settings);
  std::vector<Outcome> outcomes(count * attackers.size());
  SharedProgress shared(progress, "attacking", outcomes.size());
  parallel_blocks(outcomes.size(), 1, [&](std::size_t task, std::size_t) {
    const Trial& trial = trials[task % count];
    outcomes[task] = run_trial(targets, groups, trial, attackers[task / count], settings, truth,
                               key.derive(trial.name), progress);
    shared.one_done();
  });

  std::vector<AttackResult> results;
  const std::size_t known = trials.front().known.size(), tested = trials.front().tested.size();
  for (std::size_t a = 0; a < attackers.size(); ++a) {
    const Summary summary({outcomes.data() + a * count, count}, settings.repetitions == 1,
                          static_cast<double>(tested) / static_cast<double>(known));
    AttackResult result{.attacker = attackers[a].attacker,
                        .scenario = scenario,
                        .error = summary.errors(&PersonErrors::first),
                        .top5_error = {},
                        .km_error = {},
                        .repetitions = settings.repetitions,
                        .known_people = known,
                        .tested_people = tested,
                        .interval_over_people = settings.repetitions == 1,
                        .own_name = attackers[a].own == nullptr ? "" : attackers[a].own->name};
    if (!targets.ordered() && groups.most_values() > 5)
      result.top5_error = summary.errors(&PersonErrors::fifth);
    if (targets.spatial()) result.km_error = summary.errors(&PersonErrors::km);
    results.push_back(result);
  }
  return results;
}

}  // namespace hyobscure::audit
