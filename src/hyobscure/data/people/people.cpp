#include "hyobscure/data/people/people.h"

#include <array>

#include "hyobscure/base/files.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/data/secret/hierarchy.h"

namespace hyobscure::data {
namespace {

constexpr std::uint32_t kGone = ~0u;

/// The values of an axis that points still use, numbered again in the points as well.
void keep_used_values(Axis& axis, std::size_t place, SecretSpace& space) {
  std::vector<bool> used(axis.values.size(), false);
  for (const SecretSpace::Point& point : space.points) used[point[place]] = true;
  std::vector<std::uint32_t> number(axis.values.size(), kGone);
  std::vector<Coordinate> values;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    number[v] = static_cast<std::uint32_t>(values.size());
    values.push_back(axis.values[v]);
  }
  axis.values = std::move(values);
  for (SecretSpace::Point& point : space.points) point[place] = number[point[place]];
  if (!space.hierarchy.empty()) space.hierarchy = prune(space.hierarchy, used);
}

/// `number` is what a value is called now, or kGone.
SecretSpace keep_values(const SecretSpace& space, const std::vector<std::uint32_t>& number) {
  SecretSpace some = space;
  some.points.clear();
  some.value_of_point.clear();
  for (std::size_t p = 0; p < space.points.size(); ++p) {
    if (number[space.value_of_point[p]] == kGone) continue;
    some.points.push_back(space.points[p]);
    some.value_of_point.push_back(number[space.value_of_point[p]]);
  }
  for (std::size_t a = 0; a < some.axes.size(); ++a) keep_used_values(some.axes[a], a, some);
  return some;
}

void add(Sha256& hash, const std::string& text) {
  const std::uint64_t length = text.size();
  hash.add(std::span<const std::uint64_t>(&length, 1));
  hash.add(text);
}

void add(Sha256& hash, const Axis& axis) {
  const std::uint64_t size = axis.values.size();
  hash.add(std::span<const std::uint64_t>(&size, 1));
  for (const Coordinate& value : axis.values) {
    hash.add(std::span<const double>(&value.number, 1));
    const std::array cell{value.cell.row, value.cell.column};
    hash.add(std::span<const std::int32_t>(cell));
    add(hash, value.name);
  }
}

void add(Sha256& hash, const SecretSpace& space) {
  for (const Axis& axis : space.axes) add(hash, axis);
  if (space.grid) {
    const std::array grid{space.grid->cell_km, space.grid->south, space.grid->west, space.grid->height,
                          space.grid->width};
    hash.add(std::span<const double>(grid));
  }
  for (const HierarchyNode& node : space.hierarchy) {
    add(hash, node.name);
    const std::array leaves{node.first, node.end};
    hash.add(std::span<const std::uint32_t>(leaves));
  }
  for (const SecretSpace::Point& point : space.points) hash.add(std::span<const std::uint32_t>(point));
  hash.add(std::span<const std::uint32_t>(space.value_of_point));
}

}  // namespace

std::vector<AxisKind> secret_kinds(const People& people) {
  if (!people.space) return {AxisKind::Ordered};
  std::vector<AxisKind> kinds;
  for (const Axis& axis : people.space->axes) kinds.push_back(axis.kind);
  return kinds;
}

People select(const People& people, std::span<const std::uint32_t> chosen) {
  People some;
  some.features.columns = people.features.columns;
  some.columns = people.columns;
  some.kept_combinations = people.kept_combinations;
  some.exact_values = people.exact_values;
  std::vector<std::uint32_t> count(people.values.size(), 0), value_in_some(people.values.size(), kGone);
  for (const std::uint32_t u : chosen) count[people.secrets[u]] += 1;
  for (std::size_t v = 0; v < people.values.size(); ++v) {
    if (count[v] == 0) continue;
    value_in_some[v] = static_cast<std::uint32_t>(some.values.size());
    some.values.push_back(people.values[v]);
    const double place = value_in_some[v];
    if (people.space)
      some.values.back() = {
          .low = place, .high = place, .centre = place, .distinct = people.values[v].distinct};
  }
  if (people.space) some.space = keep_values(*people.space, value_in_some);
  for (const std::uint32_t u : chosen) {
    some.ids.push_back(people.ids[u]);
    some.secrets.push_back(value_in_some[people.secrets[u]]);
    if (!people.exact.empty()) some.exact.push_back(people.exact[u]);
    if (!people.kept.empty()) some.kept.push_back(people.kept[u]);
    const SparseRows::Row row = people.features[u];
    some.features.append_row(row);
  }
  return some;
}

std::string fingerprint_of_block(const People& people, std::size_t begin, std::size_t end) {
  const SparseRows& rows = people.features;
  Sha256 hash;
  for (std::size_t u = begin; u < end; ++u) {
    add(hash, people.ids[u]);
    const std::array numbers{std::uint64_t{people.secrets[u]}, std::uint64_t{rows[u].items.size()},
                             std::uint64_t{people.kept.empty() ? 0 : people.kept[u]}};
    hash.add(std::span<const std::uint64_t>(numbers));
  }
  const std::size_t first = rows.starts[begin], count = rows.starts[end] - first;
  hash.add(std::span<const std::uint32_t>(rows.items).subspan(first, count));
  hash.add(std::span<const double>(rows.values).subspan(first, count));
  rows.release_pages(begin, end);
  return hash.finish();
}

std::string fingerprint_of_blocks(std::span<const std::string> blocks, std::span<const SecretValue> values,
                                  const std::optional<SecretSpace>& space) {
  Sha256 hash;
  for (const std::string& block : blocks) hash.add(block);
  for (const SecretValue& value : values) {
    const std::array bounds{value.low, value.high};
    hash.add(std::span<const double>(bounds));
  }
  if (space) add(hash, *space);
  return hash.finish();
}

std::string fingerprint(const People& people) {
  std::vector<std::string> blocks(block_count(people.size(), kFingerprintBlock));
  parallel_blocks(people.size(), kFingerprintBlock, [&](std::size_t begin, std::size_t end) {
    blocks[begin / kFingerprintBlock] = fingerprint_of_block(people, begin, end);
  });
  return fingerprint_of_blocks(blocks, people.values, people.space);
}

}  // namespace hyobscure::data
