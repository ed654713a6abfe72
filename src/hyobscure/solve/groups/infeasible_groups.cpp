#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/first_groups.h"
#include "hyobscure/solve/groups/running_totals.h"

namespace hyobscure::solve {
namespace {

constexpr std::size_t kMostSuggestions = 6;
constexpr std::size_t kMostKept = 4;      // of them, with k and l as asked for, beside others
constexpr std::size_t kLongestFront = 3;  // pairs of upper limits suggested for one number of groups

bool exists(const RunningTotals& totals, const GroupLimits& limits, int groups) {
  std::vector<char> reached(static_cast<std::size_t>(totals.count()) + 1, 0);
  reached[0] = 1;
  for (int g = 0; g < groups; ++g) reached = one_more_group(totals, limits, reached);
  return reached.back() != 0;
}

// ---- The reason ----

std::string too_large_value(const OrderedValues& values, const GroupLimits& limits) {
  for (int y = 0; y < values.count(); ++y) {
    if (values.people(y) > limits.most_people)
      return fmt::format("the value {} alone has {:.10g} people, and a group may hold at most {:.10g}",
                         values.name(y), values.people(y), limits.most_people);
    if (values.distinct(y) > limits.most_values)
      return fmt::format("{:.10g} values were joined at {}, and a group may hold at most {:.10g}",
                         values.distinct(y), values.name(y), limits.most_values);
  }
  return {};
}

std::string arithmetic(const RunningTotals& totals, const GroupLimits& limits, int groups) {
  const double people = totals.people(0, totals.count());
  const double distinct = totals.distinct(0, totals.count());
  const auto hold = [groups](double most, double all, const char* what) {
    return fmt::format("{0} groups of at most {1:.10g} {4} hold at most {2:.10g} of {3:.10g} {4}", groups,
                       most, groups * most, all, what);
  };
  const auto need = [groups](double least, double all, const char* what) {
    return fmt::format("{0} groups of at least {1:.10g} {4} need {2:.10g} {4}, and there are {3:.10g}",
                       groups, least, groups * least, all, what);
  };
  if (groups * limits.most_people < people) return hold(limits.most_people, people, "people");
  if (groups * limits.most_values < distinct) return hold(limits.most_values, distinct, "values");
  if (groups * limits.least_people > people) return need(limits.least_people, people, "people");
  if (groups * limits.least_values > distinct) return need(limits.least_values, distinct, "values");
  if (groups > totals.count())
    return fmt::format("{} groups cannot be made of {} values", groups, totals.count());
  return {};
}

/// How far groups within the limits reach from the lowest value, whatever their number.
int furthest_end(const RunningTotals& totals, const GroupLimits& limits) {
  int furthest = 0;
  std::vector<char> reached(static_cast<std::size_t>(totals.count()) + 1, 0);
  reached[0] = 1;
  for (int end = 1; end <= totals.count(); ++end)
    for (int start = 0; start < end; ++start)
      if (reached[static_cast<std::size_t>(start)] != 0 && totals.allowed(limits, start, end)) {
        reached[static_cast<std::size_t>(end)] = 1;
        furthest = end;
      }
  return furthest;
}

OrderedValues mirrored(const OrderedValues& values) {
  const int n = values.count();
  return {.positions = -values.positions.reverse(),
          .people = values.people.reverse(),
          .distinct = values.distinct.reverse(),
          .joinable = {n, [&](int first, int end) { return values.joinable(n - end, n - first); }}};
}

std::string stuck(const OrderedValues& values, const RunningTotals& totals, const GroupLimits& limits) {
  const int n = values.count();
  const int upwards = std::min(furthest_end(totals, limits), n - 1);
  const int downwards = std::max(n - 1 - furthest_end(RunningTotals(mirrored(values)), limits), 0);
  const auto [low, high] = std::minmax(upwards, downwards);
  if (low == high)
    return fmt::format("every way to form groups gets stuck at the value {}", values.name(low));
  return fmt::format("every way to form groups gets stuck between the values {} and {}", values.name(low),
                     values.name(high));
}

std::string find_reason(const OrderedValues& values, const RunningTotals& totals, const GroupLimits& limits,
                        int groups) {
  if (exists(totals, limits, groups)) return {};
  if (auto text = too_large_value(values, limits); !text.empty()) return text;
  if (auto text = arithmetic(totals, limits, groups); !text.empty()) return text;
  const auto counts = feasible_counts(values, limits);
  if (counts.empty()) return stuck(values, totals, limits);
  return fmt::format("the values can be divided within these limits into {} groups, but not into {}",
                     fmt::join(counts, " or "), groups);
}

// ---- Suggestions ----

/// The smallest upper limit on people, not below the one asked for, that admits a grouping; infinity if none
/// does.
double least_most_people(const RunningTotals& totals, GroupLimits limits, int groups,
                         const std::vector<double>& sums) {
  const auto works = [&](double most) {
    limits.most_people = most;
    return exists(totals, limits, groups);
  };
  if (works(limits.most_people)) return limits.most_people;
  const auto found = std::partition_point(sums.begin(), sums.end(), [&](double sum) { return !works(sum); });
  return found == sums.end() ? std::numeric_limits<double>::infinity() : *found;
}

/// All sums of a run of values above the limit, increasing: where feasibility can change.
template <class Sum>
std::vector<double> sums_above(const RunningTotals& totals, double limit, const Sum& sum) {
  std::vector<double> sums;
  for (int first = 0; first < totals.count(); ++first)
    for (int end = first + 1; end <= totals.count(); ++end)
      if (sum(first, end) > limit) sums.push_back(sum(first, end));
  std::sort(sums.begin(), sums.end());
  sums.erase(std::unique(sums.begin(), sums.end()), sums.end());
  return sums;
}

/// Upper limits raised as little as possible: no other pair that works is smaller in both.
std::vector<Suggestion> raised_upper_limits(const RunningTotals& totals, const GroupLimits& limits,
                                            int groups) {
  const auto people =
      sums_above(totals, limits.most_people, [&](int first, int end) { return totals.people(first, end); });
  auto values =
      sums_above(totals, limits.most_values, [&](int first, int end) { return totals.distinct(first, end); });
  values.insert(values.begin(), limits.most_values);
  std::vector<Suggestion> front;
  for (const double most_values : values) {
    GroupLimits wider = limits;
    wider.most_values = most_values;
    wider.most_people = least_most_people(totals, wider, groups, people);
    if (std::isinf(wider.most_people) && !std::isinf(limits.most_people)) continue;
    if (!exists(totals, wider, groups)) continue;
    if (!front.empty() && wider.most_people >= front.back().limits.most_people) continue;
    front.push_back({groups, wider});
    if (wider.most_people <= limits.most_people || front.size() == kLongestFront) break;
  }
  return front;
}

/// The largest value of one lower limit, below the one asked for, that admits a grouping.
std::optional<Suggestion> lowered(const RunningTotals& totals, GroupLimits limits, int groups,
                                  double GroupLimits::* which) {
  double works = 1, fails = limits.*which;
  if (fails <= works) return std::nullopt;
  limits.*which = works;
  if (!exists(totals, limits, groups)) return std::nullopt;
  while (fails - works > 1) {
    limits.*which = std::floor((works + fails) / 2);
    (exists(totals, limits, groups) ? works : fails) = limits.*which;
  }
  limits.*which = works;
  return Suggestion{groups, limits};
}

/// How far a suggestion is from what was asked for; a different number of groups weighs double.
double change(const Suggestion& suggestion, const GroupLimits& limits, int groups) {
  const auto ratio = [](double a, double b) { return a == b ? 0.0 : std::abs(std::log(a / b)); };
  const auto& to = suggestion.limits;
  return 2 * ratio(suggestion.groups, groups) + ratio(to.most_people, limits.most_people) +
         ratio(to.most_values, limits.most_values) + ratio(to.least_people, limits.least_people) +
         ratio(to.least_values, limits.least_values);
}

/// What was asked for, and the order in which answers to it are shown.
struct Asked {
  const RunningTotals& totals;
  const GroupLimits& limits;
  int groups;

  bool closer(const Suggestion& a, const Suggestion& b) const {
    return change(a, limits, groups) < change(b, limits, groups);
  }
  void sort(std::vector<Suggestion>& list, std::size_t most) const {
    std::ranges::stable_sort(list, [&](const auto& a, const auto& b) { return closer(a, b); });
    if (list.size() > most) list.resize(most);
  }
};

/// These limits with so many groups, with the upper ones raised where they must be.
std::vector<Suggestion> raised(const RunningTotals& totals, const GroupLimits& limits, int groups) {
  if (exists(totals, limits, groups)) return {{groups, limits}};
  return raised_upper_limits(totals, limits, groups);
}

/// Settings that hide a person among as many others as was asked for.
std::vector<Suggestion> with_lower_limits_kept(const Asked& asked) {
  std::vector<Suggestion> found = raised(asked.totals, asked.limits, asked.groups);
  const int most = std::min(asked.totals.count(), asked.groups + 2);
  for (int other = most; other >= 1; --other) {
    if (other == asked.groups || (other < asked.groups - 1 && found.size() >= kMostKept)) continue;
    std::vector<Suggestion> list = raised(asked.totals, asked.limits, other);
    asked.sort(list, 1);
    found.insert(found.end(), list.begin(), list.end());
  }
  asked.sort(found, kMostSuggestions);
  return found;
}

/// Settings that ask for less, for those who must have this number of groups, or cannot have more people.
std::vector<Suggestion> with_a_lower_limit_lowered(const Asked& asked) {
  std::vector<Suggestion> found;
  for (int groups = std::min(asked.groups, asked.totals.count()); groups >= 1 && found.empty(); --groups)
    for (const auto which : {&GroupLimits::least_people, &GroupLimits::least_values})
      if (const auto suggestion = lowered(asked.totals, asked.limits, groups, which))
        found.push_back(*suggestion);
  asked.sort(found, kMostSuggestions - kMostKept);
  return found;
}

/// One kind of limit is not enough: the lower ones are given up, as little as works with one group.
std::vector<Suggestion> with_both_lower_limits_lowered(const Asked& asked) {
  const RunningTotals& totals = asked.totals;
  GroupLimits lower = asked.limits;
  lower.least_people = std::min(lower.least_people, totals.people(0, totals.count()));
  lower.least_values = std::min(lower.least_values, totals.distinct(0, totals.count()));
  std::vector<Suggestion> found = raised(totals, lower, 1);
  lower.least_people = std::min(1.0, lower.least_people);
  lower.least_values = std::min(1.0, lower.least_values);
  if (found.empty()) found = raised(totals, lower, std::min(asked.groups, totals.count()));
  asked.sort(found, kMostSuggestions);
  return found;
}

}  // namespace

Infeasibility explain_infeasible(const OrderedValues& values, const GroupLimits& limits, int groups) {
  validate(values);
  validate(limits);
  const RunningTotals totals(values);
  const Asked asked{totals, limits, groups};
  Infeasibility result{.reason = find_reason(values, totals, limits, groups),
                       .nearest = with_lower_limits_kept(asked)};
  const std::vector<Suggestion> lower = with_a_lower_limit_lowered(asked);
  if (!lower.empty() && result.nearest.size() > kMostKept) result.nearest.resize(kMostKept);
  result.nearest.insert(result.nearest.end(), lower.begin(), lower.end());
  if (result.nearest.empty()) result.nearest = with_both_lower_limits_lowered(asked);
  return result;
}

}  // namespace hyobscure::solve
