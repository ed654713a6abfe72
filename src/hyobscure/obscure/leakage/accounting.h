#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/obscure/mechanism/donor_channel.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// Whose rows are published how.
struct AccountInput {
  const data::People& people;
  std::span<const std::uint32_t> cluster_of_person;
  int clusters = 0;
  const Pools& strata;                ///< what is published beside a row, the group: the attacker knows it
  const Pools& pools;                 ///< who may donate to whom: the strata, or one pool of all
  std::span<const Channel> channels;  ///< one a pool

  /// Values were joined, and leakage is about the exact ones (exact_values.h).
  bool of_exact_values() const;
};

/// What the features of a release tell beyond the groups, in bits; from the exact channel, never from
/// samples.
struct FeatureLeakage {
  /// I(Y; V | G), V the donor: what an attacker learns on average who knows all rows, all secrets and the
  /// channel, but not which of the rows is the target's own.
  double people = kUnset;
  /// I(Y; C' | G), C' the cluster of the published row. Equal to the above where the donor is uniform in its
  /// cell; a method that keeps one's own row at times looks harmless here and is not.
  double clusters = kUnset;
  /// Mean and deviation of `people` for values shuffled within the strata: few people over many rows leak by
  /// chance.
  double null = kUnset;
  double null_deviation = kUnset;
};

/// What is published beside a row, the group, of so many people; and the pool that they draw from.
struct CountedStratum {
  Eigen::MatrixXd counts;                  ///< clusters x values that the stratum may hold
  Eigen::VectorXd pool;                    ///< people of the pool by cluster
  const Channel& channel;                  ///< draws by cluster
  std::vector<std::uint32_t> values = {};  ///< of the columns; only lifts ask which (lift.h)
};

/// Whether clusters decide about the draw: then counting people is enough to account for it.
[[nodiscard]] bool draws_by_cluster(const Channel& channel);

/// Closed forms for cells and uniform donors. Cost: tables of clusters x values, whatever the number of
/// people. `shuffles` >= 2 for the null, or 0 for none.
[[nodiscard]] FeatureLeakage account(std::span<const CountedStratum> strata, int shuffles, const Key& key);

/// The same, and for draws by person. Near donors: all pairs of a pool.
[[nodiscard]] FeatureLeakage account(const AccountInput& input, int shuffles, const Key& key,
                                     const Progress& progress = {});

/// Expected share of the people who publish their own row.
[[nodiscard]] double own_rows(std::span<const Channel> channels, const data::People& people,
                              const Pools& pools, const Progress& progress = {});

/// I(Y; G), with kept columns I(Y; G, K), in bits: what is published beside the rows.
[[nodiscard]] double leakage_of_groups(const Population& population, const solve::Partition& partition);
[[nodiscard]] double leakage_of_groups(const data::People& people, const solve::Partition& partition);

/// Shuffles worth their time: 200 for few people, 20 for very many, whose null hardly varies.
[[nodiscard]] int shuffles_for(std::size_t people);

}  // namespace hyobscure::obscure
