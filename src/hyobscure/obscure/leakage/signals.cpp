#include "hyobscure/obscure/leakage/signals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/leakage/exact_values.h"

namespace hyobscure::obscure {

/// The people who may donate to each other, and how they find their donors.
struct Signals::Pool {
  const Channel& channel;
  std::span<const std::uint32_t> members;
  std::vector<int> cell_of_cluster = {};               ///< cells only
  std::vector<std::vector<std::uint32_t>> cells = {};  ///< cells only: their people
  std::unique_ptr<NearRows> near = {};                 ///< near donors only

  bool tells_cells() const { return channel.cells() != nullptr && channel.retain == 0; }
};

namespace {

[[noreturn]] void throw_other_people(const Mechanism& mechanism) {
  throw InputError({.source = mechanism.source}, "does not fit the people: it was made for other data",
                   "Give the data and the spec that it was made from.");
}

/// By group, once it is clear that every value is of one.
Pools strata_of(const Mechanism& mechanism, const data::People& people) {
  const solve::Partition partition = mechanism.partition();
  const std::size_t values = partition.group_of_values().size();
  if (std::ranges::any_of(people.secrets, [&](std::uint32_t value) { return value >= values; }))
    throw_other_people(mechanism);
  return pools_by_group(people, partition);
}

std::vector<Signal> signals_of(const PersonDraw& draw, std::span<const std::uint32_t> members,
                               std::size_t place) {
  std::vector<Signal> signals;
  for (std::size_t e = draw.starts[place]; e < draw.starts[place + 1]; ++e)
    signals.push_back({members[draw.donors[e]], draw.probabilities[e]});
  return signals;
}

std::vector<Signal> all_others(std::span<const std::uint32_t> members, std::size_t place) {
  if (members.size() == 1) return {{members[0], 1.0}};
  std::vector<Signal> signals;
  for (std::size_t v = 0; v < members.size(); ++v)
    if (v != place) signals.push_back({members[v], 1 / static_cast<double>(members.size() - 1)});
  return signals;
}

std::vector<Signal> near_people(const NearRows& near, std::span<const std::uint32_t> members,
                                std::size_t place) {
  std::vector<double> probabilities(members.size());
  near.row(place, probabilities);
  std::vector<Signal> signals;
  for (std::size_t v = 0; v < members.size(); ++v)
    if (probabilities[v] > 0) signals.push_back({members[v], probabilities[v]});
  return signals;
}

void retain_own(std::vector<Signal>& signals, std::uint32_t own, double retain) {
  if (retain == 0) return;
  for (Signal& signal : signals) signal.probability *= 1 - retain;
  const auto place = std::ranges::lower_bound(signals, own, {}, &Signal::id);
  if (place != signals.end() && place->id == own)
    place->probability += retain;
  else
    signals.insert(place, {own, retain});
}

/// One thing that several releases can show of a person, all signals taken together as one number.
struct ShownSignals {
  std::uint64_t signals;
  std::uint32_t value;
  double weight;
};

constexpr double kMostShown = 2e7;  // 24 bytes each: half a gigabyte

/// All combinations of what the releases can show of the person, added to `shown`.
void add_combinations(std::span<const Signals> releases, std::uint32_t person, std::uint32_t value,
                      std::uint64_t radix, std::vector<ShownSignals>& shown) {
  std::vector<ShownSignals> combined = {{0, value, 1.0}};
  for (const Signals& release : releases) {
    const std::vector<Signal> signals = release.of(person);
    std::vector<ShownSignals> next;
    next.reserve(combined.size() * signals.size());
    for (const ShownSignals& before : combined)
      for (const Signal& signal : signals)
        next.push_back({before.signals * radix + signal.id, value, before.weight * signal.probability});
    combined = std::move(next);
  }
  shown.insert(shown.end(), combined.begin(), combined.end());
}

/// Sum of v log(v / R) over values and signals: minus the entropy that is left, times the weight of all.
double negative_entropy(std::vector<ShownSignals>& shown) {
  // Stable, so that sums do not depend on the library's sort.
  std::ranges::stable_sort(shown, {}, [](const ShownSignals& s) { return std::pair(s.signals, s.value); });
  double sum = 0;
  for (std::size_t begin = 0; begin < shown.size();) {
    double of_signals = 0;
    std::size_t i = begin;
    while (i < shown.size() && shown[i].signals == shown[begin].signals) {
      double of_value = 0;
      const std::uint32_t value = shown[i].value;
      for (; i < shown.size() && shown[i].signals == shown[begin].signals && shown[i].value == value; ++i)
        of_value += shown[i].weight;
      sum += x_log_x(of_value);
      of_signals += of_value;
    }
    sum -= x_log_x(of_signals);
    begin = i;
  }
  return sum;
}

double secret_entropy(const data::People& people) { return exact_entropy(people) / kBitsPerNat; }

/// Numbers of combined signals must fit 64 bits, and all of them in memory.
bool can_be_added_up(const data::People& people, std::span<const Signals> releases, double radix) {
  if (std::pow(radix, static_cast<double>(releases.size())) >= 0x1p64) return false;
  double shown = 0;
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    double combinations = 1;
    for (const Signals& release : releases) combinations *= static_cast<double>(release.most(u));
    shown += combinations;
  }
  return shown <= kMostShown;
}

}  // namespace

Signals::Signals(const Mechanism& mechanism, const data::People& people,
                 std::span<const std::uint32_t> cluster_of_person)
    : people_(people),
      cluster_of_person_(cluster_of_person),
      strata_(strata_of(mechanism, people)),
      donors_(mechanism.within_groups ? strata_ : one_pool(people.size())),
      ids_(std::max(people.size(), static_cast<std::size_t>(mechanism.clusters.clusters()))) {
  if (donors_.size() != mechanism.channels.size()) throw_other_people(mechanism);
  for (std::size_t p = 0; p < donors_.size(); ++p) {
    Pool pool{.channel = mechanism.channels[p], .members = donors_.members[p]};
    if (static_cast<std::int64_t>(pool.members.size()) != pool.channel.people) throw_other_people(mechanism);
    if (const CellDraw* draw = pool.channel.cells()) {
      pool.cell_of_cluster.assign(static_cast<std::size_t>(mechanism.clusters.clusters()), -1);
      for (std::size_t i = 0; i < draw->clusters.size(); ++i)
        pool.cell_of_cluster[static_cast<std::size_t>(draw->clusters[i])] = static_cast<int>(i);
      pool.cells.resize(draw->clusters.size());
      for (const std::uint32_t u : pool.members) {
        const int cell = pool.cell_of_cluster[cluster_of_person[u]];
        if (cell < 0) throw_other_people(mechanism);
        pool.cells[static_cast<std::size_t>(cell)].push_back(u);
      }
    }
    if (const auto* draw = std::get_if<NearDraw>(&pool.channel.draw))
      pool.near = std::make_unique<NearRows>(*draw, people.features, pool.members);
    pools_.push_back(std::move(pool));
  }
}

Signals::~Signals() = default;
Signals::Signals(Signals&&) noexcept = default;

std::vector<Signal> Signals::of(std::uint32_t person) const {
  const Pool& pool = pools_[donors_.pool_of_person[person]];
  const auto place =
      static_cast<std::size_t>(std::ranges::lower_bound(pool.members, person) - pool.members.begin());
  std::vector<Signal> signals;
  if (const CellDraw* draw = pool.channel.cells()) {
    const int own = pool.cell_of_cluster[cluster_of_person_[person]];
    for (std::size_t i = 0; i < pool.cells.size(); ++i) {
      const double probability = draw->probabilities(own, static_cast<Eigen::Index>(i));
      if (probability == 0) continue;
      if (pool.tells_cells()) {
        signals.push_back({static_cast<std::uint32_t>(draw->clusters[i]), probability});
      } else {
        for (const std::uint32_t donor : pool.cells[i])
          signals.push_back({donor, probability / static_cast<double>(pool.cells[i].size())});
      }
    }
    std::ranges::sort(signals, {}, &Signal::id);
  } else if (const auto* people = std::get_if<PersonDraw>(&pool.channel.draw)) {
    signals = signals_of(*people, pool.members, place);
    std::ranges::sort(signals, {}, &Signal::id);
  } else if (pool.near) {
    signals = near_people(*pool.near, pool.members, place);
  } else {
    signals = all_others(pool.members, place);
  }
  retain_own(signals, person, pool.channel.retain);
  return signals;
}

std::uint32_t Signals::shown_by(std::uint32_t person, std::uint32_t donor) const {
  return pools_[donors_.pool_of_person[person]].tells_cells() ? cluster_of_person_[donor] : donor;
}

std::size_t Signals::most(std::uint32_t person) const {
  const Pool& pool = pools_[donors_.pool_of_person[person]];
  if (pool.tells_cells()) return pool.cells.size();
  const auto* people = std::get_if<PersonDraw>(&pool.channel.draw);
  if (people == nullptr) return pool.members.size();
  const auto place =
      static_cast<std::size_t>(std::ranges::lower_bound(pool.members, person) - pool.members.begin());
  return people->starts[place + 1] - people->starts[place] + (pool.channel.retain > 0 ? 1 : 0);
}

Composition compose(const data::People& people, std::span<const Signals> releases) {
  const double entropy = secret_entropy(people);
  std::uint64_t radix = 1;
  for (const Signals& release : releases) radix = std::max(radix, release.ids());
  if (!can_be_added_up(people, releases, static_cast<double>(radix)))
    return {.bits = entropy * kBitsPerNat, .exact = false};
  // A signal belongs to its stratum: people are added up by the strata in which the releases show them.
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> by_strata;
  for (std::uint32_t u = 0; u < people.size(); ++u) {
    std::vector<std::uint32_t> strata;
    for (const Signals& release : releases) strata.push_back(release.strata().pool_of_person[u]);
    by_strata[strata].push_back(u);
  }
  double left = 0;
  for (const auto& [strata, members] : by_strata) {
    std::vector<ShownSignals> shown;
    for (const std::uint32_t u : members)
      add_combinations(releases, u, people.exact_secrets()[u], radix, shown);
    left -= negative_entropy(shown);
  }
  const double told = entropy - left / static_cast<double>(people.size());
  return {.bits = std::clamp(told, 0.0, entropy) * kBitsPerNat, .exact = true};
}

}  // namespace hyobscure::obscure
