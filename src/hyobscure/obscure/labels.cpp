#include "hyobscure/obscure/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::obscure {
namespace {

bool is_whole(double x) { return std::floor(x) == x && std::abs(x) < 1e15; }

std::string number_text(double x) { return fmt::format("{}", x); }

std::string whole_label(const Group& group) {
  if (!group.low && !group.high) return "all";
  if (!group.low) return number_text(*group.high) + " or less";
  if (!group.high) return number_text(*group.low) + " or more";
  if (*group.low == *group.high) return number_text(*group.low);
  return number_text(*group.low) + (*group.low < 0 ? " to " : "-") + number_text(*group.high);
}

std::string real_label(const Group& group) {
  if (!group.low && !group.high) return "all";
  if (!group.low) return "under " + number_text(*group.high);
  if (!group.high) return number_text(*group.low) + " or more";
  return number_text(*group.low) + (group.high_included ? " to " : " to under ") + number_text(*group.high);
}

}  // namespace

double short_number_between(double low, double high) {
  for (int digits = -15; digits <= 17; ++digits) {
    const double scale = std::pow(10.0, digits);
    const double candidate =
        (std::floor(low * scale) + 1) / scale;  // the next multiple of 10^-digits above low
    if (candidate > low && candidate < high) return candidate;
  }
  return high;
}

std::vector<Group> label_groups(std::span<const data::SecretValue> values, std::span<const int> starts,
                                const std::optional<data::Interval>& keep) {
  const bool whole = std::ranges::all_of(
      values, [](const data::SecretValue& value) { return is_whole(value.low) && is_whole(value.high); });
  std::vector<Group> groups(starts.size() - 1);
  if (keep) {
    groups.front().low = whole ? std::ceil((*keep)[0]) : (*keep)[0];
    groups.back().high = whole ? std::floor((*keep)[1]) : (*keep)[1];
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Group& group = groups[g];
    group.first_value = starts[g];
    for (int v = starts[g]; v < starts[g + 1]; ++v)
      group.values += static_cast<std::int64_t>(values[static_cast<std::size_t>(v)].distinct);
    if (g + 1 == groups.size()) break;
    const double last = values[static_cast<std::size_t>(starts[g + 1] - 1)].high;
    const double next = values[static_cast<std::size_t>(starts[g + 1])].low;
    const double cut = whole ? next : short_number_between(last, next);
    group.high = whole ? cut - 1 : cut;
    group.high_included = whole;
    groups[g + 1].low = cut;
  }
  for (Group& group : groups) group.label = whole ? whole_label(group) : real_label(group);
  return groups;
}

}  // namespace hyobscure::obscure
