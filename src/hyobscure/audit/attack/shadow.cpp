#include "hyobscure/audit/attack/shadow.h"

#include <fmt/format.h>

#include <algorithm>

#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"

namespace hyobscure::audit {
namespace {

// The attacker's own people get their donors; the others are never looked up.
std::vector<std::uint32_t> obscured_rows(const AttackTargets& targets,
                                         const std::vector<std::uint32_t>& own_people,
                                         const MechanismOn& mechanism_on, const Key& key) {
  const std::vector<std::uint32_t> donors = mechanism_on(own_people, key);
  const bool fits = donors.size() == own_people.size() &&
                    std::all_of(donors.begin(), donors.end(), [&](std::uint32_t donor) {
                      return std::binary_search(own_people.begin(), own_people.end(), donor);
                    });
  if (!fits)
    throw InputError({.source = "mechanism"}, "its donors are not people it was given",
                     "Return one of the given people for each of them.");
  std::vector<std::uint32_t> rows = own_rows(targets.size());
  for (std::size_t n = 0; n < own_people.size(); ++n) rows[own_people[n]] = donors[n];
  return rows;
}

}  // namespace

std::vector<AttackResult> shadow_attack(const AttackTargets& targets, const PublicationOf& publication_of,
                                        const MechanismOn& mechanism_on, const AttackSettings& settings,
                                        const Key& key, const Progress& progress) {
  check(targets);
  validate(settings, targets.size());
  const std::vector<Publication> published =
      publications(targets.features, publication_of, settings.repetitions);

  const auto repetitions = static_cast<std::size_t>(settings.repetitions);
  std::vector<std::vector<std::uint32_t>> shadows(repetitions);
  std::vector<Trial> trials;
  for (std::size_t r = 0; r < repetitions; ++r) {
    progress.throw_if_stopped();
    const std::vector<std::uint32_t> drawn =
        drawn_people(targets.size(), settings.most_people, key.derive(fmt::format("people {}", r)));
    Split split = among(
        drawn, split_by_share(drawn.size(), settings.known_share, key.derive(fmt::format("split {}", r))));
    shadows[r] =
        obscured_rows(targets, split.known, mechanism_on, key.derive(fmt::format("mechanism {}", r)));
    trials.push_back({.name = fmt::format("trial {}", r),
                      .known = std::move(split.known),
                      .tested = std::move(split.tested),
                      .learned_from = {.rows = &targets.features, .row_of_person = shadows[r]},
                      .attacked = {.rows = &published[r].rows, .row_of_person = published[r].row_of_person},
                      .repetition = static_cast<int>(r)});
  }
  return run_trials(targets, trials, Scenario::Shadow, settings, key, progress);
}

}  // namespace hyobscure::audit
