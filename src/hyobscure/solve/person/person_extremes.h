#pragma once

#include <Eigen/Core>
#include <optional>

#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::solve {

/// One end of what a pool can do, people weighing 1.
struct CheapestChannel {
  double distance = 0;  ///< no channel of the pool has a smaller one
  /// Of that distance. Absent for a balanced pool too large for an assignment, where `distance` is a bound.
  std::optional<SparseChannel> channel;
  /// d(u,j) >= person_prices(u) + donor_prices(j): channels on the pairs with equality, and no others, have
  /// the smallest distance. Set where there is a channel.
  Eigen::VectorXd person_prices, donor_prices;
};

/// The other end: nothing leaks. For a pool with candidates the distance of a candidate drawn uniformly,
/// which leaks, and no channel.
struct HarmlessChannel {
  double distance = 0;
  bool harmless = true;  ///< false: nothing can be, since a value has one person who never publishes himself
  std::optional<SparseChannel> channel;  ///< absent where it would be too large to be worth keeping
};

[[nodiscard]] CheapestChannel cheapest_channel(const PersonPool& pool, const PersonTerms& terms);
[[nodiscard]] HarmlessChannel harmless_channel(const PersonPool& pool, const PersonTerms& terms);

/// The channel without the pairs that a channel of the smallest distance cannot use.
[[nodiscard]] SparseChannel on_cheapest_pairs(const PersonPool& pool, const PersonTerms& terms,
                                              const CheapestChannel& cheapest, const SparseChannel& channel);

}  // namespace hyobscure::solve
