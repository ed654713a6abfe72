#include "hyobscure/obscure/methods/fine_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/mechanism/packed_draw.h"
#include "hyobscure/obscure/neighbours/fair_tree.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {
namespace {

constexpr double kWardsKept = 6;
constexpr std::size_t kPeopleOfSpread = 256;

/// A pool with distances of its own.
struct OwnedPool {
  std::unique_ptr<solve::PersonDistances> distances;
  solve::PersonPool pool;
};

/// sum_y p(y) log( p(y) / q(y) ), zeros welcome where p is.
double relative_entropy(const Eigen::RowVectorXd& p, const Eigen::RowVectorXd& q) {
  double sum = 0;
  for (Eigen::Index y = 0; y < p.size(); ++y)
    if (p(y) > 0) sum += p(y) * std::log(p(y) / q(y));
  return sum;
}

/// Shares of the values among some people, as an attacker sees them before any row.
struct Shares {
  Eigen::RowVectorXd informed, learned;

  Shares(Eigen::Index values, Eigen::Index values_of_model)
      : informed(Eigen::RowVectorXd::Zero(values)), learned(Eigen::RowVectorXd::Zero(values_of_model)) {}
  void normalise() {
    informed /= informed.sum();
    if (learned.size() > 0) learned /= learned.sum();
  }
};

std::unique_ptr<solve::PersonDistances> distances_of(census::Distance distance, const data::SparseRows& rows,
                                                     std::span<const std::uint32_t> people,
                                                     const Progress& progress) {
  return std::make_unique<solve::DistanceMatrix>(
      all_distances(RowDistances(distance, rows, people), progress));
}

}  // namespace

FinePeople::FinePeople(const MethodInput& input, const solve::Partition& partition, const Progress& progress)
    : data_(input.people), distance_(input.distance), pools_(pools_by_group(input.people, partition)) {
  for (const auto& members : pools_.members)
    values_of_pool_.push_back(
        partition.members(partition.group_of(static_cast<int>(data_.secrets[members.front()]))));
  cut_into_wards(input, progress);
  double pairs = 0;
  for (const Ward& ward : wards_) pairs += std::pow(static_cast<double>(ward.people.size()), 2);
  // as much memory as six full wards take: 0.4 GB with wards of the default size
  const double most_kept = kWardsKept * std::pow(static_cast<double>(input.person.most_in_ward), 2);
  if (pairs <= most_kept)
    keep_pools(progress);
  else
    measure_spreads(progress);
  account_own_rows_and_wards();
}

void FinePeople::cut_into_wards(const MethodInput& input, const Progress& progress) {
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const auto& members = pools_.members[p];
    std::vector<std::uint32_t> values;
    for (const std::uint32_t u : members) values.push_back(data_.secrets[u]);
    for (auto& positions : fair_wards(
             distance_, data_.features, members, values, static_cast<std::uint32_t>(data_.values.size()),
             input.person.most_in_ward, input.key.derive(fmt::format("wards {}", p)), progress)) {
      Ward ward{.pool = p, .positions = std::move(positions), .people = {}};
      for (const std::uint32_t position : ward.positions) ward.people.push_back(members[position]);
      wards_.push_back(std::move(ward));
    }
  }
}

void FinePeople::keep_pools(const Progress& progress) {
  progress.report("distances of all pairs", 0, 0);
  for (const Ward& ward : wards_) {
    distances_.push_back(distances_of(distance_, data_.features, ward.people, progress));
    kept_.push_back(pool_of(ward));
    kept_.back().distances = distances_.back().get();
  }
}

/// Of some people evenly spaced: neighbours in the order of ids have nothing in common.
void FinePeople::measure_spreads(const Progress& progress) {
  parallel_blocks(wards_.size(), 1, [&](std::size_t w, std::size_t) {
    progress.throw_if_stopped();
    Ward& ward = wards_[w];
    const std::size_t size = ward.people.size(), count = std::min(size, kPeopleOfSpread);
    std::vector<std::uint32_t> some;
    for (std::size_t n = 0; n < count; ++n) some.push_back(ward.people[n * size / count]);
    const DistanceTable pairs = all_distances(RowDistances(distance_, data_.features, some), progress);
    ward.spread = static_cast<double>(pairs.sum()) / static_cast<double>(count * (count - 1));
  });
}

solve::PersonPool FinePeople::pool_of(const Ward& ward) const {
  solve::PersonPool pool{.value_of_person = {},
                         .values = static_cast<std::uint32_t>(values_of_pool_[ward.pool].size())};
  for (const std::uint32_t u : ward.people) pool.value_of_person.push_back(place_in_pool(ward.pool, u));
  if (learned_) add_model(ward, pool);
  return pool;
}

std::shared_ptr<const solve::PersonPool> FinePeople::load(std::size_t ward) const {
  // a kept pool is nobody's: the pointer owns nothing
  if (!kept_.empty()) return {std::shared_ptr<const void>(), &kept_[ward]};
  auto owned = std::make_shared<OwnedPool>();
  owned->distances = distances_of(distance_, data_.features, wards_[ward].people, {});
  owned->pool = pool_of(wards_[ward]);
  owned->pool.distances = owned->distances.get();
  return {owned, &owned->pool};
}

void FinePeople::learn(const MethodInput& input, const Progress& progress) {
  if (learned_) return;
  progress.report("learning the secret from other people", 0, 0);
  model_ = learn::learn_secret(data_.features, data_.secrets, static_cast<std::uint32_t>(data_.values.size()),
                               pools_.pool_of_person, {}, input.key.derive("learned"), progress);
  model_predicts_ = model_.predicts();
  learned_ = true;
  for (std::size_t w = 0; w < kept_.size(); ++w) add_model(wards_[w], kept_[w]);
  account_own_rows_and_wards();
}

void FinePeople::add_model(const Ward& ward, solve::PersonPool& pool) const {
  const std::vector<int>& values = values_of_pool_[ward.pool];
  const learn::GroupModel& model = model_.groups[ward.pool];
  pool.learned.resize(static_cast<Eigen::Index>(ward.people.size()), model_.weights.cols());
  for (std::size_t i = 0; i < ward.people.size(); ++i) {
    pool.learned.row(static_cast<Eigen::Index>(i)) = model_.weights.row(ward.people[i]);
    pool.profile_block.push_back(model_.block_of_person[ward.people[i]]);
  }
  // values of the group that nobody of this pool has get 0
  pool.profiles.setZero(model.profiles.rows(), static_cast<Eigen::Index>(values.size()));
  for (std::size_t v = 0; v < model.values.size(); ++v) {
    const auto place = std::ranges::lower_bound(values, static_cast<int>(model.values[v])) - values.begin();
    pool.profiles.col(place) = model.profiles.col(static_cast<Eigen::Index>(v));
  }
}

std::uint32_t FinePeople::place_in_pool(std::size_t pool, std::uint32_t person) const {
  const std::vector<int>& values = values_of_pool_[pool];
  return static_cast<std::uint32_t>(
      std::ranges::lower_bound(values, static_cast<int>(data_.secrets[person])) - values.begin());
}

void FinePeople::account_own_rows_and_wards() {
  of_wards_ = of_own_rows_ = {};
  std::vector<Shares> of_pool, of_ward;
  const auto empty_shares = [&](std::size_t pool) {
    return Shares(static_cast<Eigen::Index>(values_of_pool_[pool].size()),
                  learned_ ? static_cast<Eigen::Index>(model_.groups[pool].values.size()) : 0);
  };
  for (std::size_t p = 0; p < pools_.size(); ++p) of_pool.push_back(empty_shares(p));
  for (const Ward& ward : wards_) {
    of_ward.push_back(empty_shares(ward.pool));
    for (const std::uint32_t u : ward.people) {
      of_ward.back().informed(place_in_pool(ward.pool, u)) += 1;
      if (learned_) of_ward.back().learned += model_.posterior(u);
    }
    of_pool[ward.pool].informed += of_ward.back().informed;
    of_pool[ward.pool].learned += of_ward.back().learned;
  }
  const auto people = static_cast<double>(data_.size());
  for (Shares& shares : of_pool) shares.normalise();
  for (std::size_t w = 0; w < wards_.size(); ++w) {
    const Ward& ward = wards_[w];
    const Shares& pool = of_pool[ward.pool];
    // everybody's own row reveals their value: -log q(y)
    for (const std::uint32_t u : ward.people)
      of_own_rows_.informed -= std::log(pool.informed(place_in_pool(ward.pool, u))) / people;
    const auto size = static_cast<double>(ward.people.size());
    of_ward[w].normalise();
    of_wards_.informed += size * relative_entropy(of_ward[w].informed, pool.informed) / people;
    if (!learned_) continue;
    of_wards_.learned += size * relative_entropy(of_ward[w].learned, pool.learned) / people;
    for (const std::uint32_t u : ward.people)
      of_own_rows_.learned += relative_entropy(model_.posterior(u), pool.learned) / people;
  }
}

std::vector<solve::SparseChannel> FinePeople::join(std::vector<solve::SparseChannel> of_wards) const {
  if (!has_wards()) {
    for (solve::SparseChannel& channel : of_wards) round_to_units(channel);
    return of_wards;
  }
  std::vector<solve::SparseChannel> joined(pools_.size());
  std::size_t first = 0;  // ward of the pool
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    struct Place {
      std::uint32_t ward, row;
    };
    std::vector<Place> places(pools_.members[p].size());
    std::size_t entries = 0, end = first;
    for (; end < wards_.size() && wards_[end].pool == p; ++end) {
      entries += of_wards[end].donors.size();
      for (std::uint32_t i = 0; i < wards_[end].positions.size(); ++i)
        places[wards_[end].positions[i]] = {static_cast<std::uint32_t>(end), i};
    }
    joined[p].donors.reserve(entries);
    joined[p].probabilities.reserve(entries);
    for (const Place& place : places) {
      const solve::SparseChannel& channel = of_wards[place.ward];
      for (std::size_t e = channel.starts[place.row]; e < channel.starts[place.row + 1]; ++e) {
        joined[p].donors.push_back(wards_[place.ward].positions[channel.donors[e]]);
        joined[p].probabilities.push_back(channel.probabilities[e]);
      }
      joined[p].starts.push_back(joined[p].donors.size());
    }
    for (; first < end; ++first) of_wards[first] = {};  // two copies of one pool at most
    round_to_units(joined[p]);
  }
  return joined;
}

FinePeople& FineCache::people(const MethodInput& input, const solve::Partition& partition,
                              const Progress& progress) {
  auto& prepared = by_groups_[partition.group_of_values()];
  if (!prepared) prepared = std::make_unique<FinePeople>(input, partition, progress);
  return *prepared;
}

const FinePeople& FineCache::learned(const MethodInput& input, const solve::Partition& partition,
                                     const Progress& progress) {
  FinePeople& found = people(input, partition, progress);
  found.learn(input, progress);
  return found;
}

}  // namespace hyobscure::obscure
