#include "hyobscure/release/draw.h"

#include <algorithm>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/neighbours/near.h"

namespace hyobscure::release {
namespace {

constexpr std::size_t kBlock = 4096;

// What keys are derived for.
constexpr const char* kOrder = "order";
constexpr const char* kDraws = "draws";
constexpr const char* kRetain = "retain";

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

void draw(const DrawingPool& pool, const obscure::CellDraw& channel,
          std::span<const std::uint32_t> cluster_of_person) {
  const CellChannel ready(channel, pool.mechanism.clusters.clusters());
  std::vector<std::vector<std::uint32_t>> cells(channel.clusters.size());
  for (const std::uint32_t person : pool.members) {
    const auto row = ready.row_of(cluster_of_person[person]);
    if (!row) throw_other_counts(pool.mechanism);
    cells[*row].push_back(person);
  }
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (static_cast<std::int64_t>(cells[i].size()) != channel.people[i]) throw_other_counts(pool.mechanism);

  for_each_member(pool, kBlock, [&](std::size_t place, std::uint64_t first, std::uint64_t second) {
    const std::size_t own = *ready.row_of(cluster_of_person[pool.members[place]]);
    const CellChannel::Choice choice = ready.choose(own, {first, second});
    return cells[choice.row][choice.place];
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

/// The place in a list of donors that the bits choose.
std::size_t choose_of_list(std::span<const double> probabilities, std::uint64_t bits) {
  std::vector<double> sums(probabilities.begin(), probabilities.end());
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  return choose_by_inversion(sums, bits);
}

void draw(const DrawingPool& pool, const obscure::PersonDraw& channel, std::span<const std::uint32_t>) {
  std::vector<std::uint32_t> by_id(pool.members.begin(), pool.members.end());
  std::ranges::sort(by_id);
  for_each_member(pool, kBlock, [&](std::size_t place, std::uint64_t first, std::uint64_t) {
    const auto row =
        static_cast<std::size_t>(std::ranges::lower_bound(by_id, pool.members[place]) - by_id.begin());
    const std::size_t begin = channel.starts[row], count = channel.starts[row + 1] - begin;
    return by_id[channel
                     .donors[begin + choose_of_list({channel.probabilities.data() + begin, count}, first)]];
  });
}

bool is_retained(const NamedDraws& draws, std::string_view id, double retain) {
  return retain > 0 && unit_interval(draws.bits(id).first) < retain;
}

/// Those who keep their own row, whatever they have drawn.
void retain_own(const DrawingPool& pool, double retain) {
  if (retain == 0) return;
  const NamedDraws draws(pool.mechanism.key.derive(kRetain));
  for (const std::uint32_t person : pool.members)
    if (is_retained(draws, pool.people.ids[person], retain)) pool.donor_of[person] = person;
}

}  // namespace

std::vector<std::uint32_t> keyed_order(const Key& key, const data::People& people) {
  const NamedDraws draws(key.derive(kOrder));
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

Key key_of_rows(const Key& key, const data::Spec& spec) {
  return key.derive(spec.release.ids == data::PublishedIds::Keep ? "rows" : "ids");
}

std::size_t choose_by_inversion(std::span<const double> cumulative, std::uint64_t bits) {
  // The first sum above the drawn share of the whole: an entry that adds nothing to the sum is never that
  // one. Should the share round up to the whole, the last entry that adds something is taken.
  const double whole = cumulative.back();
  const auto found = std::ranges::upper_bound(cumulative, unit_interval(bits) * whole);
  const auto last = std::ranges::lower_bound(cumulative, whole);
  return static_cast<std::size_t>(std::min(found, last) - cumulative.begin());
}

CellChannel::CellChannel(const obscure::CellDraw& draw, int clusters)
    : row_of_cluster_(static_cast<std::size_t>(clusters), -1), people_(draw.people) {
  for (std::size_t i = 0; i < draw.clusters.size(); ++i)
    row_of_cluster_[static_cast<std::size_t>(draw.clusters[i])] = static_cast<int>(i);
  for (Eigen::Index row = 0; row < draw.probabilities.rows(); ++row) {
    double sum = 0;
    cumulative_.emplace_back();
    for (Eigen::Index column = 0; column < draw.probabilities.cols(); ++column)
      cumulative_.back().push_back(sum += draw.probabilities(row, column));
  }
}

CellChannel::Choice CellChannel::choose(std::size_t own_row, NamedDraws::Bits bits) const {
  const std::size_t row = choose_by_inversion(cumulative_[own_row], bits.first);
  return {row, scale_below(bits.second, static_cast<std::uint64_t>(people_[row]))};
}

PersonalDraws::PersonalDraws(const obscure::Mechanism& mechanism)
    : mechanism_(mechanism),
      order_(mechanism.key.derive(kOrder)),
      draws_(mechanism.key.derive(kDraws)),
      retain_(mechanism.key.derive(kRetain)) {
  const bool by_counts = std::ranges::all_of(mechanism.channels, obscure::draws_by_cluster);
  if (!by_counts || !mechanism.within_groups || mechanism.channels.size() != mechanism.groups.size())
    throw InputError(
        {.source = mechanism.source},
        "does not draw donors by the cells of each group, or any other person of it, which is what "
        "can be drawn for each person by themselves",
        "Take a mechanism of exact, hyobscure, xobf, ygen, random or frapp without kept columns.");
  for (const int group : mechanism.partition().group_of_values())
    group_of_value_.push_back(static_cast<std::uint32_t>(group));
  for (const obscure::Channel& channel : mechanism.channels)
    channels_.push_back(channel.cells() == nullptr
                            ? std::nullopt
                            : std::optional(CellChannel(*channel.cells(), mechanism.clusters.clusters())));
}

PersonalDraws::Drawn PersonalDraws::draw(std::string_view id, std::uint32_t value,
                                         std::uint32_t cluster) const {
  if (value >= group_of_value_.size()) throw_other_counts(mechanism_);
  const std::uint32_t group = group_of_value_[value];
  const obscure::Channel& channel = mechanism_.channels[group];
  if (draws_others(group)) {
    const auto others = static_cast<std::uint64_t>(channel.people - 1);
    return {.group = group,
            .order = order_.bits(id),
            .cluster = 0,
            .place = others == 0 ? 0 : scale_below(draws_.bits(id).first, others),
            .retained = others == 0 || is_retained(retain_, id, channel.retain),
            .others = true};
  }
  const auto own = channels_[group]->row_of(cluster);
  if (!own) throw_other_counts(mechanism_);
  const CellChannel::Choice choice = channels_[group]->choose(*own, draws_.bits(id));
  return {.group = group,
          .order = order_.bits(id),
          .cluster = static_cast<std::uint32_t>(channel.cells()->clusters[choice.row]),
          .place = choice.place,
          .retained = is_retained(retain_, id, channel.retain)};
}

ListedDraws::ListedDraws(const Key& key) : draws_(key.derive(kDraws)), retain_(key.derive(kRetain)) {}

std::uint32_t ListedDraws::donor(std::string_view id, std::uint32_t person, double retain,
                                 std::span<const std::uint32_t> donors,
                                 std::span<const double> probabilities) const {
  if (is_retained(retain_, id, retain)) return person;
  return donors[choose_of_list(probabilities, draws_.bits(id).first)];
}

std::vector<std::uint32_t> draw_donors(const obscure::Mechanism& mechanism, const data::People& people,
                                       std::span<const std::uint32_t> cluster_of_person) {
  const std::size_t values = mechanism.partition().group_of_values().size();
  if (std::ranges::any_of(people.secrets, [&](std::uint32_t value) { return value >= values; }))
    throw_other_counts(mechanism);
  const obscure::Pools pools = mechanism.within_groups
                                   ? obscure::pools_by_group(people, mechanism.partition())
                                   : obscure::one_pool(people.size());
  if (pools.size() != mechanism.channels.size()) throw_other_counts(mechanism);
  std::vector<std::vector<std::uint32_t>> ordered(pools.size());
  for (const std::uint32_t person : keyed_order(mechanism.key, people))
    ordered[pools.pool_of_person[person]].push_back(person);

  const NamedDraws draws(mechanism.key.derive(kDraws));
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
