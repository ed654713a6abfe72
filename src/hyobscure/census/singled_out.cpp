#include "hyobscure/census/singled_out.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "hyobscure/base/parallel.h"

namespace hyobscure::census {
namespace {

/// One of the entries that are known of a target: the `order`-th that was drawn.
struct KnownEntry {
  std::uint32_t item, target, order;
  double value;
};

std::vector<std::uint32_t> draw(std::size_t count, std::size_t most, RandomStream& random) {
  std::vector<std::uint32_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), 0u);
  const std::size_t length = std::min(count, most);
  for (std::size_t i = 0; i < length; ++i) std::swap(chosen[i], chosen[i + random.below(count - i)]);
  chosen.resize(length);
  return chosen;
}

/// Known entries by item.
std::vector<KnownEntry> draw_entries(const data::SparseRows& rows, std::span<const std::uint32_t> targets,
                                     std::size_t most, const Key& key) {
  std::vector<KnownEntry> entries;
  for (std::uint32_t t = 0; t < targets.size(); ++t) {
    RandomStream random(key.derive("person " + std::to_string(targets[t])));
    const auto row = rows[targets[t]];
    const auto drawn = draw(row.items.size(), most, random);
    for (std::uint32_t order = 0; order < drawn.size(); ++order)
      entries.push_back({row.items[drawn[order]], t, order, row.values[drawn[order]]});
  }
  std::ranges::sort(entries, {}, [](const KnownEntry& e) { return std::pair(e.item, e.target); });
  return entries;
}

/// Wilson's interval of a share of `count` people out of `all` that were drawn from many more.
SingledOut interval_of(std::size_t known, std::size_t count, std::size_t all, bool is_sample) {
  constexpr double z = 1.959963984540054;
  const double n = static_cast<double>(all), p = static_cast<double>(count) / n;
  if (!is_sample) return {known, p, p, p};
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {known, p, std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace

std::vector<SingledOut> singled_out(const data::SparseRows& rows, const std::vector<std::size_t>& known,
                                    std::size_t people, const Key& key) {
  RandomStream random(key.derive("targets"));
  const std::vector<std::uint32_t> targets = draw(rows.size(), people, random);
  const std::vector<KnownEntry> entries = draw_entries(rows, targets, known.back(), key);
  std::vector<std::uint32_t> first_of_item(rows.columns + 1, 0);
  for (const KnownEntry& entry : entries) ++first_of_item[entry.item + 1];
  std::partial_sum(first_of_item.begin(), first_of_item.end(), first_of_item.begin());
  std::vector<std::uint32_t> drawn(targets.size(), 0);  // entries that are known of each
  for (const KnownEntry& entry : entries) ++drawn[entry.target];

  // People who have all of the first `known` entries of a target, the target included.
  constexpr std::size_t kRows = 4096;
  const std::size_t blocks = block_count(rows.size(), kRows);
  std::vector<std::vector<std::uint32_t>> fitting(blocks);
  parallel_blocks(rows.size(), kRows, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t>& found = fitting[begin / kRows];
    found.assign(targets.size() * known.size(), 0);
    std::vector<std::uint64_t> has(targets.size(), 0);  // bit i: the i-th known entry
    std::vector<std::uint32_t> touched;
    for (std::size_t u = begin; u < end; ++u) {
      const auto row = rows[u];
      for (std::size_t e = 0; e < row.items.size(); ++e)
        for (std::uint32_t k = first_of_item[row.items[e]]; k < first_of_item[row.items[e] + 1]; ++k) {
          if (entries[k].value != row.values[e]) continue;
          if (has[entries[k].target] == 0) touched.push_back(entries[k].target);
          has[entries[k].target] |= std::uint64_t{1} << entries[k].order;
        }
      for (const std::uint32_t t : touched) {
        for (std::size_t m = 0; m < known.size(); ++m) {
          const auto wanted = std::min<std::size_t>(known[m], drawn[t]);
          const std::uint64_t all = (std::uint64_t{1} << wanted) - 1;
          found[t * known.size() + m] += (has[t] & all) == all ? 1 : 0;
        }
        has[t] = 0;
      }
      touched.clear();
    }
    rows.release_pages(begin, end);
  });

  std::vector<SingledOut> result;
  for (std::size_t m = 0; m < known.size(); ++m) {
    std::size_t alone = 0;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      std::uint32_t others = 0;
      for (const auto& found : fitting) others += found[t * known.size() + m];
      alone += drawn[t] > 0 && others == 1 ? 1 : 0;
    }
    result.push_back(interval_of(known[m], alone, targets.size(), targets.size() < rows.size()));
  }
  return result;
}

}  // namespace hyobscure::census
