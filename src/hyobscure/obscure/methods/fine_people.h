#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "hyobscure/learn/learned_secret.h"
#include "hyobscure/obscure/methods/fine_rows.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::obscure {

/// The people of given groups as pools of the person-level solver: distances and values; once learned, also
/// what a model trained on other people would say of each. Does not depend on budget, threat or balance.
///
/// A pool (a group, and the same kept columns) of more than PersonSettings::most_in_ward people is cut into
/// wards of alike people in which every value has the pool's share (neighbours/fair_tree.h). The solver sees
/// wards; what these reveal beyond the pool is counted here, and channels of wards are joined to channels of
/// pools. Rows may be elsewhere (fine_rows.h): here each person is a value, a pool and what a model says.
class FinePeople final : public solve::PoolList {
 public:
  /// The input must outlive it.
  FinePeople(const MethodInput& input, const solve::Partition& partition, const Progress& progress);
  FinePeople(const FinePeople&) = delete;  // its rows know where it is
  FinePeople& operator=(const FinePeople&) = delete;

  /// Trains the models, once.
  void learn(const MethodInput& input, const Progress& progress);
  /// Whether a model trained on other people predicts the secret better than the group alone does.
  bool model_predicts() const { return model_predicts_; }

  // ---- The wards, in the order of their pools
  std::size_t size() const override { return wards_.size(); }
  std::size_t people(std::size_t ward) const override { return wards_[ward].people.size(); }
  std::size_t stratum(std::size_t ward) const override { return wards_[ward].pool; }
  double spread(std::size_t ward) const override { return wards_[ward].spread; }
  bool own_rows_are_free() const override { return !composed_; }
  /// Whether they are solved as one problem, because the distances of all fit in memory together.
  bool together() const { return together_; }
  /// All of them, where they are together in this memory; else empty.
  std::span<const solve::PersonPool> kept() const { return rows_->kept(); }
  /// People of the largest pool.
  [[nodiscard]] std::size_t largest_pool() const;
  /// Whether some pool has several.
  bool has_wards() const { return wards_.size() > pools_.size(); }

  /// Mean over people, nats, of what each attacker learns; `learned` is 0 before learn().
  struct Leakages {
    double informed = 0, learned = 0;
  };
  /// From the ward beyond the pool, I(Y; W | pool): small, since wards have the pool's shares.
  Leakages leakage_of_wards() const { return of_wards_; }
  /// From everybody's own row, given the pool.
  Leakages leakage_of_own_rows() const { return of_own_rows_; }

  /// The best channels of the wards within the budget.
  [[nodiscard]] solve::PersonResult solve(const solve::PersonTerms& terms, double budget,
                                          const solve::PersonSettings& settings,
                                          const Progress& progress) const;
  /// No channel within the terms has a smaller expected distance.
  [[nodiscard]] double smallest_distance(const solve::PersonTerms& terms) const;

  /// The largest factor by which a row of these channels of the pools raises the probability of a value.
  [[nodiscard]] double largest_lift(const std::vector<solve::SparseChannel>& of_pools) const;

  /// Channels of the pools from those of their wards, people in the order of the pool.
  [[nodiscard]] std::vector<solve::SparseChannel> join(std::vector<solve::SparseChannel> of_wards) const;

 private:
  struct Ward {
    std::size_t pool;
    std::vector<std::uint32_t> positions;  ///< in the pool, ascending
    std::vector<std::uint32_t> people;     ///< of the data, in the same order
    double spread = 1;                     ///< mean distance between some of them
  };
  void cut_into_wards(const MethodInput& input, const Progress& progress);
  void gather(const MethodInput& input, const Progress& progress);
  [[nodiscard]] solve::PersonPool pool_of(const Ward& ward) const;
  void add_model(const Ward& ward, solve::PersonPool& pool) const;
  [[nodiscard]] std::vector<double> shares_of_pool(std::size_t pool) const;
  [[nodiscard]] std::uint32_t place_in_pool(std::size_t pool, std::uint32_t person) const;
  void account_own_rows_and_wards();

  const data::People& data_;
  Pools pools_;
  std::unique_ptr<FineRows> rows_;
  std::vector<std::vector<int>> values_of_pool_;  ///< of the group, ascending
  std::vector<Ward> wards_;
  bool composed_ = false;
  bool together_ = false;
  learn::LearnedSecret model_;
  bool learned_ = false;
  bool model_predicts_ = false;
  Leakages of_wards_, of_own_rows_;
};

/// Prepared people by their groups, so that budgets, threats and methods share them.
class FineCache {
 public:
  /// With what a model would say of them.
  [[nodiscard]] const FinePeople& learned(const MethodInput& input, const solve::Partition& partition,
                                          const Progress& progress);
  /// Distances and values at least.
  [[nodiscard]] FinePeople& people(const MethodInput& input, const solve::Partition& partition,
                                   const Progress& progress);

 private:
  std::map<std::vector<int>, std::unique_ptr<FinePeople>> by_groups_;
};

}  // namespace hyobscure::obscure
