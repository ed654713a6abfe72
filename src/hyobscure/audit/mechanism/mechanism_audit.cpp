#include "hyobscure/audit/mechanism/mechanism_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "hyobscure/audit/attack/shadow.h"
#include "hyobscure/audit/mechanism/audit_cost.h"
#include "hyobscure/audit/mechanism/informed_attack.h"
#include "hyobscure/audit/mechanism/redraw.h"
#include "hyobscure/audit/mechanism/utility_tasks.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/machine_speed.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/base/version.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/leakage/signals.h"
#include "hyobscure/published/manifest.h"
#include "hyobscure/release/draw.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::audit {
namespace {

/// Where the values of a spatial secret lie, in km; values of several cells in their middle.
std::vector<audit::Place> places_of(const data::People& people) {
  if (!people.space || !people.space->grid) return {};
  const data::SecretSpace& space = *people.space;
  const std::size_t axis = space.spatial_axis();
  std::vector<audit::Place> places(people.values.size());
  std::vector<double> cells(people.values.size(), 0);
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    const data::GridCell& cell = space.coordinate(p, axis).cell;
    const std::uint32_t value = space.value_of_point[p];
    places[value].east += space.grid->cell_km * cell.column;
    places[value].north += space.grid->cell_km * cell.row;
    cells[value] += 1;
  }
  for (std::size_t v = 0; v < places.size(); ++v)
    places[v] = {.east = places[v].east / cells[v], .north = places[v].north / cells[v]};
  return places;
}

/// The people as an attacker meets them: published by these groups.
class Target {
 public:
  Target(const data::People& people, std::vector<std::uint32_t> group_of_value, std::size_t groups)
      : people_(people), groups_(static_cast<std::uint32_t>(groups)) {
    for (const std::uint32_t secret : people.secrets) group_of_person_.push_back(group_of_value[secret]);
  }

  audit::AttackTargets targets() const {
    return {.features = people_.features,
            .value_of_person = people_.secrets,
            .values = static_cast<std::uint32_t>(people_.values.size()),
            .numbers = numbers(),
            .group_of_person = group_of_person_,
            .groups = groups_,
            .kept_of_person = people_.kept,
            .kept_combinations = people_.kept_combinations,
            .places = places_of(people_)};
  }

  std::vector<double> numbers() const {
    std::vector<double> result;
    if (people_.space) return result;
    for (const data::SecretValue& value : people_.values) result.push_back(value.centre);
    return result;
  }

 private:
  const data::People& people_;
  std::vector<std::uint32_t> group_of_person_;
  std::uint32_t groups_;
};

audit::Attacker attacker_of(data::AttackModel model) {
  switch (model) {
    case data::AttackModel::Forest:
      return audit::Attacker::Forest;
    case data::AttackModel::Boosting:
      return audit::Attacker::Boosting;
    case data::AttackModel::Linear:
      return audit::Attacker::Linear;
    case data::AttackModel::PaperBoosting:
      break;
  }
  return audit::Attacker::PaperBoosting;
}

audit::AttackSettings attack_settings(const data::Spec& spec, const std::vector<audit::OwnAttacker>& own,
                                      KeptOutcomes& kept) {
  audit::AttackSettings settings{.attackers = {},
                                 .known_share = spec.audit.known,
                                 .folds = spec.audit.folds,
                                 .repetitions = spec.audit.releases,
                                 .most_people = static_cast<std::size_t>(spec.audit.people),
                                 .own = own,
                                 .kept = &kept};
  for (const data::AttackModel model : spec.audit.attackers) settings.attackers.push_back(attacker_of(model));
  return settings;
}

void note_drawn_people(Audit& audit, const data::People& people, const data::Spec& spec) {
  const auto most = static_cast<std::size_t>(spec.audit.people);
  if (people.size() > most)
    audit.notes.push_back(
        fmt::format("Trained attackers know and are tried on {} of {} people, drawn again in each repetition "
                    "(audit.people). An attacker who knows more of them may learn more.",
                    most, people.size()));
}

/// Of splits, not of draws: the same for the same spec, so that methods are compared on the same people.
Key split_key(const data::Spec& spec) { return obscure::search_key(spec).derive("audit"); }

/// What does not change from one number of repetitions to the next.
struct AuditInput {
  const data::People& people;
  const audit::AttackTargets& targets;
  const audit::PublicationOf& publication_of;
  const std::optional<audit::TaskLabel>& task;
  const std::vector<audit::OwnAttacker>& own;
  const Progress& progress;
};

/// Of the people in the release, whose secrets the attacker of known-part knows.
constexpr double kKnownParts[] = {0.1, 0.9};

/// An attack of trained attackers: what it knows, and by how much of its stage it moves the whole.
struct TrainedAttack {
  audit::Scenario scenario;
  double known_share;
};

std::vector<TrainedAttack> trained_attacks(data::AttackScenario scenario, const data::Spec& spec) {
  switch (scenario) {
    case data::AttackScenario::I:
      return {{audit::Scenario::I, spec.audit.known}};
    case data::AttackScenario::II:
      return {{audit::Scenario::II, spec.audit.known}};
    case data::AttackScenario::KnownPart:
      break;
  }
  std::vector<TrainedAttack> attacks;
  for (const double share : kKnownParts) attacks.push_back({audit::Scenario::KnownPart, share});
  return attacks;
}

void add_attacks(Audit& audit, const AuditInput& input, const data::Spec& spec, PlannedWork& plan,
                 KeptOutcomes& kept) {
  for (std::size_t n = 0; n < spec.audit.scenarios.size(); ++n) {
    const std::string name = data::word(spec.audit.scenarios[n]);
    const Progress progress = plan.stage(n);
    progress.report(fmt::format("attacking, scenario {}", name), 0, 0);
    for (const auto& [scenario, known_share] : trained_attacks(spec.audit.scenarios[n], spec)) {
      audit::AttackSettings settings = attack_settings(spec, input.own, kept);
      settings.known_share = known_share;
      for (audit::AttackResult& result : audit::attack(input.targets, input.publication_of, scenario,
                                                       settings, split_key(spec).derive(name), progress))
        audit.attacks.push_back(std::move(result));
    }
  }
}

/// Who looks for a person's row.
void add_row_attacks(Audit& audit, const AuditInput& input, const data::Spec& spec, const Progress& progress,
                     KeptOutcomes& kept) {
  for (const data::RowAttack attack : spec.audit.row_attacks) {
    const Key key = split_key(spec).derive(data::word(attack));
    if (attack == data::RowAttack::KnownEntries)
      audit.known_entries =
          audit::known_entries_attack(input.targets, input.publication_of,
                                      {.known_share = spec.audit.known,
                                       .most_people = static_cast<std::size_t>(spec.audit.people),
                                       .repetitions = spec.audit.releases,
                                       .kept = &kept},
                                      key, progress);
    else
      audit.matching = audit::matching_attack(
          input.targets, input.publication_of,
          {.distance = spec.channel.distance, .repetitions = spec.audit.releases, .kept = &kept}, key,
          progress);
  }
}

void add_informed(Audit& audit, const data::Spec& spec, const data::People& people,
                  const obscure::Mechanism& mechanism, const Redraw& redraw,
                  const audit::AttackTargets& targets, const Progress& progress) {
  const obscure::Signals signals(mechanism, people, redraw.cluster_of_person());
  if (!can_be_tabulated(signals, people)) {
    audit.notes.push_back("The informed attacker was not measured: the tables of donors would be too large.");
    return;
  }
  progress.report("the informed attacker", 0, 0);
  audit.informed = audit::informed_attack(signal_tables(signals, people), targets.numbers, targets.places);
  audit.resampled = resampled_leakage(signals, people, split_key(spec).derive("people again"), progress);
  if (!mechanism.within_groups) return;
  progress.report("several releases", 0, 0);
  constexpr int kFirstDraw = 1'000'000;  // draws of their own, that no other attack has seen
  audit.repeated = audit::repeated_releases(
      people.secrets, targets.values, targets.numbers, released_pools(signals),
      [&](int r) { return redraw.donors(kFirstDraw + r); }, {}, split_key(spec).derive("repeated"), progress,
      targets.places);
}

/// The spec by which an attacker fits the same method to people of its own: it knows the groups.
data::Spec shadow_spec(const data::Spec& spec, const obscure::Mechanism& mechanism,
                       const data::People& people) {
  data::Spec own = spec;
  own.groups.fixed.clear();
  own.groups.count.reset();
  own.groups.people = data::Interval{1, static_cast<double>(people.size())};
  own.groups.values = data::Interval{1, static_cast<double>(people.size())};
  own.channel.budget_share.reset();
  own.channel.target.reset();
  own.channel.budget = mechanism.figures.budget;
  return own;
}

/// The groups of the values that some of the people have.
solve::Partition groups_of(const obscure::Mechanism& mechanism, const data::People& people,
                           std::span<const std::uint32_t> chosen) {
  std::set<std::uint32_t> values;
  for (const std::uint32_t u : chosen) values.insert(people.secrets[u]);
  std::vector<int> group_of_value;
  for (const std::uint32_t value : values)
    group_of_value.push_back(static_cast<int>(mechanism.group_of_value(value)));
  return solve::Partition::of(group_of_value);
}

void add_shadow(Audit& audit, const AuditInput& input, const data::Spec& spec,
                const obscure::Mechanism& mechanism, const Progress& progress, KeptOutcomes& kept) {
  const data::People& people = input.people;
  if (spec.audit.shadow == 0) return;
  progress.report("the shadow attacker", 0, 0);
  audit::AttackSettings settings = attack_settings(spec, input.own, kept);
  settings.repetitions = spec.audit.shadow;
  const data::Spec shadow_terms = shadow_spec(spec, mechanism, people);
  const audit::MechanismOn mechanism_on = [&](std::span<const std::uint32_t> chosen, const Key& key) {
    const data::People some = data::select(people, chosen);
    obscure::Mechanism shadow =
        obscure::fit(some, shadow_terms, progress, groups_of(mechanism, people, chosen));
    shadow.key = key;
    std::vector<std::uint32_t> donors =
        release::draw_donors(shadow, some, census::assign(shadow.clusters, some.features));
    for (std::uint32_t& donor : donors) donor = chosen[donor];
    return donors;
  };
  try {
    for (audit::AttackResult& result :
         audit::shadow_attack(input.targets, input.publication_of, mechanism_on, settings,
                              split_key(spec).derive("shadow"), progress))
      audit.attacks.push_back(std::move(result));
  } catch (const InputError& error) {
    audit.notes.push_back(
        fmt::format("The shadow attacker was not measured: its own people do not allow the method ({}).",
                    error.problem()));
  }
}

/// The exact secrets that each value stands for: of a joined value that is one number, its ends.
std::vector<std::vector<std::vector<data::Coordinate>>> secrets_of_values(const data::People& people) {
  std::vector<std::vector<std::vector<data::Coordinate>>> secrets(people.values.size());
  if (!people.space)
    for (std::size_t v = 0; v < people.values.size(); ++v)
      secrets[v] = {{{.number = people.values[v].low}}, {{.number = people.values[v].high}}};
  else
    for (std::size_t p = 0; p < people.space->points.size(); ++p)
      secrets[people.space->value_of_point[p]].push_back(people.space->secret(p));
  return secrets;
}

/// The group of every value by what the groups cover.
std::vector<std::uint32_t> groups_by_cover(const published::Manifest& manifest, const data::People& people,
                                           const std::filesystem::path& folder) {
  std::vector<std::uint32_t> groups;
  for (const auto& secrets : secrets_of_values(people)) {
    const auto found = std::ranges::find_if(manifest.groups, [&](const published::Group& group) {
      return std::ranges::all_of(
          secrets, [&](const auto& secret) { return published::covers(group, secret, manifest.kinds); });
    });
    if (found == manifest.groups.end())
      throw InputError({.source = folder.string()}, "has no group for some secrets of this data",
                       "Give the spec that the release was made from.");
    groups.push_back(static_cast<std::uint32_t>(found - manifest.groups.begin()));
  }
  return groups;
}

/// Both sides are in the order of ids.
std::vector<std::uint32_t> donors_by_id(const std::vector<verify::PublishedRow>& rows,
                                        const data::People& people, const std::filesystem::path& folder) {
  const auto index_of = [&](const std::string& id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(people.ids, id) - people.ids.begin());
  };
  std::vector<std::uint32_t> donors(people.size());
  bool same = rows.size() == people.size();
  for (std::size_t u = 0; same && u < rows.size(); ++u) {
    donors[u] = index_of(rows[u].donor);
    same = rows[u].person == people.ids[u] && donors[u] < people.size();
  }
  if (!same)
    throw InputError({.source = folder.string()}, "has other people than this data",
                     "Give the spec that the release was made from.");
  return donors;
}

/// Who was attacked, in which publications, knowing what: in one line.
std::string identity_of(const AuditInput& input, const data::Spec& spec) {
  Sha256 hash;
  hash.add(fmt::format("{} {} {} {} {} {} {} {}\n", version(), data::fingerprint(input.people),
                       spec.audit.known, spec.audit.folds, spec.audit.people, spec.audit.task,
                       split_key(spec).text(), data::word(spec.channel.distance)));
  hash.add(input.targets.group_of_person);
  for (const int draw : {0, 1})  // two draws tell the key from any other
    hash.add(std::span<const std::uint32_t>(input.publication_of(draw).row_of_person));
  return hash.finish();
}

/// The cost of each stage of one_audit, by the clock.
std::vector<double> stage_seconds(const AuditInput& input, const data::Spec& spec, bool knows_channel) {
  const AuditCost cost = audit_cost(input.people, spec);
  std::vector<double> seconds = cost.scenarios;
  seconds.push_back(cost.rows);
  seconds.push_back(knows_channel ? cost.shadow : 0);
  seconds.push_back(knows_channel ? cost.informed : 0);
  seconds.push_back(cost.utilities);
  const double speed = machine_speed();
  for (double& stage : seconds) stage /= speed;
  return seconds;
}

/// With the repetitions of the spec. `add_knowing` adds the attackers who know the channel.
template <class AddKnowing>
Audit one_audit(const AuditInput& input, const data::Spec& spec, KeptOutcomes& kept,
                const AddKnowing& add_knowing, bool knows_channel) {
  PlannedWork plan(input.progress, stage_seconds(input, spec, knows_channel));
  Audit audit;
  audit.repetitions = spec.audit.releases;
  audit.ordered = input.targets.ordered();
  note_drawn_people(audit, input.people, spec);
  add_attacks(audit, input, spec, plan, kept);
  add_row_attacks(audit, input, spec, plan.stage(spec.audit.scenarios.size()), kept);
  const std::size_t stages = spec.audit.scenarios.size() + 1;
  add_knowing(audit, spec, kept, plan, stages);
  audit.utilities =
      utilities(input.people, spec, input.task, input.publication_of, plan.stage(stages + 2), &kept);
  plan.finish();
  return audit;
}

/// How many repetitions more fit into the rest of audit.minutes, at most as many as there were.
int repetitions_more(const data::Spec& spec, const KeptOutcomes& kept, double seconds) {
  const double left = 60 * spec.audit.minutes - seconds;
  if (left <= 0) return 0;
  if (kept.computed() == 0) return spec.audit.releases;  // all was there: nothing is known of their cost
  const double of_outcome = seconds / static_cast<double>(kept.computed());
  const double of_repetition = of_outcome * static_cast<double>(kept.size()) / spec.audit.releases;
  return static_cast<int>(std::min<double>(spec.audit.releases, left / of_repetition));
}

/// As often as the spec says, and on until its minutes are used.
template <class AddKnowing>
Audit repeated_audit(const AuditInput& input, data::Spec spec, const std::filesystem::path& kept_in,
                     const AddKnowing& add_knowing, bool knows_channel) {
  const Stopwatch watch;
  std::optional<KeptOutcomes> kept;
  if (kept_in.empty())
    kept.emplace();
  else
    kept.emplace(kept_in, identity_of(input, spec));
  // Where minutes are given, the whole goes by the clock and not by the parts of each round.
  const Progress parts = spec.audit.minutes > 0 ? input.progress.with_same_reports() : input.progress;
  if (spec.audit.minutes > 0) input.progress.whole(0, 60 * spec.audit.minutes);
  const AuditInput round{input.people, input.targets, input.publication_of, input.task, input.own, parts};
  Audit audit = one_audit(round, spec, *kept, add_knowing, knows_channel);
  try {
    while (const int more = repetitions_more(spec, *kept, watch.seconds())) {
      spec.audit.releases += more;
      audit = one_audit(round, spec, *kept, add_knowing, knows_channel);
    }
  } catch (const Stopped&) {
    // The audit before is whole.
  }
  return audit;
}

}  // namespace

Audit audit_mechanism(const data::People& people, const data::Spec& spec, const obscure::Mechanism& mechanism,
                      const std::optional<audit::TaskLabel>& task, const Progress& progress,
                      const std::vector<audit::OwnAttacker>& own, const std::filesystem::path& kept_in) {
  std::vector<std::uint32_t> group_of_value;
  for (std::uint32_t v = 0; v < people.values.size(); ++v)
    group_of_value.push_back(static_cast<std::uint32_t>(mechanism.group_of_value(v)));
  const Target target(people, std::move(group_of_value), mechanism.groups.size());
  const audit::AttackTargets targets = target.targets();
  const Redraw redraw(mechanism, people);
  const audit::PublicationOf publication_of = [&](int r) { return redraw.publication(r); };
  const AuditInput input{people, targets, publication_of, task, own, progress};
  Audit audit = repeated_audit(
      input, spec, kept_in,
      [&](Audit& found, const data::Spec& at, KeptOutcomes& kept, PlannedWork& plan, std::size_t stage) {
        add_shadow(found, input, at, mechanism, plan.stage(stage), kept);
        add_informed(found, at, people, mechanism, redraw, targets, plan.stage(stage + 1));
      },
      true);
  audit.redrawn = true;
  return audit;
}

Audit audit_release(const verify::Original& original, const std::filesystem::path& folder,
                    const std::optional<audit::TaskLabel>& task, const Progress& progress,
                    const std::vector<audit::OwnAttacker>& own, const std::filesystem::path& kept_in) {
  const data::People& people = original.reading.people;
  const data::Spec& spec = original.spec;
  const auto rows = verify::published_rows(folder, original);
  const auto donors = donors_by_id(rows, people, folder);
  const published::Manifest manifest = published::read_manifest(folder / published::Manifest::kFileName);
  const Target target(people, groups_by_cover(manifest, people, folder), manifest.groups.size());
  const audit::AttackTargets targets = target.targets();
  const audit::PublicationOf publication_of = [&](int) {
    return audit::Publication{people.features, donors};
  };
  const AuditInput input{people, targets, publication_of, task, own, progress};
  Audit audit = repeated_audit(
      input, spec, kept_in, [](Audit&, const data::Spec&, KeptOutcomes&, PlannedWork&, std::size_t) {},
      false);
  audit.notes.push_back(
      "Every repetition attacks the one release by another split. With its mechanism (-m) each has a draw of "
      "its own, "
      "and attackers who know the channel take part.");
  return audit;
}

}  // namespace hyobscure::audit
