#include "hyobscure/audit/attack/concordance.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>

namespace hyobscure::audit {
namespace {

/// Counts of the numbers 0, 1, ... (Fenwick's tree).
class RunningCounts {
 public:
  explicit RunningCounts(std::size_t numbers) : sums_(numbers + 1, 0) {}

  void add(std::size_t number) {
    for (std::size_t n = number + 1; n < sums_.size(); n += n & (0 - n)) sums_[n] += 1;
  }
  double below(std::size_t number) const {
    double count = 0;
    for (std::size_t n = number; n > 0; n -= n & (0 - n)) count += sums_[n];
    return count;
  }

 private:
  std::vector<double> sums_;
};

/// Of each person, the people of a smaller rank who have a smaller score, equal scores as half.
std::vector<double> won_against_lower(std::span<const double> scores, std::span<const std::size_t> ranks,
                                      std::size_t numbers) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t u) { return scores[u]; });
  RunningCounts seen(numbers);
  std::vector<double> won(scores.size(), 0);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && scores[order[end]] == scores[order[begin]]) ++end;
    const auto tied = std::span(order).subspan(begin, end - begin);
    for (const std::size_t u : tied) won[u] += seen.below(ranks[u]) / 2;
    for (const std::size_t u : tied) seen.add(ranks[u]);
    for (const std::size_t u : tied) won[u] += seen.below(ranks[u]) / 2;
  }
  return won;
}

/// 0, 1, ... in the order of the truths.
std::vector<std::size_t> ranks_of(std::span<const std::uint32_t> truths) {
  std::vector<std::uint32_t> distinct(truths.begin(), truths.end());
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::vector<std::size_t> ranks;
  for (const std::uint32_t truth : truths)
    ranks.push_back(static_cast<std::size_t>(std::ranges::lower_bound(distinct, truth) - distinct.begin()));
  return ranks;
}

}  // namespace

TrialFigure concordance(std::span<const std::uint32_t> people, std::span<const double> scores,
                        std::span<const std::uint32_t> truths) {
  const std::size_t n = people.size();
  assert(n > 0 && scores.size() == n && truths.size() == n);
  std::vector<std::size_t> ranks = ranks_of(truths);
  const std::size_t numbers = *std::ranges::max_element(ranks) + 1;
  std::vector<double> people_of_rank(numbers, 0), pairs;
  for (const std::size_t rank : ranks) people_of_rank[rank] += 1;
  for (const std::size_t rank : ranks) pairs.push_back(static_cast<double>(n) - people_of_rank[rank]);

  std::vector<double> won = won_against_lower(scores, ranks, numbers);
  std::vector<double> turned(scores.begin(), scores.end());
  for (double& score : turned) score = -score;
  for (std::size_t& rank : ranks) rank = numbers - 1 - rank;
  const std::vector<double> against_higher = won_against_lower(turned, ranks, numbers);
  for (std::size_t u = 0; u < n; ++u) won[u] += against_higher[u];

  const double all = std::accumulate(pairs.begin(), pairs.end(), 0.0);  // each pair twice
  TrialFigure figure{.value = 0.5, .people = {people.begin(), people.end()}};
  if (all > 0) figure.value = std::accumulate(won.begin(), won.end(), 0.0) / all;
  for (std::size_t u = 0; u < n; ++u)
    figure.influences.push_back(all > 0 ? 2 * (won[u] - figure.value * pairs[u]) / all : 0);
  return figure;
}

}  // namespace hyobscure::audit
