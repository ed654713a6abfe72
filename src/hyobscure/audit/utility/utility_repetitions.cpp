#include "hyobscure/audit/utility/utility_repetitions.h"

#include <fmt/format.h>

#include <algorithm>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"

namespace hyobscure::audit {

void check_utility(const data::SparseRows& features, int repetitions) {
  if (features.size() < kFewestPeople)
    throw InputError({.source = "people"},
                     fmt::format("{} are too few to measure what their data are good for", features.size()),
                     fmt::format("An audit needs at least {} people.", kFewestPeople));
  if (repetitions < 2)
    throw InputError({.source = "repetitions"}, "the setting is out of range",
                     "Take at least 2: one has no interval.");
  census::check_rows(census::Distance::Euclidean, features, "people");
}

void check_known_share(double known_share, std::size_t people) {
  const double known = known_share * static_cast<double>(people);
  // Rounded, both sides have at least two people.
  if (!(known >= 2 && known <= static_cast<double>(people) - 2))
    throw InputError({.source = "known_share"}, "the setting is out of range",
                     "Take a share that leaves people on both sides.");
}

UtilityResult summarised(UtilityResult result, std::span<const RepetitionFigures> repetitions,
                         double tested_per_known) {
  const auto over = [&](auto figure) {
    std::vector<double> values;
    for (const RepetitionFigures& figures : repetitions) values.push_back(figure(figures));
    return estimate(values, tested_per_known);
  };
  const double sign = result.lower_is_better ? 1 : -1;
  result.repetitions = static_cast<int>(repetitions.size());
  result.figures = UtilityFigures{
      .published = over([](const RepetitionFigures& f) { return f.published; }),
      .unobscured = over([](const RepetitionFigures& f) { return f.unobscured; }),
      .baseline = over([](const RepetitionFigures& f) { return f.baseline; }),
      .loss = over([&](const RepetitionFigures& f) { return sign * (f.published - f.unobscured); }),
      .gain_unobscured = over([&](const RepetitionFigures& f) { return sign * (f.baseline - f.unobscured); }),
      .gain_published = over([&](const RepetitionFigures& f) { return sign * (f.baseline - f.published); })};
  return result;
}

UtilityResult not_measurable(UtilityResult result, const std::string& reason) {
  result.note = "not measurable: " + reason;
  return result;
}

std::string sample_note(std::size_t people, std::size_t most_people) {
  return people <= most_people
             ? ""
             : fmt::format("of {} people, {} are drawn again in each repetition", people, most_people);
}

bool all_values_alike(const data::SparseRows& rows) {
  return std::adjacent_find(rows.values.begin(), rows.values.end(), std::not_equal_to<>()) ==
         rows.values.end();
}

bool all_items_everywhere(const data::SparseRows& rows) {
  return rows.entries() == rows.size() * rows.columns;
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

}  // namespace hyobscure::audit
