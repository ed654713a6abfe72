#include "hyobscure/audit/utility/utility_repetitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

std::vector<double> flat(const RepetitionFigures& figures) {
  std::vector<double> numbers;
  for (const TrialFigure* figure : {&figures.published, &figures.unobscured, &figures.baseline}) {
    numbers.push_back(figure->value);
    numbers.push_back(static_cast<double>(figure->people.size()));
    numbers.insert(numbers.end(), figure->people.begin(), figure->people.end());
    numbers.insert(numbers.end(), figure->influences.begin(), figure->influences.end());
  }
  return numbers;
}

RepetitionFigures figures_from(std::span<const double> numbers) {
  RepetitionFigures figures;
  for (TrialFigure* figure : {&figures.published, &figures.unobscured, &figures.baseline}) {
    figure->value = numbers[0];
    const auto people = static_cast<std::size_t>(numbers[1]);
    for (const double person : numbers.subspan(2, people))
      figure->people.push_back(static_cast<std::uint32_t>(person));
    const auto influences = numbers.subspan(2 + people, people);
    figure->influences.assign(influences.begin(), influences.end());
    numbers = numbers.subspan(2 + 2 * people);
  }
  return figures;
}

TrialFigure root_mean_square(std::span<const std::uint32_t> people, std::span<const double> squared_error,
                             std::span<const double> entries) {
  CompensatedSum squares, count;
  for (std::size_t n = 0; n < people.size(); ++n) {
    squares.add(squared_error[n]);
    count.add(entries[n]);
  }
  const double mean = squares.value() / count.value();
  TrialFigure figure{.value = std::sqrt(mean), .people = {people.begin(), people.end()}};
  for (std::size_t n = 0; n < people.size(); ++n) {
    const double of_mean = (squared_error[n] - mean * entries[n]) / count.value();
    figure.influences.push_back(mean > 0 ? of_mean / (2 * figure.value) : 0.0);  // d root = d mean / 2 root
  }
  return figure;
}

namespace {

Estimate over_repetitions(std::span<const TrialFigure> figures, const Range& range) {
  if (!figures.front().people.empty()) return estimate(over_people(figures), range);
  std::vector<double> values;
  for (const TrialFigure& figure : figures) values.push_back(figure.value);
  return estimate(values, range);
}

/// sign * (a - b), of the same people.
TrialFigure difference(const TrialFigure& a, const TrialFigure& b, double sign) {
  TrialFigure result{.value = sign * (a.value - b.value), .people = a.people};
  for (std::size_t n = 0; n < a.people.size(); ++n)
    result.influences.push_back(sign * (a.influences[n] - b.influences[n]));
  return result;
}

}  // namespace

UtilityResult summarised(UtilityResult result, std::span<const RepetitionFigures> repetitions) {
  std::vector<TrialFigure> published, unobscured, baseline, loss, gain_unobscured, gain_published;
  const double sign = result.lower_is_better ? 1 : -1;
  for (const RepetitionFigures& figures : repetitions) {
    published.push_back(figures.published);
    unobscured.push_back(figures.unobscured);
    baseline.push_back(figures.baseline);
    loss.push_back(difference(figures.published, figures.unobscured, sign));
    gain_unobscured.push_back(difference(figures.baseline, figures.unobscured, sign));
    gain_published.push_back(difference(figures.baseline, figures.published, sign));
  }
  // What is better higher is a share, what is better lower an error.
  const Range range = result.lower_is_better ? kError : kShare;
  result.repetitions = static_cast<int>(repetitions.size());
  const Range free = result.lower_is_better ? Range{} : kShareDifference;
  result.figures = UtilityFigures{.published = over_repetitions(published, range),
                                  .unobscured = over_repetitions(unobscured, range),
                                  .baseline = over_repetitions(baseline, range),
                                  .loss = over_repetitions(loss, free),
                                  .gain_unobscured = over_repetitions(gain_unobscured, free),
                                  .gain_published = over_repetitions(gain_published, free)};
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

}  // namespace hyobscure::audit
