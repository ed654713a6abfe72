#include "hyobscure/obscure/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::obscure {
namespace {

bool is_whole(double x) { return std::floor(x) == x && std::abs(x) < 1e15; }

std::string number_text(double x) { return fmt::format("{}", x); }

std::string whole_label(const Cover& cover) {
  if (!cover.low && !cover.high) return "all";
  if (!cover.low) return number_text(*cover.high) + " or less";
  if (!cover.high) return number_text(*cover.low) + " or more";
  if (*cover.low == *cover.high) return number_text(*cover.low);
  return number_text(*cover.low) + (*cover.low < 0 ? " to " : "-") + number_text(*cover.high);
}

std::string real_label(const Cover& cover) {
  if (!cover.low && !cover.high) return "all";
  if (!cover.low) return "under " + number_text(*cover.high);
  if (!cover.high) return number_text(*cover.low) + " or more";
  return number_text(*cover.low) + (cover.high_included ? " to " : " to under ") + number_text(*cover.high);
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

std::vector<Group> label_ranges(std::span<const data::SecretValue> values, const solve::Partition& partition,
                                const std::optional<data::Interval>& keep) {
  const bool whole = std::ranges::all_of(
      values, [](const data::SecretValue& value) { return is_whole(value.low) && is_whole(value.high); });
  std::vector<Group> groups(static_cast<std::size_t>(partition.groups()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    groups[g].covers.resize(1);
    groups[g].members = partition.members(static_cast<int>(g));
    for (const int v : groups[g].members)
      groups[g].values += static_cast<std::int64_t>(values[static_cast<std::size_t>(v)].distinct);
  }
  if (keep) {
    groups.front().covers[0].low = whole ? std::ceil((*keep)[0]) : (*keep)[0];
    groups.back().covers[0].high = whole ? std::floor((*keep)[1]) : (*keep)[1];
  }
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    const double last = values[static_cast<std::size_t>(groups[g].members.back())].high;
    const double next = values[static_cast<std::size_t>(groups[g + 1].members.front())].low;
    const double cut = whole ? next : short_number_between(last, next);
    groups[g].covers[0].high = whole ? cut - 1 : cut;
    groups[g].covers[0].high_included = whole;
    groups[g + 1].covers[0].low = cut;
  }
  for (Group& group : groups) {
    Cover& cover = group.covers[0];
    group.label = cover.label = whole ? whole_label(cover) : real_label(cover);
  }
  return groups;
}

std::vector<Group> label_groups(const data::People& people, const solve::Partition& partition,
                                const data::Spec& spec) {
  std::vector<Group> groups = label_ranges(people.values, partition, spec.secret.keep);
  const std::vector<int> group_of_value = partition.group_of_values();
  for (const std::uint32_t secret : people.secrets)
    groups[static_cast<std::size_t>(group_of_value[secret])].people += 1;
  return groups;
}

}  // namespace hyobscure::obscure
