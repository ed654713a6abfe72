#include "hyobscure/audit/utility/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "hyobscure/audit/utility/recommender.h"
#include "hyobscure/audit/utility/utility_repetitions.h"
#include "hyobscure/base/error.h"

namespace hyobscure::audit {
namespace {

using data::SparseRows;

std::vector<std::uint32_t> items_of_anybody(const SparseRows& features) {
  std::vector<char> had(features.columns, 0);
  for (const std::uint32_t item : features.items) had[item] = 1;
  std::vector<std::uint32_t> items;
  for (std::uint32_t i = 0; i < features.columns; ++i)
    if (had[i] != 0) items.push_back(i);
  return items;
}

// Chosen are the items at these places of `items`.
ItemChoice choice_of(std::span<const std::uint32_t> items, std::span<const std::uint32_t> places,
                     std::size_t columns) {
  ItemChoice choice{.number_of_item = std::vector<std::uint32_t>(columns, kLeftOut), .count = places.size()};
  for (std::uint32_t n = 0; n < places.size(); ++n) choice.number_of_item[items[places[n]]] = n;
  return choice;
}

Split split_people(std::size_t people, const RecommendSettings& settings, const Key& key,
                   std::size_t repetition) {
  const std::vector<std::uint32_t> drawn =
      drawn_people(people, settings.most_people, key.derive(fmt::format("people {}", repetition)));
  return among(drawn, split_by_share(drawn.size(), settings.known_share,
                                     key.derive(fmt::format("split {}", repetition))));
}

std::size_t visible_of(std::size_t items, const RecommendSettings& settings) {
  return static_cast<std::size_t>(std::lround((1 - settings.hidden_share) * static_cast<double>(items)));
}

Repetition draw_repetition(const SparseRows& features, std::span<const std::uint32_t> items,
                           const RecommendSettings& settings, const Key& key, std::size_t repetition) {
  const Split places = split_by_share(items.size(), 1 - settings.hidden_share,
                                      key.derive(fmt::format("items {}", repetition)));
  return {.split = split_people(features.size(), settings, key, repetition),
          .visible = choice_of(items, places.known, features.columns),
          .hidden = choice_of(items, places.tested, features.columns)};
}

void validate(const SparseRows& features, const RecommendSettings& settings) {
  check_utility(features, settings.repetitions);
  constexpr auto kOutOfRange = "the setting is out of range";
  require(settings.hidden_share > 0 && settings.hidden_share < 1, "hidden_share", kOutOfRange,
          "Take a share above 0, below 1.");
  require(settings.most_people >= kFewestPeople, "most_people", kOutOfRange, "Take at least 20.");
  check_known_share(settings.known_share, std::min(features.size(), settings.most_people));
}

RecommendUtility not_measurable(const RecommendUtility& utility, const char* reason) {
  return {.rating_prediction = not_measurable(utility.rating_prediction, reason),
          .recommendation = not_measurable(utility.recommendation, reason)};
}

std::string similar_note(const std::string& note, double share_without_similar) {
  if (share_without_similar == 0) return note;
  return fmt::format(
      "{}{}{:.2g} % of the published predictions have no similar rater and are the mean of the item", note,
      note.empty() ? "" : "; ", 100 * share_without_similar);
}

RecommendUtility unmeasured(std::size_t people, const RecommendSettings& settings) {
  const std::string note = sample_note(people, settings.most_people);
  return {.rating_prediction = {.name = "rating prediction", .measure = "RMSE", .note = note},
          .recommendation = {.name = "recommendation",
                             .measure = "mean average precision",
                             .lower_is_better = false,
                             .note = note}};
}

// One repetition.
struct Scores {
  RepetitionFigures rating = {}, ranking = {};
  double without_similar = 0;  // share
};

std::vector<double> flat(const Scores& scores) {
  std::vector<double> numbers = {scores.without_similar};
  const std::vector<double> rating = flat(scores.rating), ranking = flat(scores.ranking);
  numbers.push_back(static_cast<double>(rating.size()));
  numbers.insert(numbers.end(), rating.begin(), rating.end());
  numbers.insert(numbers.end(), ranking.begin(), ranking.end());
  return numbers;
}

Scores scores_from(std::span<const double> numbers) {
  const auto rating = static_cast<std::size_t>(numbers[1]);
  return {.rating = figures_from(numbers.subspan(2, rating)),
          .ranking = figures_from(numbers.subspan(2 + rating)),
          .without_similar = numbers[0]};
}

Scores scores_of(const AttackerView& release, const AttackerView& truth, const Repetition& repetition,
                 const HiddenEntries& hidden, const Progress& progress) {
  Score published = score_by_similarity(release, repetition, hidden, progress);
  Score unobscured = score_by_similarity(truth, repetition, hidden, progress);
  Score baseline = score_without_features(repetition, hidden);
  return {.rating = {.published = std::move(published.rmse),
                     .unobscured = std::move(unobscured.rmse),
                     .baseline = std::move(baseline.rmse)},
          .ranking = {.published = std::move(published.mean_precision),
                      .unobscured = std::move(unobscured.mean_precision),
                      .baseline = std::move(baseline.mean_precision)},
          .without_similar = published.share_without_similar};
}

// What all repetitions give.
struct Figures {
  std::size_t known_people = 0, tested_people = 0;
  std::vector<RepetitionFigures> rating = {}, ranking = {};
  double without_similar = 0;  // sum of shares

  void add(Scores scores) {
    rating.push_back(std::move(scores.rating));
    ranking.push_back(std::move(scores.ranking));
    without_similar += scores.without_similar;
  }
};

RecommendUtility summarised(RecommendUtility utility, const Figures& figures, const SparseRows& features) {
  UtilityResult& rating = utility.rating_prediction;
  UtilityResult& ranking = utility.recommendation;
  for (UtilityResult* result : {&rating, &ranking}) {
    result->known_people = figures.known_people;
    result->tested_people = figures.tested_people;
  }
  if (all_values_alike(features)) {
    rating = not_measurable(rating, "all values are alike");
  } else {
    rating = summarised(rating, figures.rating);
    rating.note =
        similar_note(rating.note, figures.without_similar / static_cast<double>(figures.rating.size()));
  }
  ranking = all_items_everywhere(features) ? not_measurable(ranking, "every person has every item")
                                           : summarised(ranking, figures.ranking);
  return utility;
}

}  // namespace

RecommendUtility recommend(const SparseRows& features, const PublicationOf& publication_of,
                           const RecommendSettings& settings, const Key& key, const Progress& progress) {
  validate(features, settings);
  RecommendUtility utility = unmeasured(features.size(), settings);
  const std::vector<std::uint32_t> items = items_of_anybody(features);
  const std::size_t hidden_items = items.size() - visible_of(items.size(), settings);
  if (hidden_items == 0 || hidden_items == items.size())
    return not_measurable(utility, "there are too few items to hide some of them");

  const std::vector<Publication> published = publications(features, publication_of, settings.repetitions);
  const std::vector<std::uint32_t> own = own_rows(features.size());
  const AttackerView truth{.rows = &features, .row_of_person = own};
  Figures figures;
  for (std::size_t r = 0; r < published.size(); ++r) {
    progress.report("recommending", static_cast<double>(r), settings.repetitions);
    const Repetition repetition = draw_repetition(features, items, settings, key, r);
    const HiddenEntries hidden(truth, repetition);
    if (!hidden.measurable())
      return not_measurable(utility, "in a split nobody known, or nobody tested, has a hidden item");
    const AttackerView release{.rows = &published[r].rows, .row_of_person = published[r].row_of_person};
    figures.add(scores_from(outcome_of(settings.kept, fmt::format("recommendation {}", r), [&] {
      return flat(scores_of(release, truth, repetition, hidden, progress));
    })));
    figures.known_people = repetition.split.known.size();
    figures.tested_people = repetition.split.tested.size();
  }
  progress.report("recommending", settings.repetitions, settings.repetitions);
  return summarised(utility, figures, features);
}

}  // namespace hyobscure::audit
