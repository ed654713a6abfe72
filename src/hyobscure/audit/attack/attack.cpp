#include "hyobscure/audit/attack/attack.h"

#include <fmt/format.h>

#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"

namespace hyobscure::audit {
namespace {

std::vector<Split> splits_of(std::size_t people, Scenario scenario, const AttackSettings& settings,
                             const Key& key) {
  const std::vector<std::uint32_t> drawn = drawn_people(people, settings.most_people, key.derive("people"));
  if (scenario != Scenario::II)
    return {among(drawn, split_by_share(drawn.size(), settings.known_share, key))};
  std::vector<Split> splits = split_by_folds(drawn.size(), settings.folds, key);
  for (Split& split : splits) split = among(drawn, std::move(split));
  return splits;
}

}  // namespace

std::vector<AttackResult> attack(const AttackTargets& targets, const PublicationOf& publication_of,
                                 Scenario scenario, const AttackSettings& settings, const Key& key,
                                 const Progress& progress) {
  if (scenario == Scenario::Shadow)
    throw InputError({.source = "scenario"}, "the shadow attacker needs the mechanism",
                     "Call shadow_attack.");
  check(targets);
  validate(settings, targets.size());
  const std::vector<Publication> published =
      publications(targets.features, publication_of, settings.repetitions);

  const std::vector<std::uint32_t> own = own_rows(targets.size());
  const AttackerView truth{.rows = &targets.features, .row_of_person = own};
  std::vector<Trial> trials;
  for (int r = 0; r < settings.repetitions; ++r) {
    const Publication& publication = published[static_cast<std::size_t>(r)];
    const AttackerView release{.rows = &publication.rows, .row_of_person = publication.row_of_person};
    for (Split& split : splits_of(targets.size(), scenario, settings, key.derive(fmt::format("split {}", r))))
      trials.push_back({.name = fmt::format("trial {}", trials.size()),
                        .known = std::move(split.known),
                        .tested = std::move(split.tested),
                        .learned_from = scenario == Scenario::I ? truth : release,
                        .attacked = release,
                        .repetition = r});
  }
  return run_trials(targets, trials, scenario, settings, key, progress);
}

}  // namespace hyobscure::audit
