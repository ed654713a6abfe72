#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/attack.h"

namespace hyobscure::audit {

/// What the attacker sees of person u: row row_of_person[u] of rows.
struct AttackerView {
  const data::SparseRows* rows;
  std::span<const std::uint32_t> row_of_person;
};

/// The rows that are seen of these people, in their order.
data::SparseRows rows_of(const AttackerView& view, std::span<const std::uint32_t> people);

/// One training and the people it is tried on.
struct Trial {
  std::string name;  ///< its randomness belongs to it
  std::vector<std::uint32_t> known;
  std::vector<std::uint32_t> tested;
  AttackerView learned_from;
  AttackerView attacked;
  int repetition = 0;
};

/// One of the attackers of the settings.
struct ChosenAttacker {
  Attacker attacker;
  const OwnAttacker* own = nullptr;
};

struct Split {
  std::vector<std::uint32_t> known;
  std::vector<std::uint32_t> tested;
};
/// Everybody, or `most` of them drawn without replacement where they are more; ascending.
std::vector<std::uint32_t> drawn_people(std::size_t people, std::size_t most, const Key& key);
/// A split of 0, 1, 2, ... as one of the people who were drawn.
Split among(std::span<const std::uint32_t> drawn, Split split);

/// A random share of the people is known, both ascending. Not stratified by value: who is known must not tell
/// the value.
Split split_by_share(std::size_t people, double known_share, const Key& key);
/// Every fold once as the tested people.
std::vector<Split> split_by_folds(std::size_t people, int folds, const Key& key);

/// 0, 1, 2, ...: the true features as a publication.
std::vector<std::uint32_t> own_rows(std::size_t people);

void validate(const AttackSettings& settings, std::size_t people);

/// Checked publications of all repetitions.
std::vector<Publication> publications(const data::SparseRows& features, const PublicationOf& publication_of,
                                      int repetitions);

/// Carries out all trials with all attackers, and sums them up.
std::vector<AttackResult> run_trials(const AttackTargets& targets, const std::vector<Trial>& trials,
                                     Scenario scenario, const AttackSettings& settings, const Key& key,
                                     const Progress& progress);

}  // namespace hyobscure::audit
