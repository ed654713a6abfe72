#include "hyobscure/release/draw.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::release {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint32_t kNoCell = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void throw_other_counts(const obscure::Mechanism& mechanism) {
  throw InputError({.source = mechanism.source},
                   "its groups and clusters do not hold the people that it counted",
                   "Run fit again with this data.");
}

/// Number of the cell by group and cluster; kNoCell where the group has nobody of the cluster.
class CellTable {
 public:
  explicit CellTable(const obscure::Mechanism& mechanism)
      : mechanism_(mechanism),
        clusters_(static_cast<std::size_t>(mechanism.clusters.clusters())),
        cells_(mechanism.groups.size() * clusters_, kNoCell) {
    if (mechanism.channels.size() != mechanism.groups.size()) throw_other_counts(mechanism);
    std::uint32_t next = 0;
    for (std::size_t g = 0; g < mechanism.channels.size(); ++g)
      for (const int cluster : mechanism.channels[g].clusters)
        cells_[g * clusters_ + static_cast<std::size_t>(cluster)] = next++;
  }

  std::uint32_t cell(std::size_t group, std::uint32_t cluster) const {
    const std::uint32_t found = cluster < clusters_ ? cells_[group * clusters_ + cluster] : kNoCell;
    if (found == kNoCell) throw_other_counts(mechanism_);
    return found;
  }

 private:
  const obscure::Mechanism& mechanism_;
  std::size_t clusters_;
  std::vector<std::uint32_t> cells_;
};

std::vector<std::uint32_t> groups_of_values(const obscure::Mechanism& mechanism, std::size_t values) {
  std::vector<std::uint32_t> groups(values);
  for (std::uint32_t v = 0; v < values; ++v)
    groups[v] = static_cast<std::uint32_t>(mechanism.group_of_value(v));
  return groups;
}

void find_cells(const obscure::Mechanism& mechanism, const data::People& people,
                std::span<const std::uint32_t> cluster_of_person, Cells& cells) {
  const CellTable table(mechanism);
  const auto group_of_value = groups_of_values(mechanism, people.values.size());
  cells.first_of_group.assign(1, 0);
  for (const obscure::Channel& channel : mechanism.channels)
    cells.first_of_group.push_back(cells.first_of_group.back() +
                                   static_cast<std::uint32_t>(channel.clusters.size()));
  cells.cell_of_person.resize(people.size());
  for (std::size_t u = 0; u < people.size(); ++u)
    cells.cell_of_person[u] = table.cell(group_of_value[people.secrets[u]], cluster_of_person[u]);
}

/// Members by cell, in the order of the people.
void fill_cells(Cells& cells) {
  cells.starts.assign(cells.first_of_group.back() + 1, 0);
  for (const std::uint32_t cell : cells.cell_of_person) cells.starts[cell + 1] += 1;
  std::partial_sum(cells.starts.begin(), cells.starts.end(), cells.starts.begin());
  std::vector<std::size_t> next(cells.starts.begin(), cells.starts.end() - 1);
  cells.members.resize(cells.cell_of_person.size());
  for (std::uint32_t u = 0; u < cells.cell_of_person.size(); ++u)
    cells.members[next[cells.cell_of_person[u]]++] = u;
}

void check_counts(const obscure::Mechanism& mechanism, const Cells& cells) {
  std::size_t cell = 0;
  for (const obscure::Channel& channel : mechanism.channels)
    for (const std::int64_t counted : channel.people)
      if (static_cast<std::int64_t>(cells.people_of(cell++).size()) != counted) throw_other_counts(mechanism);
}

/// Gives every cell an order that depends on the key and the ids of its people alone.
void order_cells(const Key& key, const data::People& people, Cells& cells) {
  const NamedDraws order(key.derive("order"));
  std::vector<NamedDraws::Bits> bits(people.size());
  parallel_blocks(people.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) bits[u] = order.bits(people.ids[u]);
  });
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (bits[a].first != bits[b].first) return bits[a].first < bits[b].first;
    if (bits[a].second != bits[b].second) return bits[a].second < bits[b].second;
    return people.ids[a] < people.ids[b];
  };
  parallel_blocks(cells.starts.size() - 1, 1, [&](std::size_t cell, std::size_t) {
    const auto begin = cells.members.begin();
    std::sort(begin + static_cast<std::ptrdiff_t>(cells.starts[cell]),
              begin + static_cast<std::ptrdiff_t>(cells.starts[cell + 1]), before);
  });
}

/// Draws from rows of probabilities by inversion of their cumulative sums.
class ChannelSampler {
 public:
  explicit ChannelSampler(const Eigen::MatrixXd& probabilities) {
    for (Eigen::Index row = 0; row < probabilities.rows(); ++row) {
      std::vector<double> sums;
      double sum = 0;
      for (Eigen::Index column = 0; column < probabilities.cols(); ++column)
        sums.push_back(sum += probabilities(row, column));
      cumulative_.push_back(std::move(sums));
    }
  }

  std::size_t draw(std::size_t row, std::uint64_t bits) const {
    return choose_by_inversion(cumulative_[row], bits);
  }

 private:
  std::vector<std::vector<double>> cumulative_;
};

std::vector<std::uint32_t> groups_of_cells(const Cells& cells) {
  std::vector<std::uint32_t> groups(cells.first_of_group.back());
  for (std::uint32_t g = 0; g + 1 < cells.first_of_group.size(); ++g)
    for (std::uint32_t cell = cells.first_of_group[g]; cell < cells.first_of_group[g + 1]; ++cell)
      groups[cell] = g;
  return groups;
}

}  // namespace

std::size_t choose_by_inversion(std::span<const double> cumulative, std::uint64_t bits) {
  // The first sum above the drawn share of the whole: an entry that adds nothing to the sum is never that
  // one. Should the share round up to the whole, the last entry that adds something is taken.
  const double whole = cumulative.back();
  const auto found = std::ranges::upper_bound(cumulative, unit_interval(bits) * whole);
  const auto last = std::ranges::lower_bound(cumulative, whole);
  return static_cast<std::size_t>(std::min(found, last) - cumulative.begin());
}

Cells sort_into_cells(const obscure::Mechanism& mechanism, const data::People& people,
                      std::span<const std::uint32_t> cluster_of_person) {
  Cells cells;
  find_cells(mechanism, people, cluster_of_person, cells);
  fill_cells(cells);
  check_counts(mechanism, cells);
  order_cells(mechanism.key, people, cells);
  return cells;
}

std::vector<std::uint32_t> draw_donors(const obscure::Mechanism& mechanism, const data::People& people,
                                       std::span<const std::uint32_t> cluster_of_person) {
  const Cells cells = sort_into_cells(mechanism, people, cluster_of_person);
  const auto group_of_cell = groups_of_cells(cells);
  std::vector<ChannelSampler> samplers;
  for (const obscure::Channel& channel : mechanism.channels) samplers.emplace_back(channel.probabilities);

  const NamedDraws draws(mechanism.key.derive("draws"));
  std::vector<std::uint32_t> donor_of(people.size());
  parallel_blocks(people.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) {
      const auto [first, second] = draws.bits(people.ids[u]);
      const std::uint32_t group = group_of_cell[cells.cell_of_person[u]];
      const std::uint32_t first_cell = cells.first_of_group[group];
      const std::size_t drawn = samplers[group].draw(cells.cell_of_person[u] - first_cell, first);
      const auto candidates = cells.people_of(first_cell + drawn);
      donor_of[u] = candidates[scale_below(second, candidates.size())];
    }
  });
  return donor_of;
}

}  // namespace hyobscure::release
