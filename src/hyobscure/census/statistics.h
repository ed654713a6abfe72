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

/// How often a kind is among `draws` taken without replacement from `all`, of which `kind` are of it. Exact
/// but for the rounding of its probabilities (a share of 1e-5 for 1e9 people).
[[nodiscard]] std::int64_t draw_hypergeometric(std::int64_t kind, std::int64_t all, std::int64_t draws,
                                               RandomStream& random);

/// The counts of (row, column) after a random permutation of everybody's column: the sums of rows and columns
/// stay, each person need not be looked at. Cost: cells times the deviation of a count.
[[nodiscard]] Eigen::MatrixXd permuted_table(const Eigen::MatrixXd& counts, RandomStream& random);

}  // namespace hyobscure::census
