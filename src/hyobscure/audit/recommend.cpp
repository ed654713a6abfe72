#include "hyobscure/audit/recommend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "hyobscure/audit/ranking.h"
#include "hyobscure/audit/utility_repetitions.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using data::SparseRows;

constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kPeopleOfABlock = 16;  // tens of milliseconds with 10,000 people

// Some of the items, numbered anew in the same order.
struct ItemChoice {
  std::vector<std::uint32_t> number_of_item = {};  // or kLeftOut
  std::size_t count = 0;
};

struct Repetition {
  Split split;
  ItemChoice visible, hidden;
};

SparseRows entries_of(const Sight& sight, std::span<const std::uint32_t> people, const ItemChoice& choice) {
  SparseRows chosen;
  chosen.columns = choice.count;
  for (const std::uint32_t person : people) {
    const SparseRows::Row row = (*sight.rows)[sight.row_of_person[person]];
    for (std::size_t e = 0; e < row.items.size(); ++e) {
      const std::uint32_t number = choice.number_of_item[row.items[e]];
      if (number == kLeftOut) continue;
      chosen.items.push_back(number);
      chosen.values.push_back(row.values[e]);
    }
    chosen.end_row();
  }
  return chosen;
}

// Rows of length 1, so that products are cosines; an empty row is like nobody.
SparseRows scaled_to_length_one(SparseRows rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::span<double> values(rows.values.data() + rows.starts[r], rows.starts[r + 1] - rows.starts[r]);
    double largest = 0, squares = 0;
    for (const double x : values) largest = std::max(largest, std::abs(x));
    if (largest == 0) continue;
    for (double& x : values) {
      x /= largest;  // squares of very large or small entries would be lost
      squares += x * x;
    }
    for (double& x : values) x /= std::sqrt(squares);
  }
  return rows;
}

// Row i: the rows that have item i.
SparseRows by_item(const SparseRows& rows) {
  SparseRows index;
  index.columns = rows.size();
  index.starts.assign(rows.columns + 1, 0);
  index.items.resize(rows.entries());
  index.values.resize(rows.entries());
  for (const std::uint32_t item : rows.items) ++index.starts[item + 1];
  std::partial_sum(index.starts.begin(), index.starts.end(), index.starts.begin());
  std::vector<std::size_t> next(index.starts.begin(), index.starts.end() - 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e) {
      const std::size_t place = next[rows.items[e]]++;
      index.items[place] = static_cast<std::uint32_t>(r);
      index.values[place] = rows.values[e];
    }
  }
  return index;
}

double mean_of(std::span<const double> values, double if_empty) {
  return values.empty()
             ? if_empty
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What is to be predicted, and from what; the same for published and true rows.
struct HiddenEntries {
  HiddenEntries(const Sight& truth, const Repetition& repetition)
      : tested(entries_of(truth, repetition.split.tested, repetition.hidden)),
        known_by_item(by_item(entries_of(truth, repetition.split.known, repetition.hidden))) {
    const double overall = mean_of(known_by_item.values, 0);
    for (std::size_t i = 0; i < known_by_item.size(); ++i) {
      mean.push_back(mean_of(known_by_item[i].values, overall));
      raters.push_back(static_cast<double>(known_by_item[i].items.size()));
    }
  }

  bool measurable() const { return tested.entries() > 0 && known_by_item.entries() > 0; }

  SparseRows tested;         // people x hidden items
  SparseRows known_by_item;  // hidden items x people
  std::vector<double> mean, raters;
};

struct PersonScore {
  double squared_error = 0;
  double precision = 0;  // of a person with at least one hidden item
  std::size_t without_similar = 0;
};

// Sums in the order of people, so that no number of threads changes a bit.
struct Score {
  double rmse, mean_precision, share_without_similar;
};

Score summed(const std::vector<PersonScore>& people, const SparseRows& tested) {
  CompensatedSum squared, precision;
  std::size_t with_items = 0, without_similar = 0;
  for (std::size_t t = 0; t < people.size(); ++t) {
    if (tested[t].items.empty()) continue;
    squared.add(people[t].squared_error);
    precision.add(people[t].precision);
    without_similar += people[t].without_similar;
    with_items += 1;
  }
  const auto entries = static_cast<double>(tested.entries());
  return {.rmse = std::sqrt(squared.value() / entries),
          .mean_precision = precision.value() / static_cast<double>(with_items),
          .share_without_similar = static_cast<double>(without_similar) / entries};
}

double precision_of(SparseRows::Row has, std::span<const double> score_of_item) {
  std::vector<char> relevant(score_of_item.size(), 0);
  for (const std::uint32_t item : has.items) relevant[item] = 1;
  return average_precision(score_of_item, relevant);
}

PersonScore score_of_person(const HiddenEntries& hidden, std::size_t person,
                            std::span<const double> similarity) {
  const SparseRows::Row has = hidden.tested[person];
  if (has.items.empty()) return {};
  std::vector<double> summed_similarity;
  for (std::size_t i = 0; i < hidden.known_by_item.size(); ++i) {
    double sum = 0;
    for (const std::uint32_t k : hidden.known_by_item[i].items) sum += similarity[k];
    summed_similarity.push_back(sum);
  }
  PersonScore score{.precision = precision_of(has, summed_similarity)};
  for (std::size_t e = 0; e < has.items.size(); ++e) {
    const std::uint32_t item = has.items[e];
    double predicted = hidden.mean[item];
    if (summed_similarity[item] > 0) {
      const SparseRows::Row raters = hidden.known_by_item[item];
      double sum = 0;
      for (std::size_t n = 0; n < raters.items.size(); ++n)
        sum += similarity[raters.items[n]] * raters.values[n];
      predicted = sum / summed_similarity[item];
    } else {
      score.without_similar += 1;
    }
    score.squared_error += (predicted - has.values[e]) * (predicted - has.values[e]);
  }
  return score;
}

void similarities(SparseRows::Row row, const SparseRows& known_by_item, std::vector<double>& similarity) {
  std::fill(similarity.begin(), similarity.end(), 0);
  for (std::size_t e = 0; e < row.items.size(); ++e) {
    const SparseRows::Row known = known_by_item[row.items[e]];
    for (std::size_t n = 0; n < known.items.size(); ++n)
      similarity[known.items[n]] += row.values[e] * known.values[n];
  }
  for (double& s : similarity) s = std::max(s, 0.0);
}

// One row of similarities a thread at a time: never people x people in memory.
Score score_by_similarity(const Sight& sight, const Repetition& repetition, const HiddenEntries& hidden,
                          const Progress& progress) {
  const SparseRows known_by_item =
      by_item(scaled_to_length_one(entries_of(sight, repetition.split.known, repetition.visible)));
  const SparseRows tested =
      scaled_to_length_one(entries_of(sight, repetition.split.tested, repetition.visible));
  std::vector<PersonScore> people(tested.size());
  parallel_blocks(tested.size(), kPeopleOfABlock, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    std::vector<double> similarity(known_by_item.columns);
    for (std::size_t t = begin; t < end; ++t) {
      similarities(tested[t], known_by_item, similarity);
      people[t] = score_of_person(hidden, t, similarity);
    }
  });
  return summed(people, hidden.tested);
}

Score score_without_features(const HiddenEntries& hidden) {
  std::vector<PersonScore> people(hidden.tested.size());
  for (std::size_t t = 0; t < people.size(); ++t) {
    const SparseRows::Row has = hidden.tested[t];
    if (has.items.empty()) continue;
    people[t].precision = precision_of(has, hidden.raters);
    for (std::size_t e = 0; e < has.items.size(); ++e) {
      const double error = hidden.mean[has.items[e]] - has.values[e];
      people[t].squared_error += error * error;
    }
  }
  return summed(people, hidden.tested);
}

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

Split split_people(std::size_t people, const RecommendSettings& settings, const Key& key, int repetition) {
  const Key split_key = key.derive(fmt::format("split {}", repetition));
  if (people <= settings.most_people) return split_by_share(people, settings.known_share, split_key);
  const double share = static_cast<double>(settings.most_people) / static_cast<double>(people);
  const std::vector<std::uint32_t> drawn =
      split_by_share(people, share, key.derive(fmt::format("people {}", repetition))).known;
  Split split = split_by_share(drawn.size(), settings.known_share, split_key);
  for (std::vector<std::uint32_t>* side : {&split.known, &split.tested})
    for (std::uint32_t& person : *side) person = drawn[person];
  return split;
}

void validate(const SparseRows& features, const RecommendSettings& settings) {
  check_utility(features, settings.repetitions);
  const auto require = [](bool fits, const char* name, const char* range) {
    if (!fits) throw InputError({.source = name}, "the setting is out of range", range);
  };
  require(settings.hidden_share > 0 && settings.hidden_share < 1, "hidden_share",
          "Take a share above 0, below 1.");
  require(settings.most_people >= kFewestPeople, "most_people", "Take at least 20.");
  check_known_share(settings.known_share, std::min(features.size(), settings.most_people));
}

RecommendUtility not_measurable(const RecommendUtility& utility, const char* reason) {
  return {.rating_prediction = not_measurable(utility.rating_prediction, reason),
          .recommendation = not_measurable(utility.recommendation, reason)};
}

std::string sample_note(std::size_t people, std::size_t most_people) {
  return people <= most_people
             ? ""
             : fmt::format("of {} people, {} are drawn anew in each repetition", people, most_people);
}

std::string similar_note(const std::string& note, double share_without_similar) {
  if (share_without_similar == 0) return note;
  return fmt::format(
      "{}{}{:.2g} % of the published predictions have no similar rater and are the mean of the item", note,
      note.empty() ? "" : "; ", 100 * share_without_similar);
}

// What all repetitions give.
struct Figures {
  std::vector<RepetitionFigures> rating, ranking;
  double without_similar = 0;  // sum of shares

  void add(const Score& published, const Score& unobscured, const Score& baseline) {
    rating.push_back({.published = published.rmse, .unobscured = unobscured.rmse, .baseline = baseline.rmse});
    ranking.push_back({.published = published.mean_precision,
                       .unobscured = unobscured.mean_precision,
                       .baseline = baseline.mean_precision});
    without_similar += published.share_without_similar;
  }
};

RecommendUtility summarised(RecommendUtility utility, const Figures& figures, const SparseRows& features) {
  UtilityResult& rating = utility.rating_prediction;
  UtilityResult& ranking = utility.recommendation;
  const double tested_per_known =
      static_cast<double>(rating.tested_people) / static_cast<double>(rating.known_people);
  if (all_values_alike(features)) {
    rating = not_measurable(rating, "all values are alike");
  } else {
    rating = summarised(rating, figures.rating, tested_per_known);
    rating.note =
        similar_note(rating.note, figures.without_similar / static_cast<double>(figures.rating.size()));
  }
  ranking = all_items_everywhere(features) ? not_measurable(ranking, "every person has every item")
                                           : summarised(ranking, figures.ranking, tested_per_known);
  return utility;
}

}  // namespace

RecommendUtility recommend(const SparseRows& features, const PublicationOf& publication_of,
                           const RecommendSettings& settings, const Key& key, const Progress& progress) {
  validate(features, settings);
  const std::string note = sample_note(features.size(), settings.most_people);
  RecommendUtility utility{
      .rating_prediction = {.name = "rating prediction", .measure = "RMSE", .note = note},
      .recommendation = {.name = "recommendation",
                         .measure = "mean average precision",
                         .lower_is_better = false,
                         .note = note}};
  const std::vector<std::uint32_t> items = items_of_anybody(features);
  const double visible_share = 1 - settings.hidden_share;
  const auto visible =
      static_cast<std::size_t>(std::lround(visible_share * static_cast<double>(items.size())));
  if (visible == 0 || visible == items.size())
    return not_measurable(utility, "there are too few items to hide some of them");

  const std::vector<Publication> published = publications(features, publication_of, settings.repetitions);
  const std::vector<std::uint32_t> own = own_rows(features.size());
  const Sight truth{.rows = &features, .row_of_person = own};
  Figures figures;
  for (int r = 0; r < settings.repetitions; ++r) {
    progress.report("recommending", r, settings.repetitions);
    const Publication& publication = published[static_cast<std::size_t>(r)];
    const Split parts = split_by_share(items.size(), visible_share, key.derive(fmt::format("items {}", r)));
    const Repetition repetition{.split = split_people(features.size(), settings, key, r),
                                .visible = choice_of(items, parts.known, features.columns),
                                .hidden = choice_of(items, parts.tested, features.columns)};
    const HiddenEntries hidden(truth, repetition);
    if (!hidden.measurable())
      return not_measurable(utility, "in a split nobody known, or nobody tested, has a hidden item");
    const Sight release{.rows = &publication.rows, .row_of_person = publication.row_of_person};
    figures.add(score_by_similarity(release, repetition, hidden, progress),
                score_by_similarity(truth, repetition, hidden, progress), score_without_features(hidden));
    for (UtilityResult* result : {&utility.rating_prediction, &utility.recommendation}) {
      result->known_people = repetition.split.known.size();
      result->tested_people = repetition.split.tested.size();
    }
  }
  progress.report("recommending", settings.repetitions, settings.repetitions);
  return summarised(utility, figures, features);
}

}  // namespace hyobscure::audit
