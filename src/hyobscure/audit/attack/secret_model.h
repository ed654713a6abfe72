#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "hyobscure/audit/attack/attack.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/learn/forest.h"

namespace hyobscure::audit {

/// Error of each tested person: |guess - truth|, or the probability that the value is not the first guess
/// (not among the first five) where equally probable values are put in random order.
struct PersonErrors {
  std::vector<double> first;
  std::vector<double> fifth;  ///< categories only
  std::vector<double> km;     ///< places only: distance of the guess of least expected distance
  /// What puts people in order: the guessed number; of secrets of two values the odds of the second. Else
  /// empty.
  std::vector<double> score;
};

/// Which values a group holds: public, as the release tells the groups.
class GroupValues {
 public:
  explicit GroupValues(const AttackTargets& targets);

  bool has(std::uint32_t group, std::uint32_t value) const { return has_[group * values_ + value] != 0; }
  std::span<const std::uint32_t> of(std::uint32_t group) const { return of_group_[group]; }  ///< ascending
  double into_range(std::uint32_t group, double number) const;
  std::size_t most_values() const;  ///< of a group
  /// 1, 2, ... by the smallest number of the group (ordered secrets).
  double rank(std::uint32_t group) const { return rank_[group]; }

 private:
  std::size_t values_;
  std::vector<std::uint8_t> has_;
  std::vector<std::vector<std::uint32_t>> of_group_;
  std::vector<double> low_, high_, rank_;
};

/// The rows that an attacker sees of `people`: features, then group, then kept cells.
data::SparseRows seen_rows(const AttackTargets& targets, const GroupValues& groups, const AttackerView& view,
                           std::span<const std::uint32_t> people);

/// What can be guessed without features: median or frequencies of the known people of the same group and kept
/// cells; of the group where these are fewer than kFewestOfCell, of all where the group has none.
class GroupGuess {
 public:
  GroupGuess(const AttackTargets& targets, const GroupValues& groups, std::span<const std::uint32_t> known);

  PersonErrors errors(std::span<const std::uint32_t> tested) const;
  PersonErrors errors_without_group(std::span<const std::uint32_t> tested) const;

  /// What a model may begin with. Ordered secrets: the guessed number of each of the people.
  learn::Predictions numbers(std::span<const std::uint32_t> people) const;
  /// Others: the shares of these values, of which each that the group holds counts half a person more than
  /// are known.
  learn::Predictions shares(std::span<const std::uint32_t> people,
                            std::span<const std::uint32_t> values) const;

  static constexpr std::size_t kFewestOfCell = 5;  // the median of fewer is worse than that of the group

 private:
  std::span<const std::uint32_t> like(std::uint32_t person) const;  // known people

  const AttackTargets& victims_;
  const GroupValues& groups_;
  std::vector<std::uint32_t> all_;
  std::vector<std::vector<std::uint32_t>> of_group_;
  std::vector<std::vector<std::uint32_t>> of_cell_;
};

/// An attacker who has learned secrets of some people.
class SecretModel {
 public:
  SecretModel(const AttackTargets& targets, const GroupValues& groups, const ChosenAttacker& attacker,
              const AttackSettings& settings, std::span<const std::uint32_t> known, const AttackerView& view,
              const Key& key, const Progress& progress);

  /// `trust`: what was learned counts so much, the guess from the group the rest.
  PersonErrors errors(std::span<const std::uint32_t> tested, const AttackerView& view,
                      double trust = 1) const;

 private:
  void learn_numbers(const ChosenAttacker& attacker, const AttackSettings& settings,
                     std::span<const std::uint32_t> known, const AttackerView& view, const Key& key,
                     const Progress& progress);
  void learn_classes(const ChosenAttacker& attacker, const AttackSettings& settings,
                     std::span<const std::uint32_t> known, const AttackerView& view, const Key& key,
                     const Progress& progress);
  learn::Predictions predict(std::span<const std::uint32_t> tested, const AttackerView& view) const;
  learn::Predictions guesses(std::span<const std::uint32_t> people) const;

  const AttackTargets& victims_;
  const GroupValues& groups_;
  GroupGuess guess_;
  std::vector<std::uint32_t> known_values_;  // categories: class c of the model is value known_values_[c]
  std::variant<std::monostate, learn::Forest, learn::Boosting, learn::StoppedBoosting, learn::Linear,
               OwnModel>
      model_;  // none where the known people have one value
};

}  // namespace hyobscure::audit
