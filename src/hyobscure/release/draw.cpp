#include "hyobscure/release/draw.h"

#include <algorithm>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/near.h"
#include "hyobscure/obscure/pools.h"

namespace hyobscure::release {
namespace {

constexpr std::size_t kBlock = 4096;

[[noreturn]] void throw_other_counts(const obscure::Mechanism& mechanism) {
  throw InputError({.source = mechanism.source},
                   "its groups and clusters do not hold the people that it counted",
                   "Run fit again with this data.");
}

/// The people of one pool, in the keyed order, about to draw.
struct DrawingPool {
  const obscure::Mechanism& mechanism;
  const data::People& people;
  std::span<const std::uint32_t> members;
  const NamedDraws& draws;
  std::vector<std::uint32_t>& donor_of;
};

/// Calls draw(place, first, second) for every member, with the random bits that belong to them.
template <class Draw>
void for_each_member(const DrawingPool& pool, std::size_t block, const Draw& draw) {
  parallel_blocks(pool.members.size(), block, [&](std::size_t begin, std::size_t end) {
    for (std::size_t place = begin; place < end; ++place) {
      const std::uint32_t person = pool.members[place];
      const auto [first, second] = pool.draws.bits(pool.people.ids[person]);
      pool.donor_of[person] = draw(place, first, second);
    }
  });
}

/// The cumulative sums of every row.
std::vector<std::vector<double>> cumulative_rows(const Eigen::MatrixXd& probabilities) {
  std::vector<std::vector<double>> rows;
  for (Eigen::Index row = 0; row < probabilities.rows(); ++row) {
    double sum = 0;
    rows.emplace_back();
    for (Eigen::Index column = 0; column < probabilities.cols(); ++column)
      rows.back().push_back(sum += probabilities(row, column));
  }
  return rows;
}

void draw(const DrawingPool& pool, const obscure::CellDraw& channel,
          std::span<const std::uint32_t> cluster_of_person) {
  std::vector<int> cell_of_cluster(static_cast<std::size_t>(pool.mechanism.clusters.clusters()), -1);
  for (std::size_t i = 0; i < channel.clusters.size(); ++i)
    cell_of_cluster[static_cast<std::size_t>(channel.clusters[i])] = static_cast<int>(i);
  std::vector<std::vector<std::uint32_t>> cells(channel.clusters.size());
  for (const std::uint32_t person : pool.members) {
    const std::uint32_t cluster = cluster_of_person[person];
    if (cluster >= cell_of_cluster.size() || cell_of_cluster[cluster] < 0) throw_other_counts(pool.mechanism);
    cells[static_cast<std::size_t>(cell_of_cluster[cluster])].push_back(person);
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (static_cast<std::int64_t>(cells[i].size()) != channel.people[i]) throw_other_counts(pool.mechanism);

  const auto rows = cumulative_rows(channel.probabilities);
  for_each_member(pool, kBlock, [&](std::size_t place, std::uint64_t first, std::uint64_t second) {
    const auto own = static_cast<std::size_t>(cell_of_cluster[cluster_of_person[pool.members[place]]]);
    const auto& candidates = cells[choose_by_inversion(rows[own], first)];
    return candidates[scale_below(second, candidates.size())];
  });
}

void draw(const DrawingPool& pool, const obscure::OtherDraw&, std::span<const std::uint32_t>) {
  const std::size_t others = pool.members.size() - 1;
  for_each_member(pool, kBlock, [&](std::size_t place, std::uint64_t first, std::uint64_t) {
    if (others == 0) return pool.members[place];
    const std::size_t other = scale_below(first, others);
    return pool.members[other < place ? other : other + 1];
  });
}

void draw(const DrawingPool& pool, const obscure::NearDraw& channel, std::span<const std::uint32_t>) {
  const obscure::NearRows rows(channel, pool.people.features, pool.members);
  for_each_member(pool, 16, [&](std::size_t place, std::uint64_t first, std::uint64_t) {
    std::vector<double> sums(rows.size());
    rows.row(place, sums);
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    return pool.members[choose_by_inversion(sums, first)];
  });
}

void draw(const DrawingPool& pool, const obscure::PersonDraw& channel, std::span<const std::uint32_t>) {
  std::vector<std::uint32_t> by_id(pool.members.begin(), pool.members.end());
  std::ranges::sort(by_id);
  for_each_member(pool, kBlock, [&](std::size_t place, std::uint64_t first, std::uint64_t) {
    const auto row =
        static_cast<std::size_t>(std::ranges::lower_bound(by_id, pool.members[place]) - by_id.begin());
    std::vector<double> sums(
        channel.probabilities.begin() + static_cast<std::ptrdiff_t>(channel.starts[row]),
        channel.probabilities.begin() + static_cast<std::ptrdiff_t>(channel.starts[row + 1]));
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    return by_id[channel.donors[channel.starts[row] + choose_by_inversion(sums, first)]];
  });
}

/// Those who keep their own row, whatever they have drawn.
void retain_own(const DrawingPool& pool, double retain) {
  if (retain == 0) return;
  const NamedDraws draws(pool.mechanism.key.derive("retain"));
  for (const std::uint32_t person : pool.members)
    if (unit_interval(draws.bits(pool.people.ids[person]).first) < retain) pool.donor_of[person] = person;
}

}  // namespace

std::vector<std::uint32_t> keyed_order(const Key& key, const data::People& people) {
  const NamedDraws draws(key.derive("order"));
  std::vector<NamedDraws::Bits> bits(people.size());
  parallel_blocks(people.size(), kBlock, [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) bits[u] = draws.bits(people.ids[u]);
  });
  std::vector<std::uint32_t> order(people.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    if (bits[a].first != bits[b].first) return bits[a].first < bits[b].first;
    if (bits[a].second != bits[b].second) return bits[a].second < bits[b].second;
    return people.ids[a] < people.ids[b];
  });
  return order;
}

std::size_t choose_by_inversion(std::span<const double> cumulative, std::uint64_t bits) {
  // The first sum above the drawn share of the whole: an entry that adds nothing to the sum is never that
  // one. Should the share round up to the whole, the last entry that adds something is taken.
  const double whole = cumulative.back();
  const auto found = std::ranges::upper_bound(cumulative, unit_interval(bits) * whole);
  const auto last = std::ranges::lower_bound(cumulative, whole);
  return static_cast<std::size_t>(std::min(found, last) - cumulative.begin());
}

std::vector<std::uint32_t> draw_donors(const obscure::Mechanism& mechanism, const data::People& people,
                                       std::span<const std::uint32_t> cluster_of_person) {
  const obscure::Pools pools = mechanism.within_groups
                                   ? obscure::pools_by_group(people, mechanism.partition())
                                   : obscure::one_pool(people.size());
  if (pools.size() != mechanism.channels.size()) throw_other_counts(mechanism);
  std::vector<std::vector<std::uint32_t>> ordered(pools.size());
  for (const std::uint32_t person : keyed_order(mechanism.key, people))
    ordered[pools.pool_of_person[person]].push_back(person);

  const NamedDraws draws(mechanism.key.derive("draws"));
  std::vector<std::uint32_t> donor_of(people.size());
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const obscure::Channel& channel = mechanism.channels[p];
    if (static_cast<std::int64_t>(ordered[p].size()) != channel.people) throw_other_counts(mechanism);
    const DrawingPool pool{mechanism, people, ordered[p], draws, donor_of};
    std::visit([&](const auto& how) { draw(pool, how, cluster_of_person); }, channel.draw);
    retain_own(pool, channel.retain);
  }
  return donor_of;
}

}  // namespace hyobscure::release
