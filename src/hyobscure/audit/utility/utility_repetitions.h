#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/audit/utility/utility.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::audit {

/// The measure in one repetition: all three of the same people, or, where people are not what varies, without
/// any.
struct RepetitionFigures {
  TrialFigure published;
  TrialFigure unobscured;
  TrialFigure baseline;
};

/// As a list of numbers and back, to be kept.
[[nodiscard]] std::vector<double> flat(const RepetitionFigures& figures);
[[nodiscard]] RepetitionFigures figures_from(std::span<const double> numbers);

/// The root of a mean square: `squared_error` of each of the people in so many `entries`.
[[nodiscard]] TrialFigure root_mean_square(std::span<const std::uint32_t> people,
                                           std::span<const double> squared_error,
                                           std::span<const double> entries);

/// Throws InputError for fewer than kFewestPeople, entries that are not finite, or fewer than two
/// repetitions: one has no spread.
void check_utility(const data::SparseRows& features, int repetitions);
/// Throws InputError for a share that leaves no people on one side.
void check_known_share(double known_share, std::size_t people);

/// `result` with its figures: intervals over people where there are some, over repetitions otherwise.
UtilityResult summarised(UtilityResult result, std::span<const RepetitionFigures> repetitions);
/// `result` without figures, and why.
UtilityResult not_measurable(UtilityResult result, const std::string& reason);

/// Says how many people a repetition draws; empty where it takes all.
std::string sample_note(std::size_t people, std::size_t most_people);

/// True when no two entries differ: sets, check-ins without counts.
bool all_values_alike(const data::SparseRows& rows);
/// True when no row lacks an item.
bool all_items_everywhere(const data::SparseRows& rows);

}  // namespace hyobscure::audit
