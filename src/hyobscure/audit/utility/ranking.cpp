#include "hyobscure/audit/utility/ranking.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <numeric>
#include <vector>

namespace hyobscure::audit {
namespace {

// Calls visit(count, marked) for each stretch of equal scores, from the largest score down.
template <class Visit>
void for_each_tie(std::span<const double> scores, std::span<const char> marked, const Visit& visit) {
  assert(scores.size() == marked.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::size_t count = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      count += marked[order[end]] != 0 ? 1 : 0;
    visit(end - begin, count);
  }
}

}  // namespace

double average_precision(std::span<const double> scores, std::span<const char> relevant) {
  std::size_t items_before = 0, relevant_before = 0;
  double sum = 0;
  for_each_tie(scores, relevant, [&](std::size_t items, std::size_t among) {
    // Place j of n equals holds one of its r relevant ones with odds r/n; if it does, the j-1 places before
    // hold (j-1)(r-1)/(n-1) others on average.
    const auto n = static_cast<double>(items), r = static_cast<double>(among);
    const double others = items > 1 ? (r - 1) / (n - 1) : 0;
    for (std::size_t j = 0; among > 0 && j < items; ++j)
      sum += r / n * (static_cast<double>(relevant_before) + 1 + static_cast<double>(j) * others) /
             static_cast<double>(items_before + j + 1);
    items_before += items;
    relevant_before += among;
  });
  assert(relevant_before > 0);
  return sum / static_cast<double>(relevant_before);
}

double area_under_curve(std::span<const double> scores, std::span<const char> positive) {
  std::uint64_t positives = 0, negatives = 0, twice_won = 0;
  for_each_tie(scores, positive, [&](std::size_t count, std::size_t among) {
    const std::uint64_t losers = count - among;
    twice_won += losers * (2 * positives + among);  // positives above win, equal ones half
    positives += among;
    negatives += losers;
  });
  assert(positives > 0 && negatives > 0);
  return static_cast<double>(twice_won) /
         (2 * static_cast<double>(positives) * static_cast<double>(negatives));
}

std::vector<double> shares_of_won_pairs(std::span<const double> scores, std::span<const char> positive) {
  std::vector<double> of_kind[2];  // scores of negatives, of positives; ascending
  for (std::size_t n = 0; n < scores.size(); ++n) of_kind[positive[n] != 0 ? 1 : 0].push_back(scores[n]);
  for (std::vector<double>& kind : of_kind) std::sort(kind.begin(), kind.end());
  std::vector<double> shares;
  for (std::size_t n = 0; n < scores.size(); ++n) {
    const bool is_positive = positive[n] != 0;
    const std::vector<double>& others = of_kind[is_positive ? 0 : 1];
    const auto [first, last] = std::equal_range(others.begin(), others.end(), scores[n]);
    const auto below = static_cast<double>(first - others.begin()), equal = static_cast<double>(last - first),
               all = static_cast<double>(others.size());
    shares.push_back(((is_positive ? below : all - below - equal) + equal / 2) / all);
  }
  return shares;
}

}  // namespace hyobscure::audit
