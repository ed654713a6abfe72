#include "hyobscure/audit/attack/known_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "hyobscure/audit/attack/row_content.h"
#include "hyobscure/audit/attack/row_search.h"
#include "hyobscure/audit/attack/secret_model.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

/// What is measured of a target who is known by some entries; kUnset where there is nothing to measure.
enum EntryFigure : std::size_t {
  OwnRow,
  OwnRowOnce,
  UnderId,
  InGroup,
  OneFits,
  OneFitsAbsent,
  RestTrue,
  RestTrueRandom,
  RestTrueAbsent,
  ErrorOfModel,
  ErrorOfGroup,
  ErrorOfNothing,
  ErrorOfOwnGroup,
  ErrorOfTrueRow,
  kEntryFigures
};

/// The figures of all targets of a repetition.
class EntryFigures {
 public:
  EntryFigures(std::size_t targets, std::size_t numbers_known)
      : targets_(targets), values_(numbers_known * kEntryFigures * targets, kUnset) {}
  EntryFigures(std::size_t targets, std::vector<double> values)
      : targets_(targets), values_(std::move(values)) {}

  double& at(std::size_t m, EntryFigure figure, std::size_t target) {
    return values_[begin(m, figure) + target];
  }
  std::span<const double> of(std::size_t m, EntryFigure figure) const {
    return std::span(values_).subspan(begin(m, figure), targets_);
  }
  const std::vector<double>& flat() const { return values_; }

 private:
  std::size_t begin(std::size_t m, EntryFigure figure) const {
    return (m * kEntryFigures + figure) * targets_;
  }

  std::size_t targets_;
  std::vector<double> values_;
};

/// Who is sought in a repetition, and from whom the attacker has learned.
struct SoughtPeople {
  Key key;
  std::vector<std::uint32_t> known;
  std::vector<std::uint32_t> targets;
};

SoughtPeople people_sought(std::size_t people, const KnownEntriesSettings& settings, const Key& key) {
  const std::vector<std::uint32_t> drawn = drawn_people(people, settings.most_people, key.derive("people"));
  Split split = among(drawn, split_by_share(drawn.size(), settings.known_share, key));
  std::vector<std::uint32_t> targets;
  for (const std::uint32_t n : drawn_people(split.tested.size(), settings.targets, key.derive("targets")))
    targets.push_back(split.tested[n]);
  return {.key = key, .known = std::move(split.known), .targets = std::move(targets)};
}

/// One repetition of the attack.
class EntriesAttack {
 public:
  EntriesAttack(const AttackTargets& targets, const Publication& publication, const SoughtPeople& repetition,
                std::span<const std::size_t> known, const Progress& progress)
      : people_(targets),
        publication_(publication),
        repetition_(repetition),
        known_(known),
        progress_(progress),
        figures_(repetition.targets.size(), known.size()) {
    for (const std::uint32_t person : repetition.targets)
      sought_.push_back(draw_entries(people_.features, person, known.back(), repetition.key));
    found_ = search_rows(publication, people_.features, sought_, known, repetition.key, progress);
  }

  EntryFigures figures() && {
    count_rows();
    compare_rests();
    infer_secrets();
    return std::move(figures_);
  }

 private:
  const FoundRows& found(std::size_t m, std::size_t t) const { return found_[t * known_.size() + m]; }
  std::size_t all_known(std::size_t m, std::size_t t) const {
    return std::min(known_[m], sought_[t].known.size());
  }
  std::size_t row_under(std::uint32_t person) const { return publication_.row_of_person[person]; }

  void count_rows() {
    std::unordered_map<std::uint64_t, std::size_t> people_with;  // true rows of the targets
    for (const std::uint32_t person : repetition_.targets)
      people_with[content_of(people_.features[person])] = 0;
    for (std::size_t u = 0; u < people_.size(); ++u)
      if (const auto row = people_with.find(content_of(people_.features[u])); row != people_with.end())
        ++row->second;
    for (std::size_t t = 0; t < sought_.size(); ++t) {
      const std::uint64_t own = content_of(people_.features[sought_[t].person]);
      for (std::size_t m = 0; m < known_.size(); ++m) {
        const auto& [best, others] = found(m, t);
        const bool own_row = best.has_one_row() && best.content == own && people_with[own] == 1;
        const std::size_t all = all_known(m, t);
        figures_.at(m, OwnRow, t) = own_row ? 1 : 0;
        figures_.at(m, OwnRowOnce, t) = own_row && best.copies == 1 ? 1 : 0;
        figures_.at(m, UnderId, t) = best.own_id ? 1 / static_cast<double>(best.copies) : 0;
        figures_.at(m, InGroup, t) =
            best.fits > 0 && people_.group_of_person[best.under] == people_.group_of_person[sought_[t].person]
                ? 1
                : 0;
        figures_.at(m, OneFits, t) = best.has_one_row() && best.fits == all ? 1 : 0;
        figures_.at(m, OneFitsAbsent, t) = others.has_one_row() && others.fits == all ? 1 : 0;
      }
    }
  }

  /// Of the entries of a published row that were not known, the share that is true of the target.
  double rest_true(std::size_t m, std::size_t t, std::uint32_t under) const {
    const data::SparseRows::Row row = publication_.rows[row_under(under)];
    std::size_t known = 0;
    for (std::size_t n = 0; n < all_known(m, t); ++n) {
      const auto& [item, value] = sought_[t].known[n];
      const auto place = std::ranges::lower_bound(row.items, item);
      known += place != row.items.end() && *place == item &&
                       row.values[static_cast<std::size_t>(place - row.items.begin())] == value
                   ? 1
                   : 0;
    }
    if (row.items.size() == known) return kUnset;
    return static_cast<double>(shared_entries(row, people_.features[sought_[t].person]) - known) /
           static_cast<double>(row.items.size() - known);
  }

  void compare_rests() {
    std::vector<std::vector<std::uint32_t>> people_of_group(people_.groups);
    for (std::uint32_t u = 0; u < people_.size(); ++u)
      people_of_group[people_.group_of_person[u]].push_back(u);
    RandomStream random(repetition_.key.derive("random rows"));
    for (std::size_t t = 0; t < sought_.size(); ++t) {
      const auto& like = people_of_group[people_.group_of_person[sought_[t].person]];
      const std::uint32_t anybody = like[random.below(like.size())];
      for (std::size_t m = 0; m < known_.size(); ++m) {
        const auto& [best, others] = found(m, t);
        figures_.at(m, RestTrueRandom, t) = rest_true(m, t, anybody);
        if (best.fits > 0) figures_.at(m, RestTrue, t) = rest_true(m, t, best.under);
        if (others.fits > 0) figures_.at(m, RestTrueAbsent, t) = rest_true(m, t, others.under);
      }
    }
  }

  void infer_secrets();

  const AttackTargets& people_;
  const Publication& publication_;
  const SoughtPeople& repetition_;
  std::span<const std::size_t> known_;
  const Progress& progress_;
  std::vector<SoughtPerson> sought_;
  std::vector<FoundRows> found_;
  EntryFigures figures_;
};

/// The people, and behind them the targets as the attacker meets them: with the row that was found, and the
/// group and kept cells that stand beside it.
class MetPeople {
 public:
  explicit MetPeople(const AttackTargets& people)
      : people_(people),
        values_(people.value_of_person.begin(), people.value_of_person.end()),
        groups_(people.group_of_person.begin(), people.group_of_person.end()),
        kept_(people.kept_of_person.begin(), people.kept_of_person.end()),
        rows_(own_rows(people.size())) {}

  /// The number of the target whose row is thought to be the one under `under`.
  std::uint32_t add(std::uint32_t target, std::uint32_t under, std::uint32_t row) {
    values_.push_back(people_.value_of_person[target]);
    groups_.push_back(people_.group_of_person[under]);
    if (!kept_.empty()) kept_.push_back(people_.kept_of_person[under]);
    rows_.push_back(row);
    return static_cast<std::uint32_t>(values_.size() - 1);
  }

  AttackTargets targets() const {
    return {.features = people_.features,
            .value_of_person = values_,
            .values = people_.values,
            .numbers = people_.numbers,
            .group_of_person = groups_,
            .groups = people_.groups,
            .kept_of_person = kept_,
            .kept_combinations = people_.kept_combinations,
            .places = people_.places};
  }
  std::span<const std::uint32_t> rows() const { return rows_; }

 private:
  const AttackTargets& people_;
  std::vector<std::uint32_t> values_, groups_, kept_, rows_;
};

void EntriesAttack::infer_secrets() {
  MetPeople met(people_);
  struct Meeting {
    std::size_t m, t;
  };
  std::vector<Meeting> meetings;
  std::vector<std::uint32_t> numbers;
  for (std::size_t t = 0; t < sought_.size(); ++t)
    for (std::size_t m = 0; m < known_.size(); ++m) {
      const BestRows& best = found(m, t).of_all;
      if (best.fits == 0) continue;
      meetings.push_back({m, t});
      numbers.push_back(
          met.add(sought_[t].person, best.under, static_cast<std::uint32_t>(row_under(best.under))));
    }
  const AttackTargets targets = met.targets();
  const GroupValues groups(people_);
  const AttackerView truth{.rows = &people_.features, .row_of_person = met.rows()};
  const AttackerView release{.rows = &publication_.rows, .row_of_person = met.rows()};
  const SecretModel model(targets, groups, {.attacker = Attacker::Linear}, {}, repetition_.known, truth,
                          repetition_.key, progress_);
  const GroupGuess guess(targets, groups, repetition_.known);
  const auto errors_of_model = model.errors(numbers, release).first,
             errors_of_group = guess.errors(numbers).first;
  const auto& own = repetition_.targets;
  const auto nothing = guess.errors_without_group(own).first, own_group = guess.errors(own).first,
             true_row = model.errors(own, truth).first;
  for (std::size_t t = 0; t < own.size(); ++t)
    for (std::size_t m = 0; m < known_.size(); ++m) {
      figures_.at(m, ErrorOfModel, t) = figures_.at(m, ErrorOfGroup, t) = nothing[t];  // if no row fits
      figures_.at(m, ErrorOfNothing, t) = nothing[t];
      figures_.at(m, ErrorOfOwnGroup, t) = own_group[t];
      figures_.at(m, ErrorOfTrueRow, t) = true_row[t];
    }
  for (std::size_t n = 0; n < meetings.size(); ++n) {
    figures_.at(meetings[n].m, ErrorOfModel, meetings[n].t) = errors_of_model[n];
    figures_.at(meetings[n].m, ErrorOfGroup, meetings[n].t) = errors_of_group[n];
  }
}

/// Means over the targets of all repetitions.
class EntriesSummary {
 public:
  EntriesSummary(std::span<const SoughtPeople> repetitions, std::span<const EntryFigures> figures)
      : repetitions_(repetitions), figures_(figures) {}

  /// Of the targets for whom it was measured, less another figure if there is one. Empty where it was
  /// measured for fewer than two.
  std::vector<TrialFigure> trials(std::size_t m, EntryFigure figure,
                                  std::optional<EntryFigure> less = {}) const {
    std::vector<TrialFigure> trials;
    for (std::size_t r = 0; r < repetitions_.size(); ++r) {
      std::vector<std::uint32_t> people;
      std::vector<double> values;
      for (std::size_t t = 0; t < repetitions_[r].targets.size(); ++t) {
        const double value = figures_[r].of(m, figure)[t] - (less ? figures_[r].of(m, *less)[t] : 0);
        if (!std::isfinite(value)) continue;
        people.push_back(repetitions_[r].targets[t]);
        values.push_back(value);
      }
      if (!people.empty()) trials.push_back(mean_figure(people, values));
    }
    if (trials.empty() || over_people(trials).people < 2) return {};
    return trials;
  }

  Estimate share(std::size_t m, EntryFigure figure) const {
    return share_estimate(over_people(trials(m, figure)));
  }
  std::optional<Estimate> mean(std::size_t m, EntryFigure figure, const Range& range,
                               std::optional<EntryFigure> less = {}) const {
    const std::vector<TrialFigure> measured = trials(m, figure, less);
    return measured.empty() ? std::nullopt : std::optional(estimate(over_people(measured), range));
  }

 private:
  std::span<const SoughtPeople> repetitions_;
  std::span<const EntryFigures> figures_;
};

KnownEntries known_entries_of(const EntriesSummary& summary, std::size_t m, std::size_t known,
                              const AttackTargets& people, const Key& key) {
  const std::vector<TrialFigure> gains = summary.trials(m, RestTrue, RestTrueRandom);
  const bool is_share = !people.ordered();
  const Range range = is_share ? kShare : kError, difference = is_share ? kShareDifference : Range{};
  return {.known = known,
          .own_row = summary.share(m, OwnRow),
          .own_row_once = summary.share(m, OwnRowOnce),
          .under_id = summary.share(m, UnderId),
          .under_id_chance = 1 / static_cast<double>(people.size()),
          .in_group = summary.share(m, InGroup),
          .one_fits = summary.share(m, OneFits),
          .one_fits_absent = summary.share(m, OneFitsAbsent),
          .rest_true = summary.mean(m, RestTrue, kShare),
          .rest_true_random = summary.mean(m, RestTrueRandom, kShare),
          .rest_true_absent = summary.mean(m, RestTrueAbsent, kShare),
          .rest_gain = summary.mean(m, RestTrue, kShareDifference, RestTrueRandom),
          .rest_gain_resampled =
              gains.empty() ? std::nullopt : std::optional(resampled(gains, key, kShareDifference)),
          .secret = SecretOfFoundRow{.error = *summary.mean(m, ErrorOfModel, range),
                                     .group = *summary.mean(m, ErrorOfGroup, range),
                                     .no_information = *summary.mean(m, ErrorOfNothing, range),
                                     .own_group = *summary.mean(m, ErrorOfOwnGroup, range),
                                     .true_row = *summary.mean(m, ErrorOfTrueRow, range),
                                     .gain = *summary.mean(m, ErrorOfNothing, difference, ErrorOfModel)}};
}

}  // namespace

KnownEntriesResult known_entries_attack(const AttackTargets& targets, const PublicationOf& publication_of,
                                        const KnownEntriesSettings& settings, const Key& key,
                                        const Progress& progress) {
  check(targets);
  validate({.known_share = settings.known_share,
            .repetitions = settings.repetitions,
            .most_people = settings.most_people},
           targets.size());
  require(!settings.known.empty() && std::ranges::is_sorted(settings.known) && settings.known.front() >= 1 &&
              settings.known.back() <= kMostKnown && settings.targets >= 2,
          "known, targets", "the setting is out of range",
          fmt::format("Give ascending numbers of 1 to {} entries, and at least 2 targets.", kMostKnown));
  const std::vector<Publication> published =
      publications(targets.features, publication_of, settings.repetitions);
  std::vector<SoughtPeople> repetitions;
  for (int r = 0; r < settings.repetitions; ++r)
    repetitions.push_back(
        people_sought(targets.size(), settings, key.derive(fmt::format("repetition {}", r))));
  std::vector<EntryFigures> figures(repetitions.size(), EntryFigures(0, 0));
  SharedProgress shared(progress, "looking for rows", repetitions.size());
  parallel_blocks(repetitions.size(), 1, [&](std::size_t r, std::size_t) {
    const auto compute = [&] {
      return EntriesAttack(targets, published[r], repetitions[r], settings.known, progress).figures().flat();
    };
    figures[r] = EntryFigures(repetitions[r].targets.size(),
                              outcome_of(settings.kept, fmt::format("known entries {}", r), compute));
    shared.one_done();
  });

  const EntriesSummary summary(repetitions, figures);
  KnownEntriesResult result{
      .of = {}, .repetitions = settings.repetitions, .targets = repetitions.front().targets.size()};
  for (std::size_t m = 0; m < settings.known.size(); ++m)
    result.of.push_back(known_entries_of(summary, m, settings.known[m], targets, key.derive("resampled")));
  return result;
}

}  // namespace hyobscure::audit
