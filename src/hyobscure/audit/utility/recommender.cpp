#include "hyobscure/audit/utility/recommender.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "hyobscure/audit/utility/ranking.h"
#include "hyobscure/audit/utility/utility_repetitions.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using data::SparseRows;

constexpr std::size_t kPeopleOfABlock = 16;  // some 5 ms with 10,000 people

SparseRows entries_of(const AttackerView& view, std::span<const std::uint32_t> people,
                      const ItemChoice& choice) {
  SparseRows chosen;
  chosen.columns = choice.count;
  for (const std::uint32_t person : people) {
    const SparseRows::Row row = (*view.rows)[view.row_of_person[person]];
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
    const auto values = rows.values.writable().subspan(rows.starts[r], rows.starts[r + 1] - rows.starts[r]);
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
  const auto row_of_entry = index.items.writable();
  const auto values = index.values.writable();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t e = rows.starts[r]; e < rows.starts[r + 1]; ++e) {
      const std::size_t place = next[rows.items[e]]++;
      row_of_entry[place] = static_cast<std::uint32_t>(r);
      values[place] = rows.values[e];
    }
  }
  return index;
}

double mean_of(std::span<const double> values, double if_empty) {
  return values.empty()
             ? if_empty
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

struct PersonScore {
  double squared_error = 0;
  double precision = 0;  // of a person with at least one hidden item
  std::size_t without_similar = 0;
};

// In the order of people, so that no number of threads changes a bit.
Score summed(const std::vector<PersonScore>& scores, const Repetition& repetition, const SparseRows& tested) {
  std::vector<std::uint32_t> people;
  std::vector<double> squared, entries, precision;
  std::size_t without_similar = 0;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    if (tested[t].items.empty()) continue;
    people.push_back(repetition.split.tested[t]);
    squared.push_back(scores[t].squared_error);
    entries.push_back(static_cast<double>(tested[t].items.size()));
    precision.push_back(scores[t].precision);
    without_similar += scores[t].without_similar;
  }
  return {
      .rmse = root_mean_square(people, squared, entries),
      .mean_precision = mean_figure(people, precision),
      .share_without_similar = static_cast<double>(without_similar) / static_cast<double>(tested.entries())};
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

}  // namespace

HiddenEntries::HiddenEntries(const AttackerView& truth, const Repetition& repetition)
    : tested(entries_of(truth, repetition.split.tested, repetition.hidden)),
      known_by_item(by_item(entries_of(truth, repetition.split.known, repetition.hidden))) {
  const double overall = mean_of(known_by_item.values, 0);
  for (std::size_t i = 0; i < known_by_item.size(); ++i) {
    mean.push_back(mean_of(known_by_item[i].values, overall));
    raters.push_back(static_cast<double>(known_by_item[i].items.size()));
  }
}

Score score_by_similarity(const AttackerView& view, const Repetition& repetition, const HiddenEntries& hidden,
                          const Progress& progress) {
  const SparseRows known_by_item =
      by_item(scaled_to_length_one(entries_of(view, repetition.split.known, repetition.visible)));
  const SparseRows tested =
      scaled_to_length_one(entries_of(view, repetition.split.tested, repetition.visible));
  std::vector<PersonScore> people(tested.size());
  parallel_blocks(tested.size(), kPeopleOfABlock, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    std::vector<double> similarity(known_by_item.columns);
    for (std::size_t t = begin; t < end; ++t) {
      similarities(tested[t], known_by_item, similarity);
      people[t] = score_of_person(hidden, t, similarity);
    }
  });
  return summed(people, repetition, hidden.tested);
}

Score score_without_features(const Repetition& repetition, const HiddenEntries& hidden) {
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
  return summed(people, repetition, hidden.tested);
}

}  // namespace hyobscure::audit
