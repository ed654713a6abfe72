#include "hyobscure/verify/verify_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "hyobscure/verify/group_index.h"

namespace hyobscure::verify {
namespace {

using data::AxisKind;
using data::Coordinate;
using published::Cover;
using published::Group;

/// Exact secrets as the manifest lists them: a coordinate an axis.
using Secrets = std::vector<std::vector<Coordinate>>;

// --- labels and ranges

/// Where the range of `next` does not lie wholly above that of `cover`.
bool overlaps(const Cover& cover, const Cover& next) {
  if (!cover.high || !next.low) return true;
  return cover.high_included ? *next.low <= *cover.high : *next.low < *cover.high;
}

void check_each_group(const published::Manifest& manifest, std::vector<std::string>& wrong) {
  std::set<std::string> labels;
  for (const Group& group : manifest.groups) {
    if (!labels.insert(group.label).second || group.label.empty())
      wrong.push_back("a label is empty or occurs twice");
    for (const Cover& cover : group.covers)
      if (cover.low && cover.high && *cover.low > *cover.high)
        wrong.push_back(group.label + " ends before it begins");
  }
}

void check_group_ranges(const published::Manifest& manifest, Findings& findings) {
  std::vector<std::string> wrong;
  check_each_group(manifest, wrong);
  for (std::size_t g = 1; g < manifest.groups.size(); ++g)
    if (overlaps(manifest.groups[g - 1].covers[0], manifest.groups[g].covers[0]))
      wrong.push_back(fmt::format("{} and {} overlap or are not in order", manifest.groups[g - 1].label,
                                  manifest.groups[g].label));
  findings.add(rule("groups-in-order"), wrong, fmt::format("{} groups", manifest.groups.size()));
}

// --- secrets that are listed one by one

template <class T>
std::optional<T> parsed(std::string_view text) {
  T result = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return result;
}

/// Nothing where the text is none of a coordinate, or not as publish writes it.
std::optional<Coordinate> coordinate_of(const std::string& text, AxisKind kind) {
  Coordinate result;
  if (kind == AxisKind::Categorical) {
    result.name = text;
  } else if (kind == AxisKind::Ordered) {
    const auto number = parsed<double>(text);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    result.number = *number;
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    const auto row = parsed<std::int32_t>(std::string_view(text).substr(0, colon));
    const auto column = parsed<std::int32_t>(std::string_view(text).substr(std::min(colon + 1, text.size())));
    if (!row || !column) return std::nullopt;
    result.cell = {*row, *column};
  }
  return published::text_of(result, kind) == text ? std::optional(result) : std::nullopt;
}

std::optional<std::vector<Coordinate>> combination_of(const std::vector<std::string>& texts,
                                                      const std::vector<AxisKind>& kinds) {
  std::vector<Coordinate> secret;
  for (std::size_t axis = 0; axis < kinds.size(); ++axis) {
    const auto coordinate = coordinate_of(texts[axis], kinds[axis]);
    if (!coordinate) return std::nullopt;
    secret.push_back(*coordinate);
  }
  return secret;
}

/// Whether the groups list their secrets: places, names, or combinations of several.
bool are_listed(const published::Manifest& manifest) {
  if (!manifest.has_several_secrets()) return manifest.kinds[0] != AxisKind::Ordered;
  return std::ranges::any_of(manifest.groups, [](const Group& group) { return !group.combinations.empty(); });
}

/// Combinations that cannot be read are left out: they are fewer than declared.
Secrets listed_secrets(const published::Manifest& manifest, const Group& group) {
  Secrets secrets;
  for (const auto& texts : group.combinations)
    if (auto secret = combination_of(texts, manifest.kinds)) secrets.push_back(std::move(*secret));
  if (manifest.has_several_secrets()) return secrets;
  for (const data::GridCell& cell : group.covers[0].cells) secrets.push_back({{.cell = cell}});
  for (const std::string& name : group.covers[0].names) secrets.push_back({{.name = name}});
  return secrets;
}

/// Every secret is listed once, where covers() finds it.
void check_lists(const published::Manifest& manifest, std::vector<std::string>& wrong) {
  std::map<std::vector<Coordinate>, std::size_t> group_of_secret;
  std::set<std::pair<std::size_t, std::size_t>> overlapping;
  for (std::size_t g = 0; g < manifest.groups.size(); ++g) {
    const Group& group = manifest.groups[g];
    bool within = true, once = true;
    for (const auto& secret : listed_secrets(manifest, group)) {
      for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis)
        within = within && covers(group.covers[axis], secret[axis], manifest.kinds[axis]);
      within = within && covers(group, secret, manifest.kinds);
      const auto [found, is_new] = group_of_secret.emplace(secret, g);
      if (!is_new && found->second == g) once = false;
      if (!is_new && found->second != g) overlapping.insert({found->second, g});
    }
    if (!within) wrong.push_back(group.label + " lists secrets out of order, or that it does not cover");
    if (!once) wrong.push_back(group.label + " lists a secret twice");
  }
  for (const auto& [a, b] : overlapping)
    wrong.push_back(fmt::format("{} and {} overlap", manifest.groups[a].label, manifest.groups[b].label));
}

// --- boxes of several secrets

bool are_apart(const Cover& a, const Cover& b, AxisKind kind) {
  if (kind == AxisKind::Ordered) return !overlaps(a, b) || !overlaps(b, a);
  return std::ranges::none_of(a.cells,
                              [&](const auto& cell) { return covers(b, Coordinate{.cell = cell}, kind); }) &&
         std::ranges::none_of(a.names,
                              [&](const auto& name) { return covers(b, Coordinate{.name = name}, kind); });
}

bool are_apart(const published::Manifest& manifest, const Group& one, const Group& other) {
  for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis)
    if (are_apart(one.covers[axis], other.covers[axis], manifest.kinds[axis])) return true;
  return false;
}

void check_boxes(const published::Manifest& manifest, const Progress& progress,
                 std::vector<std::string>& wrong) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> overlapping;
  const GroupIndex index(manifest);
  for (const auto& list : index.lists()) {
    progress.throw_if_stopped();
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = i + 1; j < list.size(); ++j)
        if (!are_apart(manifest, manifest.groups[list[i]], manifest.groups[list[j]]))
          overlapping.insert(std::minmax(list[i], list[j]));
  }
  for (const auto& [a, b] : overlapping)
    wrong.push_back(fmt::format("{} and {} overlap", manifest.groups[a].label, manifest.groups[b].label));
  for (const Group& group : manifest.groups)
    for (const Cover& cover : group.covers)
      if (!std::ranges::is_sorted(cover.cells)) wrong.push_back(group.label + " lists cells out of order");
}

void check_overlap(const published::Manifest& manifest, const Progress& progress, Findings& findings) {
  std::vector<std::string> wrong;
  check_each_group(manifest, wrong);
  if (are_listed(manifest))
    check_lists(manifest, wrong);
  else
    check_boxes(manifest, progress, wrong);
  findings.add(rule("groups-apart"), wrong, fmt::format("{} groups", manifest.groups.size()));
}

// --- connected areas

template <class T>
void sort_and_unite(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The listed secrets of all groups as points of a space of their own.
data::SecretSpace published_space(const published::Manifest& manifest, const Secrets& all) {
  data::SecretSpace space;
  for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis) {
    std::vector<Coordinate> values;
    for (const auto& secret : all) values.push_back(secret[axis]);
    sort_and_unite(values);
    space.axes.push_back({.column = "", .kind = manifest.kinds[axis], .values = std::move(values)});
  }
  for (const auto& secret : all) {
    data::SecretSpace::Point point;
    for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis)
      point.push_back(static_cast<std::uint32_t>(
          std::ranges::lower_bound(space.axes[axis].values, secret[axis]) - space.axes[axis].values.begin()));
    space.value_of_point.push_back(static_cast<std::uint32_t>(space.points.size()));
    space.points.push_back(std::move(point));
  }
  return space;
}

/// Categories alone have no neighbourhood; of boxes the manifest does not tell which points are in them.
void check_connected(const published::Manifest& manifest, Findings& findings) {
  if (manifest.has_one(AxisKind::Categorical) || !are_listed(manifest)) return;
  Secrets all;
  for (const Group& group : manifest.groups)
    for (auto& secret : listed_secrets(manifest, group)) all.push_back(std::move(secret));
  sort_and_unite(all);
  const auto neighbours = neighbours_of_points(published_space(manifest, all));
  std::vector<std::string> wrong;
  for (const Group& group : manifest.groups) {
    std::vector<std::uint32_t> points;
    for (const auto& secret : listed_secrets(manifest, group))
      points.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(all, secret) - all.begin()));
    sort_and_unite(points);
    if (!data::connected(neighbours, points)) wrong.push_back(group.label + " is in pieces");
  }
  findings.add(rule("groups-connected"), wrong, fmt::format("{} neighbouring secrets", all.size()));
}

// --- numbers of values

/// How many whole numbers the range holds; absent where it is open.
std::optional<double> whole_numbers_in(const Cover& cover) {
  if (!cover.low || !cover.high) return std::nullopt;
  const double last = cover.high_included ? std::floor(*cover.high) : std::ceil(*cover.high) - 1;
  return last - std::ceil(*cover.low) + 1;
}

/// The manifest of numbers does not say how many values a group has (the original tells); its range shows how
/// many there can be.
void check_room_of_ranges(const published::Manifest& manifest, Findings& findings) {
  std::vector<std::string> narrow;
  for (const Group& group : manifest.groups) {
    const auto room = whole_numbers_in(group.covers[0]);
    if (manifest.whole_numbers && room && *room < manifest.limits.least_values)
      narrow.push_back(fmt::format("{} holds {} whole numbers", group.label, *room));
  }
  findings.add(rule("room-for-l"), narrow, fmt::format("l = {}", manifest.limits.least_values));
}

void check_lengths_of_lists(const published::Manifest& manifest, Findings& findings) {
  std::vector<std::string> outside, unread;
  for (const Group& group : manifest.groups) {
    const auto listed = listed_secrets(manifest, group).size();
    if (static_cast<double>(listed) < manifest.limits.least_values ||
        static_cast<double>(listed) > manifest.limits.most_values)
      outside.push_back(fmt::format("{} lists {} values", group.label, listed));
    if (listed < group.combinations.size())
      unread.push_back(
          fmt::format("{} lists {} that are none", group.label, group.combinations.size() - listed));
  }
  findings.add(rule("listed-values"), outside,
               limits_text(manifest.limits.least_values, manifest.limits.most_values));
  findings.add(rule("listed-secrets"), unread, fmt::format("{} groups", manifest.groups.size()));
}

void check_numbers_of_values(const published::Manifest& manifest, Findings& findings) {
  if (manifest.has_one(AxisKind::Ordered)) check_room_of_ranges(manifest, findings);
  if (are_listed(manifest)) check_lengths_of_lists(manifest, findings);
}

// --- what is published exactly

/// l = 1 is the steward's choice, but it publishes the secret of whole groups.
void check_single_values(const published::Manifest& manifest, Findings& findings) {
  std::vector<std::string> exact;
  for (const Group& group : manifest.groups)
    if (std::ranges::all_of(group.covers, is_exact) || listed_values(manifest, group) == 1)
      exact.push_back(fmt::format("{} holds one value: it publishes the exact secret", group.label));
  findings.add(rule("no-single-value"), exact.empty(),
               exact.empty() ? "every group has room for two" : fmt::format("{}", fmt::join(exact, "; ")));
}

/// The same for labels: that of several values must not read as one.
void check_no_exact_labels(const published::Manifest& manifest, Findings& findings) {
  std::vector<std::string> wrong;
  for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis) {
    std::set<std::string> names;
    for (const Group& group : manifest.groups)
      names.insert(group.covers[axis].names.begin(), group.covers[axis].names.end());
    for (const Group& group : manifest.groups) {
      const Cover& cover = group.covers[axis];
      const bool exact = names.contains(cover.label) || (manifest.kinds[axis] == AxisKind::Ordered &&
                                                         parsed<double>(cover.label).has_value());
      if (exact && !is_exact(cover)) wrong.push_back(group.label + " covers more than its label says");
    }
    if (!manifest.has_several_secrets())
      for (const Group& group : manifest.groups)
        if (group.label != group.covers[0].label) wrong.push_back(group.label + " has two labels");
  }
  findings.add(rule("no-exact-label"), wrong, fmt::format("{} groups", manifest.groups.size()));
}

/// Groups of several secrets have values enough by the others.
void check_single_values_of_each(const published::Manifest& manifest, Findings& findings) {
  if (!manifest.has_several_secrets()) return;
  std::vector<std::string> exact;
  for (std::size_t axis = 0; axis < manifest.kinds.size(); ++axis) {
    const auto groups = std::ranges::count_if(
        manifest.groups, [&](const Group& group) { return is_exact(group.covers[axis]); });
    if (groups > 0)
      exact.push_back(fmt::format("{} of {} groups publish {} exactly", groups, manifest.groups.size(),
                                  manifest.columns.parts[axis]));
  }
  findings.add(rule("no-single-part"), exact.empty(),
               exact.empty() ? fmt::format("{}", fmt::join(manifest.columns.parts, ", "))
                             : fmt::format("{}", fmt::join(exact, "; ")));
}

}  // namespace

bool is_exact(const Cover& cover) {
  return cover.cells.size() == 1 || cover.names.size() == 1 ||
         (cover.low && cover.high && cover.high_included && *cover.low == *cover.high);
}

std::optional<std::int64_t> listed_values(const published::Manifest& manifest, const Group& group) {
  if (manifest.has_several_secrets() ? group.combinations.empty() : manifest.kinds[0] == AxisKind::Ordered)
    return std::nullopt;
  return static_cast<std::int64_t>(listed_secrets(manifest, group).size());
}

void check_groups(const published::Manifest& manifest, const Progress& progress, Findings& findings) {
  if (manifest.has_one(AxisKind::Ordered))
    check_group_ranges(manifest, findings);
  else
    check_overlap(manifest, progress, findings);
  check_connected(manifest, findings);
  check_numbers_of_values(manifest, findings);
  check_single_values(manifest, findings);
  if (!manifest.has_one(AxisKind::Ordered)) check_no_exact_labels(manifest, findings);
  check_single_values_of_each(manifest, findings);
}

}  // namespace hyobscure::verify
