#include "hyobscure/obscure/methods/fine_people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "hyobscure/base/freed_memory.h"
#include "hyobscure/obscure/mechanism/packed_draw.h"

namespace hyobscure::obscure {
namespace {

constexpr double kWardsKept = 6;

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

}  // namespace

FinePeople::FinePeople(const MethodInput& input, const solve::Partition& partition, const Progress& progress)
    : data_(input.people),
      pools_(pools_by_group(input.people, partition)),
      composed_(input.composer != nullptr) {
  for (const auto& members : pools_.members)
    values_of_pool_.push_back(
        partition.members(partition.group_of(static_cast<int>(data_.secrets[members.front()]))));
  rows_ = input.person.rows != nullptr
              ? input.person.rows->pools(pools_)
              : rows_in_memory(data_, input.distance, pools_,
                               input.composer ? input.composer->rows(pools_, progress) : nullptr);
  cut_into_wards(input, progress);
  gather(input, progress);
  account_own_rows_and_wards();
}

void FinePeople::cut_into_wards(const MethodInput& input, const Progress& progress) {
  std::vector<Key> keys;
  for (std::size_t p = 0; p < pools_.size(); ++p)
    keys.push_back(input.key.derive(fmt::format("wards {}", p)));
  auto wards = rows_->cut(input.person.most_in_ward, keys, progress);
  for (std::size_t p = 0; p < pools_.size(); ++p)
    for (auto& positions : wards[p]) {
      Ward ward{.pool = p, .positions = std::move(positions), .people = {}};
      for (const std::uint32_t position : ward.positions) ward.people.push_back(pools_.members[p][position]);
      wards_.push_back(std::move(ward));
    }
}

void FinePeople::gather(const MethodInput& input, const Progress& progress) {
  double pairs = 0;
  std::vector<std::vector<std::uint32_t>> people;
  for (const Ward& ward : wards_) {
    pairs += std::pow(static_cast<double>(ward.people.size()), 2);
    people.push_back(ward.people);
  }
  // as much memory as six full wards take: 0.4 GB with wards of the default size
  together_ = pairs <= kWardsKept * std::pow(static_cast<double>(input.person.most_in_ward), 2);
  rows_->gather(std::move(people), together_, progress);
  rows_->describe([this](std::size_t ward) { return pool_of(wards_[ward]); });
  if (together_) return;
  const std::vector<double> spreads = rows_->spreads(progress);
  for (std::size_t w = 0; w < wards_.size(); ++w) wards_[w].spread = spreads[w];
}

solve::PersonPool FinePeople::pool_of(const Ward& ward) const {
  solve::PersonPool pool{.value_of_person = {},
                         .values = static_cast<std::uint32_t>(values_of_pool_[ward.pool].size())};
  for (const std::uint32_t u : ward.people) pool.value_of_person.push_back(place_in_pool(ward.pool, u));
  if (has_wards()) pool.shares_of_lifts = shares_of_pool(ward.pool);
  if (learned_) add_model(ward, pool);
  return pool;
}

/// Limits on lifts are about the shares of the pool, which wards have up to rounding.
std::vector<double> FinePeople::shares_of_pool(std::size_t pool) const {
  std::vector<double> shares(values_of_pool_[pool].size(), 0.0);
  const double share = 1 / static_cast<double>(pools_.members[pool].size());
  for (const std::uint32_t u : pools_.members[pool]) shares[place_in_pool(pool, u)] += share;
  return shares;
}

double FinePeople::largest_lift(const std::vector<solve::SparseChannel>& of_pools) const {
  double largest = 1;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const solve::SparseChannel& channel = of_pools[p];
    const std::vector<double> shares = shares_of_pool(p);
    std::vector<double> outputs(channel.size(), 0.0), masses(channel.size() * shares.size(), 0.0);
    for (std::size_t u = 0; u < channel.size(); ++u)
      for (std::size_t e = channel.starts[u]; e < channel.starts[u + 1]; ++e) {
        outputs[channel.donors[e]] += channel.probabilities[e];
        masses[channel.donors[e] * shares.size() + place_in_pool(p, pools_.members[p][u])] +=
            channel.probabilities[e];
      }
    for (std::size_t j = 0; j < outputs.size(); ++j)
      for (std::size_t y = 0; y < shares.size(); ++y)
        if (outputs[j] > 0 && shares[y] > 0)
          largest = std::max(largest, masses[j * shares.size() + y] / outputs[j] / shares[y]);
  }
  return largest;
}

std::size_t FinePeople::largest_pool() const {
  return std::ranges::max(pools_.members, {}, [](const auto& members) { return members.size(); }).size();
}

void FinePeople::learn(const MethodInput& input, const Progress& progress) {
  if (learned_) return;
  progress.report("learning the secret from other people", 0, 0);
  model_ = rows_->learn(input.key.derive("learned"), progress);
  model_predicts_ = model_.predicts();
  learned_ = true;
  rows_->describe([this](std::size_t ward) { return pool_of(wards_[ward]); });
  account_own_rows_and_wards();
}

solve::PersonResult FinePeople::solve(const solve::PersonTerms& terms, double budget,
                                      const solve::PersonSettings& settings, const Progress& progress) const {
  return rows_->solve(*this, terms, budget, settings, progress);
}

double FinePeople::smallest_distance(const solve::PersonTerms& terms) const {
  return terms.self_donor && !composed_ ? 0
                                        : rows_->smallest_distance(*this, terms);  // one's own row is free
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
  return_freed_memory();  // of the wards' distances
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
    return_freed_memory();
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
