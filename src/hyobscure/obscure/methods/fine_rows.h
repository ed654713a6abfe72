#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/learn/learned_secret.h"
#include "hyobscure/obscure/compose/composed_rows.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/neighbours/row_distances.h"
#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::obscure {

/// A ward as the solver sees it, but for its distances.
using DescribeWard = std::function<solve::PersonPool(std::size_t ward)>;

/// What is asked of the rows of the people of some pools, wherever these rows are: in the memory of this
/// process, or on the machines of a cluster. Who asks (FinePeople) decides, and knows of each person no more
/// than numbers. Answers depend on the rows, the pools and what is asked, never on where rows are.
class FineRows {
 public:
  virtual ~FineRows() = default;

  /// Every pool cut into fair wards (neighbours/fair_tree.h), as positions in the pool. `key_of_pool`: one
  /// for each.
  [[nodiscard]] virtual std::vector<std::vector<std::vector<std::uint32_t>>> cut(
      std::size_t most_in_ward, std::span<const Key> key_of_pool, const Progress& progress) = 0;

  /// What a model of each pool says of its people (learn::learn_secret).
  [[nodiscard]] virtual learn::LearnedSecret learn(const Key& key, const Progress& progress) = 0;

  /// The people of each ward, ascending; asked for once, before what follows. `together`: all wards will be
  /// solved as one problem, with the distances of all in one memory.
  virtual void gather(std::vector<std::vector<std::uint32_t>> people_of_ward, bool together,
                      const Progress& progress) = 0;
  /// From now on wards are these. Called again when models have been learned.
  virtual void describe(DescribeWard ward) = 0;

  /// Of each ward the mean distance between some people, evenly spaced: neighbours in the order of ids have
  /// nothing in common.
  [[nodiscard]] virtual std::vector<double> spreads(const Progress& progress) = 0;
  /// solve::solve_people_with_budget where wards are together, else solve_many_pools_with_budget.
  [[nodiscard]] virtual solve::PersonResult solve(const solve::PoolList& wards,
                                                  const solve::PersonTerms& terms, double budget,
                                                  const solve::PersonSettings& settings,
                                                  const Progress& progress) = 0;
  /// solve::smallest_person_distance, where nobody may publish their own row.
  [[nodiscard]] virtual double smallest_distance(const solve::PoolList& wards,
                                                 const solve::PersonTerms& terms) = 0;
  /// Where wards are together in this memory: they are; else empty.
  [[nodiscard]] virtual std::span<const solve::PersonPool> kept() const { return {}; }
};

/// Where the rows of all people are.
class FineRowsOf {
 public:
  virtual ~FineRowsOf() = default;
  /// Of the people of these pools, who are all people. The pools must outlive it.
  [[nodiscard]] virtual std::unique_ptr<FineRows> pools(const Pools& pools) = 0;
};

/// In this memory. People and pools must outlive it. `composed`: distances are those to composed rows.
[[nodiscard]] std::unique_ptr<FineRows> rows_in_memory(const data::People& people, census::Distance distance,
                                                       const Pools& pools,
                                                       std::shared_ptr<const ComposedRows> composed = {});

/// The mean distance between some of these rows, which are those of a ward.
[[nodiscard]] double spread_of(census::Distance distance, const data::SparseRows& rows,
                               std::span<const std::uint32_t> ward, const Progress& progress = {});

/// The distances of all pairs of these rows.
[[nodiscard]] std::unique_ptr<solve::PersonDistances> distances_of_ward(const RowDistances& distances,
                                                                        const Progress& progress = {});

}  // namespace hyobscure::obscure
