#include "hyobscure/obscure/groups/suggestion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hyobscure/obscure/groups/group_extremes.h"
#include "hyobscure/obscure/groups/terms.h"

namespace hyobscure::obscure {
namespace {

/// Shares of the most that a limit could ask for, in the order in which they are tried.
constexpr std::array kShares = {2.0 / 3, 0.5, 1.0 / 3, 0.2, 0.1};

/// More groups say more: with few values each must still stand for some of them.
int most_groups(double distinct, double people) {
  const int by_values = distinct < 4 ? 1 : distinct < 9 ? 2 : distinct < 16 ? 3 : 4;
  return std::clamp(static_cast<int>(people / 20), 1, by_values);
}

/// To two digits, which a reader remembers.
double rounded_down(double number) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(number, 1.0))) - 1));
  return std::floor(number / unit) * unit;
}

double rounded_up(double number, double most) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(number, 1.0))) - 1));
  return std::min(most, std::ceil(number / unit) * unit);
}

solve::GroupLimits limits_at(double share, const GroupExtremes& extremes, double people, double distinct) {
  return {.least_people = std::max(2.0, rounded_down(share * extremes.largest_k)),
          .most_people = rounded_up(extremes.smallest_alpha / share, people),
          .least_values = std::max(std::min(2.0, distinct), rounded_down(share * extremes.largest_l)),
          .most_values = rounded_up(extremes.smallest_beta / share, distinct)};
}

}  // namespace

std::optional<SuggestedTerms> suggest_terms(const Population& population) {
  const auto layout = layout_of(population, true);
  const std::vector<solve::OrderedValues> rows = layout->rows();
  const double people = rows[0].people.sum(), distinct = rows[0].distinct.sum();
  RandomStream random(Key::from_seed(0).derive("suggested groups"));
  for (int count = most_groups(distinct, people); count >= 1; --count) {
    const GroupExtremes extremes = group_extremes(rows, count);
    for (const double share : kShares) {
      const solve::GroupLimits limits = limits_at(share, extremes, people, distinct);
      if (limits.least_people > limits.most_people || limits.least_values > limits.most_values) continue;
      if (layout->first_groups(limits, count, false, random)) return SuggestedTerms{count, limits};
    }
  }
  return std::nullopt;
}

}  // namespace hyobscure::obscure
