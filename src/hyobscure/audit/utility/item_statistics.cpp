#include "hyobscure/audit/utility/item_statistics.h"

#include <cmath>
#include <vector>

#include "hyobscure/audit/utility/utility_repetitions.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

struct Tally {
  std::vector<double> counts = {}, sums = {};  // of each item
  double entries = 0, sum = 0;

  double overall_mean() const { return entries > 0 ? sum / entries : 0; }
  double mean(std::size_t item) const {
    return counts[item] > 0 ? sums[item] / counts[item] : overall_mean();
  }
};

Tally tally(const AttackerView& view) {
  Tally result{.counts = std::vector<double>(view.rows->columns, 0),
               .sums = std::vector<double>(view.rows->columns, 0)};
  for (const std::uint32_t published : view.row_of_person) {
    const data::SparseRows::Row row = (*view.rows)[published];
    for (std::size_t e = 0; e < row.items.size(); ++e) {
      result.counts[row.items[e]] += 1;
      result.sums[row.items[e]] += row.values[e];
      result.sum += row.values[e];
    }
    result.entries += static_cast<double>(row.items.size());
  }
  return result;
}

// sum_i n_i |mean_of(i) - m_i| / sum_i n_i
template <class MeanOf>
double mean_error(const Tally& truth, const MeanOf& mean_of) {
  double error = 0;
  for (std::size_t i = 0; i < truth.counts.size(); ++i)
    if (truth.counts[i] > 0) error += truth.counts[i] * std::abs(mean_of(i) - truth.mean(i));
  return error / truth.entries;
}

// sum_i |count_of(i) - n_i| / sum_i n_i
template <class CountOf>
double count_error(const Tally& truth, const CountOf& count_of) {
  double error = 0;
  for (std::size_t i = 0; i < truth.counts.size(); ++i)
    if (truth.counts[i] > 0) error += std::abs(count_of(i) - truth.counts[i]);
  return error / truth.entries;
}

double mean_count(const Tally& truth) {
  std::size_t items = 0;
  for (const double count : truth.counts) items += count > 0 ? 1 : 0;
  return truth.entries / static_cast<double>(items);
}

}  // namespace

ItemStatistics item_statistics(const data::SparseRows& features, const PublicationOf& publication_of,
                               int repetitions, const Progress& progress) {
  check_utility(features, repetitions);
  UtilityResult means{
      .name = "item means", .measure = "mean absolute error", .tested_people = features.size()};
  UtilityResult popularity{
      .name = "item popularity", .measure = "relative error", .tested_people = features.size()};
  if (features.entries() == 0)
    return {.means = not_measurable(means, "nobody has an item"),
            .popularity = not_measurable(popularity, "nobody has an item")};

  const std::vector<Publication> published = publications(features, publication_of, repetitions);
  const std::vector<std::uint32_t> own = own_rows(features.size());
  const Tally truth = tally({.rows = &features, .row_of_person = own});
  std::vector<RepetitionFigures> of_means(published.size()), of_popularity(published.size());
  SharedProgress shared(progress, "counting items", published.size());
  parallel_blocks(published.size(), 1, [&](std::size_t r, std::size_t) {
    progress.throw_if_stopped();
    const Tally seen = tally({.rows = &published[r].rows, .row_of_person = published[r].row_of_person});
    of_means[r] = {
        .published = {.value = mean_error(truth, [&](std::size_t i) { return seen.mean(i); })},
        .unobscured = {.value = 0},
        .baseline = {.value = mean_error(truth, [&](std::size_t) { return truth.overall_mean(); })}};
    of_popularity[r] = {
        .published = {.value = count_error(truth, [&](std::size_t i) { return seen.counts[i]; })},
        .unobscured = {.value = 0},
        .baseline = {.value = count_error(truth, [&](std::size_t) { return mean_count(truth); })}};
    shared.one_done();
  });
  return {.means = all_values_alike(features) ? not_measurable(means, "all values are alike")
                                              : summarised(means, of_means),
          .popularity = all_items_everywhere(features)
                            ? not_measurable(popularity, "every person has every item")
                            : summarised(popularity, of_popularity)};
}

}  // namespace hyobscure::audit
