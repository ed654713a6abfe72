#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "hyobscure/base/progress.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

/// pair_sums for Euclidean and Jaccard, pair by pair. An inverted index finds what each row shares with the
/// rows after it, so that a pair without shared items costs one step.
Eigen::MatrixXd pairwise_sums(Distance distance, const data::SparseRows& rows,
                              std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                              const Progress& progress);

}  // namespace hyobscure::census
