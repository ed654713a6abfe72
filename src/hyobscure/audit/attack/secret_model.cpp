#include "hyobscure/audit/attack/secret_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"

namespace hyobscure::audit {
namespace {

using data::SparseRows;
using Eigen::Index;
using People = std::span<const std::uint32_t>;

constexpr std::size_t kGuesses = 5;

// Probability that the truth is not among the first `guesses` values, ties in random order.
double missed(double above, double tied, std::size_t guesses) {
  return 1 - std::clamp((static_cast<double>(guesses) - above) / tied, 0.0, 1.0);
}

// `allowed` says which values may be guessed.
template <class Allowed>
void add_rank_errors(const Eigen::RowVectorXd& probabilities, std::uint32_t truth, const Allowed& allowed,
                     PersonErrors& errors) {
  if (!allowed(truth)) {  // of a row that was taken for another's
    errors.first.push_back(1);
    errors.fifth.push_back(1);
    return;
  }
  double above = 0, tied = 0;
  for (std::uint32_t value = 0; value < probabilities.size(); ++value) {
    if (!allowed(value)) continue;
    above += probabilities(value) > probabilities(truth) ? 1 : 0;
    tied += probabilities(value) == probabilities(truth) ? 1 : 0;
  }
  errors.first.push_back(missed(above, tied, 1));
  errors.fifth.push_back(missed(above, tied, kGuesses));
}

// The odds of the second of two values; without any weight they are even.
template <class Allowed>
void add_score(const Eigen::RowVectorXd& weights, const Allowed& allowed, PersonErrors& errors) {
  if (weights.size() != 2) return;
  const double first = allowed(0) ? weights(0) : 0, second = allowed(1) ? weights(1) : 0;
  errors.score.push_back(first + second > 0 ? second / (first + second) : 0.5);
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

std::vector<double> numbers_of(const AttackTargets& targets, People people) {
  std::vector<double> numbers;
  for (const std::uint32_t person : people)
    numbers.push_back(targets.numbers[targets.value_of_person[person]]);
  return numbers;
}

Eigen::RowVectorXd frequencies_of(const AttackTargets& targets, People people) {
  Eigen::RowVectorXd counts = Eigen::RowVectorXd::Zero(targets.values);
  for (const std::uint32_t person : people) counts(targets.value_of_person[person]) += 1;
  return counts;
}

std::span<const double> all_of(const Eigen::RowVectorXd& weights) {
  return {weights.data(), static_cast<std::size_t>(weights.size())};
}

std::uint32_t kept_of(const AttackTargets& targets, std::uint32_t person) {
  return targets.kept_of_person.empty() ? 0 : targets.kept_of_person[person];
}

std::vector<std::uint32_t> distinct_values(const AttackTargets& targets, People people) {
  std::vector<std::uint32_t> values;
  for (const std::uint32_t person : people) values.push_back(targets.value_of_person[person]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::uint32_t> groups_of(const AttackTargets& targets, People people) {
  std::vector<std::uint32_t> groups;
  for (const std::uint32_t person : people) groups.push_back(targets.group_of_person[person]);
  return groups;
}

std::uint64_t seed_of(const Key& key) { return RandomStream(key.derive("own attacker"))(); }

/// learn::Predictions of the caller's model.
learn::Predictions checked(learn::Predictions predicted, std::size_t rows, std::size_t outputs) {
  if (predicted.rows() != static_cast<Index>(rows) || predicted.cols() != static_cast<Index>(outputs) ||
      !predicted.allFinite())
    throw InputError(
        {.source = "attacker"},
        "its predictions are not one finite number for each row, or one probability for each class",
        "Correct the model.");
  return predicted;
}

}  // namespace

GroupValues::GroupValues(const AttackTargets& targets)
    : values_(targets.values),
      has_(std::size_t{targets.groups} * targets.values, 0),
      of_group_(targets.groups),
      low_(targets.groups, std::numeric_limits<double>::infinity()),
      high_(targets.groups, -std::numeric_limits<double>::infinity()),
      rank_(targets.groups, 0) {
  for (std::size_t u = 0; u < targets.size(); ++u) {
    const std::uint32_t group = targets.group_of_person[u], value = targets.value_of_person[u];
    has_[group * values_ + value] = 1;
    if (!targets.ordered()) continue;
    low_[group] = std::min(low_[group], targets.numbers[value]);
    high_[group] = std::max(high_[group], targets.numbers[value]);
  }
  for (std::uint32_t group = 0; group < targets.groups; ++group)
    for (std::uint32_t value = 0; value < targets.values; ++value)
      if (has(group, value)) of_group_[group].push_back(value);
  std::vector<std::size_t> order(targets.groups);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return low_[a] < low_[b]; });
  for (std::size_t n = 0; n < order.size(); ++n) rank_[order[n]] = static_cast<double>(n + 1);
}

double GroupValues::into_range(std::uint32_t group, double number) const {
  return std::clamp(number, low_[group], high_[group]);
}

std::size_t GroupValues::most_values() const {
  std::size_t most = 0;
  for (const auto& values : of_group_) most = std::max(most, values.size());
  return most;
}

SparseRows seen_rows(const AttackTargets& targets, const GroupValues& groups, const AttackerView& view,
                     People people) {
  const std::size_t group_column = targets.features.columns;
  const std::size_t kept_column = group_column + (targets.ordered() ? 1 : targets.groups);
  SparseRows seen;
  seen.columns = kept_column + (targets.kept_combinations > 1 ? targets.kept_combinations : 0);
  const auto add = [&](std::size_t column, double value) {
    seen.items.push_back(static_cast<std::uint32_t>(column));
    seen.values.push_back(value);
  };
  for (const std::uint32_t person : people) {
    const SparseRows::Row row = (*view.rows)[view.row_of_person[person]];
    seen.items.append(row.items);
    seen.values.append(row.values);
    const std::uint32_t group = targets.group_of_person[person];
    if (targets.ordered())
      add(group_column, groups.rank(group));
    else
      add(group_column + group, 1);
    if (targets.kept_combinations > 1) add(kept_column + kept_of(targets, person), 1);
    seen.end_row();
  }
  return seen;
}

SecretModel::SecretModel(const AttackTargets& targets, const GroupValues& groups,
                         const ChosenAttacker& attacker, const AttackSettings& settings, People known,
                         const AttackerView& view, const Key& key, const Progress& progress)
    : victims_(targets),
      groups_(groups),
      guess_(targets, groups, known),
      known_values_(distinct_values(targets, known)) {
  if (known_values_.size() == 1) return;
  if (targets.ordered())
    learn_numbers(attacker, settings, known, view, key, progress);
  else
    learn_classes(attacker, settings, known, view, key, progress);
}

void SecretModel::learn_numbers(const ChosenAttacker& attacker, const AttackSettings& settings, People known,
                                const AttackerView& view, const Key& key, const Progress& progress) {
  const std::vector<double> numbers = numbers_of(victims_, known);
  if (attacker.attacker == Attacker::Linear) {
    model_ = learn::Linear::of_numbers(rows_of(view, known), groups_of(victims_, known), victims_.groups,
                                       numbers, guesses(known), settings.linear, key, progress);
    return;
  }
  const SparseRows rows = seen_rows(victims_, groups_, view, known);
  switch (attacker.attacker) {
    case Attacker::Own:
      model_ = attacker.own->learn(rows, numbers, 0, seed_of(key));
      return;
    case Attacker::Forest:
      model_ = learn::Forest::of_numbers(rows, numbers, {.trees = settings.trees}, key, progress);
      return;
    case Attacker::PaperBoosting:
      model_.emplace<learn::Boosting>(
          learn::Boosting::of_numbers(rows, numbers, settings.paper_boosting, progress));
      return;
    case Attacker::Boosting:
    case Attacker::Linear:
      break;
  }
  model_.emplace<learn::StoppedBoosting>(
      learn::StoppedBoosting::of_numbers(rows, numbers, guesses(known), settings.boosting, key, progress));
}

void SecretModel::learn_classes(const ChosenAttacker& attacker, const AttackSettings& settings, People known,
                                const AttackerView& view, const Key& key, const Progress& progress) {
  std::vector<std::uint32_t> classes;
  for (const std::uint32_t person : known)
    classes.push_back(static_cast<std::uint32_t>(
        std::lower_bound(known_values_.begin(), known_values_.end(), victims_.value_of_person[person]) -
        known_values_.begin()));
  if (attacker.attacker == Attacker::Linear) {
    model_ = learn::Linear::of_classes(rows_of(view, known), groups_of(victims_, known), victims_.groups,
                                       classes, guesses(known), settings.linear, key, progress);
    return;
  }
  const SparseRows rows = seen_rows(victims_, groups_, view, known);
  const auto count = static_cast<std::uint32_t>(known_values_.size());
  // Group and kept cells are a few columns that tell much among many that tell little.
  const learn::ForestSettings forest{
      .trees = settings.trees,
      .columns_tried =
          std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(rows.columns)))),
      .always_tried_from = victims_.features.columns};
  switch (attacker.attacker) {
    case Attacker::Own:
      model_ =
          attacker.own->learn(rows, std::vector<double>(classes.begin(), classes.end()), count, seed_of(key));
      return;
    case Attacker::Forest:
      model_ = learn::Forest::of_classes(rows, classes, count, forest, key, progress);
      return;
    case Attacker::PaperBoosting:
      model_.emplace<learn::Boosting>(
          learn::Boosting::of_classes(rows, classes, count, settings.paper_boosting, progress));
      return;
    case Attacker::Boosting:
    case Attacker::Linear:
      break;
  }
  model_.emplace<learn::StoppedBoosting>(
      learn::StoppedBoosting::of_classes(rows, classes, guesses(known), settings.boosting, key, progress));
}

learn::Predictions SecretModel::guesses(People people) const {
  return victims_.ordered() ? guess_.numbers(people) : guess_.shares(people, known_values_);
}

learn::Predictions SecretModel::predict(People tested, const AttackerView& view) const {
  if (const auto* linear = std::get_if<learn::Linear>(&model_))
    return linear->predict(rows_of(view, tested), groups_of(victims_, tested), guesses(tested));
  const SparseRows rows = seen_rows(victims_, groups_, view, tested);
  if (const auto* forest = std::get_if<learn::Forest>(&model_)) return forest->predict(rows);
  if (const auto* boosting = std::get_if<learn::Boosting>(&model_)) return boosting->predict(rows);
  if (const auto* stopped = std::get_if<learn::StoppedBoosting>(&model_))
    return stopped->predict(rows, guesses(tested));
  if (const auto* own = std::get_if<OwnModel>(&model_))
    return checked((*own)(rows), tested.size(), victims_.ordered() ? 1 : known_values_.size());
  return learn::Predictions::Constant(static_cast<Index>(tested.size()), 1,
                                      victims_.ordered() ? victims_.numbers[known_values_.front()] : 1.0);
}

PersonErrors SecretModel::errors(People tested, const AttackerView& view, double trust) const {
  learn::Predictions predicted = predict(tested, view);
  if (trust < 1 && !std::holds_alternative<std::monostate>(model_))
    predicted = trust * predicted + (1 - trust) * guesses(tested);
  PersonErrors errors;
  Eigen::RowVectorXd probabilities = Eigen::RowVectorXd::Zero(victims_.values);
  for (std::size_t n = 0; n < tested.size(); ++n) {
    const std::uint32_t group = victims_.group_of_person[tested[n]];
    const std::uint32_t truth = victims_.value_of_person[tested[n]];
    const auto row = static_cast<Index>(n);
    if (victims_.ordered()) {
      errors.score.push_back(groups_.into_range(group, predicted(row, 0)));
      errors.first.push_back(std::abs(errors.score.back() - victims_.numbers[truth]));
      continue;
    }
    for (std::size_t c = 0; c < known_values_.size(); ++c)
      probabilities(known_values_[c]) = predicted(row, static_cast<Index>(c));
    const auto allowed = [&](std::uint32_t v) { return groups_.has(group, v); };
    add_rank_errors(probabilities, truth, allowed, errors);
    add_score(probabilities, allowed, errors);
    if (victims_.spatial())
      errors.km.push_back(km_off(
          victims_.places, nearest_guess(victims_.places, all_of(probabilities), groups_.of(group)), truth));
  }
  return errors;
}

GroupGuess::GroupGuess(const AttackTargets& targets, const GroupValues& groups, People known)
    : victims_(targets),
      groups_(groups),
      all_(known.begin(), known.end()),
      of_group_(targets.groups),
      of_cell_(std::size_t{targets.groups} * targets.kept_combinations) {
  for (const std::uint32_t person : known) {
    const std::size_t group = targets.group_of_person[person];
    of_group_[group].push_back(person);
    of_cell_[group * targets.kept_combinations + kept_of(targets, person)].push_back(person);
  }
}

People GroupGuess::like(std::uint32_t person) const {
  const std::size_t group = victims_.group_of_person[person];
  const auto& cell = of_cell_[group * victims_.kept_combinations + kept_of(victims_, person)];
  if (cell.size() >= kFewestOfCell) return cell;
  return of_group_[group].empty() ? all_ : of_group_[group];
}

PersonErrors GroupGuess::errors(People tested) const {
  std::map<const std::uint32_t*, double> medians;  // of each set of known people, by its place in memory
  std::map<const std::uint32_t*, Eigen::RowVectorXd> frequencies;
  // By group as well: where a group has no known people, those of all groups stand for it.
  std::map<std::pair<const std::uint32_t*, std::uint32_t>, NearestGuess> nearest;
  PersonErrors errors;
  for (const std::uint32_t person : tested) {
    const People known = like(person);
    const std::uint32_t group = victims_.group_of_person[person], truth = victims_.value_of_person[person];
    if (victims_.ordered()) {
      const auto [found, is_new] = medians.try_emplace(known.data());
      if (is_new) found->second = median(numbers_of(victims_, known));
      errors.score.push_back(groups_.into_range(group, found->second));
      errors.first.push_back(std::abs(errors.score.back() - victims_.numbers[truth]));
    } else {
      const auto [found, is_new] = frequencies.try_emplace(known.data());
      if (is_new) found->second = frequencies_of(victims_, known);
      const auto allowed = [&](std::uint32_t v) { return groups_.has(group, v); };
      add_rank_errors(found->second, truth, allowed, errors);
      add_score(found->second, allowed, errors);
      if (!victims_.spatial()) continue;
      const auto [guess, is_first] = nearest.try_emplace({known.data(), group});
      if (is_first) guess->second = nearest_guess(victims_.places, all_of(found->second), groups_.of(group));
      errors.km.push_back(km_off(victims_.places, guess->second, truth));
    }
  }
  return errors;
}

PersonErrors GroupGuess::errors_without_group(People tested) const {
  const double guess = victims_.ordered() ? median(numbers_of(victims_, all_)) : 0;
  const Eigen::RowVectorXd frequencies = frequencies_of(victims_, all_);
  NearestGuess nearest;
  if (victims_.spatial())
    nearest = nearest_guess(victims_.places, all_of(frequencies), distinct_values(victims_, all_));
  PersonErrors errors;
  for (const std::uint32_t person : tested) {
    const std::uint32_t truth = victims_.value_of_person[person];
    const auto allowed = [](std::uint32_t) { return true; };
    if (victims_.ordered()) {
      errors.score.push_back(guess);
      errors.first.push_back(std::abs(guess - victims_.numbers[truth]));
    } else {
      add_rank_errors(frequencies, truth, allowed, errors);
      add_score(frequencies, allowed, errors);
    }
    if (victims_.spatial()) errors.km.push_back(km_off(victims_.places, nearest, truth));
  }
  return errors;
}

learn::Predictions GroupGuess::numbers(People people) const {
  std::map<const std::uint32_t*, double> medians;
  learn::Predictions guesses(static_cast<Index>(people.size()), 1);
  for (std::size_t n = 0; n < people.size(); ++n) {
    const People known = like(people[n]);
    const auto [found, is_new] = medians.try_emplace(known.data());
    if (is_new) found->second = median(numbers_of(victims_, known));
    guesses(static_cast<Index>(n), 0) =
        groups_.into_range(victims_.group_of_person[people[n]], found->second);
  }
  return guesses;
}

learn::Predictions GroupGuess::shares(People people, std::span<const std::uint32_t> values) const {
  constexpr double kHalfAPerson = 0.5;
  const auto count = static_cast<Index>(values.size());
  std::map<std::pair<const std::uint32_t*, std::uint32_t>, Eigen::RowVectorXd> shares;
  learn::Predictions guesses(static_cast<Index>(people.size()), count);
  for (std::size_t n = 0; n < people.size(); ++n) {
    const People known = like(people[n]);
    const std::uint32_t group = victims_.group_of_person[people[n]];
    const auto [found, is_new] = shares.try_emplace({known.data(), group});
    if (is_new) {
      const Eigen::RowVectorXd frequencies = frequencies_of(victims_, known);
      Eigen::RowVectorXd& share = found->second = Eigen::RowVectorXd::Zero(count);
      for (Index c = 0; c < count; ++c)
        if (const std::uint32_t value = values[static_cast<std::size_t>(c)]; groups_.has(group, value))
          share(c) = frequencies(value) + kHalfAPerson;
      if (share.sum() > 0)
        share /= share.sum();
      else
        share.setConstant(1.0 / static_cast<double>(count));  // of no value that is known
    }
    guesses.row(static_cast<Index>(n)) = found->second;
  }
  return guesses;
}

}  // namespace hyobscure::audit
