#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"

namespace hyobscure::census {

/// H of a distribution given by counts or probabilities, in nats; 0 when all are 0.
[[nodiscard]] double entropy(const Eigen::VectorXd& weights);

/// I of a joint distribution given by counts or probabilities, in nats, plug-in: biased up when there are few
/// people for many cells.
[[nodiscard]] double mutual_information(const Eigen::MatrixXd& counts);

/// I(Y; C | stratum) of the people's values and clusters, in nats, plug-in. No strata: one for all.
[[nodiscard]] double conditional_information(std::span<const std::uint32_t> cluster_of_person,
                                             std::span<const std::uint32_t> value_of_person,
                                             std::span<const std::uint32_t> stratum_of_person);

/// What conditional_information says where there is nothing to learn.
struct PermutationNull {
  double mean_nats = kUnset;
  double deviation_nats = kUnset;
  int permutations = 0;
};

/// Mean and deviation of conditional_information over random permutations of the values inside each stratum.
/// Show it next to every leakage: only what exceeds it is more than few people over many cells.
/// Deterministic for a key. Cost: permutations * people. Throws InputError for fewer than 2 permutations.
[[nodiscard]] PermutationNull permutation_null(std::span<const std::uint32_t> cluster_of_person,
                                               std::span<const std::uint32_t> value_of_person,
                                               std::span<const std::uint32_t> stratum_of_person,
                                               int permutations, const Key& key);

}  // namespace hyobscure::census
