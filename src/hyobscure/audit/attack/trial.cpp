#include "hyobscure/audit/attack/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

#include "hyobscure/audit/attack/concordance.h"
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
  PersonErrors of_own_rows;  // the attack where tested people publish their own rows
};

// Twenty lists of numbers in one, each behind its length.
std::vector<double> flat(const Outcome& outcome) {
  std::vector<double> numbers;
  for (const PersonErrors* errors : {&outcome.attack, &outcome.unobscured, &outcome.group_only,
                                     &outcome.no_information, &outcome.of_own_rows})
    for (const std::vector<double>* list : {&errors->first, &errors->fifth, &errors->km, &errors->score}) {
      numbers.push_back(static_cast<double>(list->size()));
      numbers.insert(numbers.end(), list->begin(), list->end());
    }
  return numbers;
}

Outcome outcome_from(std::span<const double> numbers) {
  Outcome outcome;
  for (PersonErrors* errors : {&outcome.attack, &outcome.unobscured, &outcome.group_only,
                               &outcome.no_information, &outcome.of_own_rows})
    for (std::vector<double>* list : {&errors->first, &errors->fifth, &errors->km, &errors->score}) {
      const auto size = static_cast<std::size_t>(numbers.front());
      list->assign(numbers.begin() + 1, numbers.begin() + 1 + static_cast<std::ptrdiff_t>(size));
      numbers = numbers.subspan(1 + size);
    }
  return outcome;
}

bool same(const AttackerView& a, const AttackerView& b) {
  return a.rows == b.rows && std::equal(a.row_of_person.begin(), a.row_of_person.end(),
                                        b.row_of_person.begin(), b.row_of_person.end());
}

/// Who learned from true rows does not know whether a published row is the person's own, and no row of the
/// release tells: at even odds, what the row says counts half. Those of the paper believe what they see.
double trust_in_rows(Attacker attacker) {
  return attacker == Attacker::Boosting || attacker == Attacker::Linear ? 0.5 : 1;
}

Outcome run_trial(const AttackTargets& targets, const GroupValues& groups, const Trial& trial,
                  Scenario scenario, const ChosenAttacker& attacker, const AttackSettings& settings,
                  const AttackerView& truth, const Key& key, const Progress& progress) {
  const auto learn = [&](const AttackerView& view) {
    return SecretModel(targets, groups, attacker, settings, trial.known, view, key, progress);
  };
  Outcome outcome;
  const SecretModel model = learn(trial.learned_from);
  const bool from_truth = same(trial.learned_from, truth);
  const double trust = from_truth && scenario == Scenario::I ? trust_in_rows(attacker.attacker) : 1;
  outcome.attack = model.errors(trial.tested, trial.attacked, trust);
  outcome.unobscured =
      from_truth ? model.errors(trial.tested, truth) : learn(truth).errors(trial.tested, truth);
  outcome.of_own_rows = trust < 1 ? model.errors(trial.tested, truth, trust) : outcome.unobscured;
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

using Guess = PersonErrors Outcome::*;

/// What is measured of guesses.
struct Measure {
  std::vector<double> PersonErrors::* of_person;  ///< errors; or scores, whose order is measured
  Range range, difference;
  bool of_order = false;
};
constexpr Range kAnyDifference{};

// The errors of one guess, less those of another if there is one, over the people of all trials.
class Summary {
 public:
  Summary(const AttackTargets& targets, std::span<const Outcome> outcomes, std::span<const Trial> trials)
      : targets_(targets), outcomes_(outcomes), trials_(trials) {}

  /// `planted`: what the attack gave on planted leaks, if any.
  AttackErrors errors(const Measure& measure, std::span<const Summary> planted, const Key& key) const {
    const auto of = [&](Guess guess) {
      return estimate(over_people(figures(measure, guess)), measure.range);
    };
    const auto gain = [&](Guess from, Guess to) { return over_people(gains(measure, from, to)); };
    const auto gained = gain(&Outcome::group_only, &Outcome::attack);
    const auto to_gain = gain(&Outcome::group_only, &Outcome::unobscured);
    const auto over = gain(&Outcome::unobscured, &Outcome::attack);
    return {.attack = of(&Outcome::attack),
            .unobscured = of(&Outcome::unobscured),
            .group_only = of(&Outcome::group_only),
            .no_information = of(&Outcome::no_information),
            .advantage = estimate(gained, measure.difference),
            .advantage_resampled =
                resampled(gains(measure, &Outcome::group_only, &Outcome::attack), key, measure.difference),
            .unobscured_advantage = estimate(to_gain, measure.difference),
            .over_unobscured = estimate(over, measure.difference),
            .power = planted.empty()
                         ? smallest_found(gained, gain(&Outcome::group_only, &Outcome::of_own_rows))
                         : power_of(gained, to_gain, measure, planted)};
  }

 private:
  static std::optional<double> power_of(const MeanAndVariance& published, const MeanAndVariance& unobscured,
                                        const Measure& measure, std::span<const Summary> planted) {
    std::vector<MeanAndVariance> gains = {published};
    for (const Summary& leak : planted)
      gains.push_back(over_people(leak.gains(measure, &Outcome::group_only, &Outcome::attack)));
    gains.push_back(unobscured);
    return smallest_found(gains);
  }

  TrialFigure figure(const Measure& measure, Guess guess, std::size_t trial) const {
    const std::vector<std::uint32_t>& tested = trials_[trial].tested;
    const std::vector<double>& numbers = outcomes_[trial].*guess.*measure.of_person;
    if (!measure.of_order) return mean_figure(tested, numbers);
    std::vector<std::uint32_t> truths;
    for (const std::uint32_t person : tested) truths.push_back(targets_.value_of_person[person]);
    return concordance(tested, numbers, truths);
  }

  std::vector<TrialFigure> figures(const Measure& measure, Guess guess) const {
    std::vector<TrialFigure> figures;
    for (std::size_t t = 0; t < trials_.size(); ++t) figures.push_back(figure(measure, guess, t));
    return figures;
  }

  /// By how much the guess `to` is better than the guess `from`.
  std::vector<TrialFigure> gains(const Measure& measure, Guess from, Guess to) const {
    std::vector<TrialFigure> gains = figures(measure, measure.of_order ? to : from);
    const std::vector<TrialFigure> less = figures(measure, measure.of_order ? from : to);
    for (std::size_t t = 0; t < gains.size(); ++t) {
      gains[t].value -= less[t].value;
      for (std::size_t n = 0; n < gains[t].influences.size(); ++n)
        gains[t].influences[n] -= less[t].influences[n];
    }
    return gains;
  }

  const AttackTargets& targets_;
  std::span<const Outcome> outcomes_;
  std::span<const Trial> trials_;
};

// Shares of the people who publish their own row, beside whatever was published: leaks that an attacker of
// scenario II should learn from.
constexpr std::array<double, 4> kPlantedShares = {0.1, 0.2, 0.4, 0.7};

/// The first publication with planted leaks, and its trials.
class Planted {
 public:
  /// Nothing is planted where the publication has other rows than the people, nor where the attacker does not
  /// learn from it.
  Planted(const AttackTargets& targets, std::span<const Trial> trials, Scenario scenario, const Key& key)
      : targets_(targets) {
    const AttackerView& published = trials.front().attacked;
    const bool learns_from_it = scenario == Scenario::II || scenario == Scenario::KnownPart;
    if (!learns_from_it || published.rows != &targets.features) return;
    while (folds_ < trials.size() && trials[folds_].repetition == trials.front().repetition) ++folds_;
    for (const double share : kPlantedShares) {
      RandomStream random(key.derive("planted"));  // a larger share has the people of the smaller ones
      rows_.emplace_back(published.row_of_person.begin(), published.row_of_person.end());
      for (std::uint32_t u = 0; u < targets.size(); ++u)
        if (random.uniform() < share) rows_.back()[u] = u;
    }
    for (std::size_t leak = 0; leak < rows_.size(); ++leak)
      for (std::size_t fold = 0; fold < folds_; ++fold) {
        Trial trial = trials[fold];
        trial.name += fmt::format(", planted {}", kPlantedShares[leak]);
        trial.learned_from = trial.attacked = {.rows = &targets.features, .row_of_person = rows_[leak]};
        trials_.push_back(std::move(trial));
      }
  }

  std::span<const Trial> trials() const { return trials_; }
  /// `outcomes` of trials(), in their order.
  std::vector<Summary> summaries(std::span<const Outcome> outcomes) const {
    std::vector<Summary> found;
    for (std::size_t begin = 0; begin < trials_.size(); begin += folds_)
      found.emplace_back(targets_, outcomes.subspan(begin, folds_), trials().subspan(begin, folds_));
    return found;
  }

 private:
  const AttackTargets& targets_;
  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<Trial> trials_;
  std::size_t folds_ = 0;
};

/// Of a planted leak only what the attack gains.
Outcome run_planted(const AttackTargets& targets, const GroupValues& groups, const Trial& trial,
                    const ChosenAttacker& attacker, const AttackSettings& settings, const Key& key,
                    const Progress& progress) {
  const SecretModel model(targets, groups, attacker, settings, trial.known, trial.learned_from, key,
                          progress);
  Outcome outcome;
  outcome.attack = model.errors(trial.tested, trial.attacked);
  outcome.group_only = GroupGuess(targets, groups, trial.known).errors(trial.tested);
  return outcome;
}

std::string name_of(const ChosenAttacker& chosen) {
  switch (chosen.attacker) {
    case Attacker::Forest:
      return "forest";
    case Attacker::Boosting:
      return "boosting";
    case Attacker::Linear:
      return "linear";
    case Attacker::PaperBoosting:
      return "paper boosting";
    case Attacker::Own:
      break;
  }
  return "own " + chosen.own->name;
}

std::string name_of(Scenario scenario, const AttackSettings& settings) {
  switch (scenario) {
    case Scenario::I:
      return "I";
    case Scenario::II:
      return "II";
    case Scenario::KnownPart:
      return fmt::format("known part {}", settings.known_share);
    case Scenario::Shadow:
      break;
  }
  return "shadow";
}

}  // namespace

std::vector<std::uint32_t> own_rows(std::size_t people) {
  std::vector<std::uint32_t> rows(people);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

data::SparseRows rows_of(const AttackerView& view, std::span<const std::uint32_t> people) {
  data::SparseRows rows;
  rows.columns = view.rows->columns;
  for (const std::uint32_t person : people) {
    const data::SparseRows::Row row = (*view.rows)[view.row_of_person[person]];
    rows.append_row(row);
  }
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
  const Planted planted(targets, trials, scenario, key);
  const std::size_t real = trials.size(), count = real + planted.trials().size();
  const std::vector<ChosenAttacker> attackers = chosen_attackers(settings);
  std::vector<Outcome> outcomes(count * attackers.size());
  SharedProgress shared(progress, "attacking", outcomes.size());
  parallel_blocks(outcomes.size(), 1, [&](std::size_t task, std::size_t) {
    const std::size_t n = task % count;
    const bool is_real = n < real;
    const Trial& trial = is_real ? trials[n] : planted.trials()[n - real];
    const ChosenAttacker& attacker = attackers[task / count];
    // Nothing in a file can tell what an attacker of the caller's was.
    const bool nameless = attacker.own != nullptr && settings.kept != nullptr && settings.kept->in_file();
    const auto numbers = outcome_of(
        nameless ? nullptr : settings.kept,
        fmt::format("{}, {}, {}", name_of(scenario, settings), name_of(attacker), trial.name), [&] {
          const Key own_key = key.derive(trial.name);
          return flat(is_real ? run_trial(targets, groups, trial, scenario, attacker, settings, truth,
                                          own_key, progress)
                              : run_planted(targets, groups, trial, attacker, settings, own_key, progress));
        });
    outcomes[task] = outcome_from(numbers);
    shared.one_done();
  });

  std::vector<AttackResult> results;
  const std::size_t known = trials.front().known.size(), tested = trials.front().tested.size();
  for (std::size_t a = 0; a < attackers.size(); ++a) {
    const std::span<const Outcome> of_attacker(outcomes.data() + a * count, count);
    const Summary summary(targets, of_attacker.first(real), trials);
    const std::vector<Summary> leaks = planted.summaries(of_attacker.subspan(real));
    const auto errors = [&](const Measure& measure) {
      return summary.errors(measure, leaks, key.derive("resampled"));
    };
    const Measure share{&PersonErrors::first, kShare, kShareDifference},
        number{&PersonErrors::first, kError, kAnyDifference};
    AttackResult result{.attacker = attackers[a].attacker,
                        .scenario = scenario,
                        .error = errors(targets.ordered() ? number : share),
                        .top5_error = {},
                        .km_error = {},
                        .auc = {},
                        .repetitions = settings.repetitions,
                        .known_share = static_cast<double>(known) / static_cast<double>(known + tested),
                        .known_people = known,
                        .tested_people = tested,
                        .own_name = attackers[a].own == nullptr ? "" : attackers[a].own->name};
    if (!targets.ordered() && groups.most_values() > 5)
      result.top5_error = errors({&PersonErrors::fifth, kShare, kShareDifference});
    if (targets.spatial()) result.km_error = errors({&PersonErrors::km, kError, kAnyDifference});
    if (targets.ordered() || targets.values == 2)
      result.auc = errors({&PersonErrors::score, kShare, kShareDifference, true});
    results.push_back(result);
  }
  return results;
}

}  // namespace hyobscure::audit
