#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::audit {

/// The measure in one repetition.
struct RepetitionFigures {
  double published;
  double unobscured;
  double baseline;
};

/// Throws InputError for fewer than kFewestPeople, entries that are not finite, or fewer than two
/// repetitions: one has no spread.
void check_utility(const data::SparseRows& features, int repetitions);
/// Throws InputError for a share that leaves no people on one side.
void check_known_share(double known_share, std::size_t people);

/// `result` with its figures. tested_per_known as in estimate().
UtilityResult summarised(UtilityResult result, std::span<const RepetitionFigures> repetitions,
                         double tested_per_known);
/// `result` without figures, and why.
UtilityResult not_measurable(UtilityResult result, const std::string& reason);

/// Says how many people a repetition draws; empty where it takes all.
std::string sample_note(std::size_t people, std::size_t most_people);

/// True when no two entries differ: sets, check-ins without counts.
bool all_values_alike(const data::SparseRows& rows);
/// True when no row lacks an item.
bool all_items_everywhere(const data::SparseRows& rows);

/// The rows that are seen of these people, in their order.
data::SparseRows rows_of(const AttackerView& view, std::span<const std::uint32_t> people);

}  // namespace hyobscure::audit
