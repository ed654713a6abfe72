#pragma once

// The work of cluster_rows and pair_sums on rows that have passed check_rows already: a census checks once.

#include "hyobscure/census/distance.h"
#include "hyobscure/census/kmeans.h"

namespace hyobscure::census {

Clustering cluster_checked_rows(const data::SparseRows& rows, const KMeansSettings& settings, const Key& key,
                                const Progress& progress);

Eigen::MatrixXd pair_sums_of_checked_rows(Distance distance, const data::SparseRows& rows,
                                          std::span<const std::uint32_t> cell_of_row, std::size_t cells,
                                          const Progress& progress);

}  // namespace hyobscure::census
