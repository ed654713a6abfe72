#pragma once

#include <Eigen/Core>
#include <string>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/census/distance.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

struct CensusSettings {
  KMeansSettings clustering;
  Distance distance = Distance::JensenShannon;
  std::string source = {};  ///< what errors about the rows name as their place
};

/// What the optimiser needs, and nothing else: after the census its cost does not depend on the number of
/// people. A cell (y, c) holds the people of cluster c whose secret is value y; many cells are empty.
struct Census {
  Clustering clustering;      ///< cluster_of_row[u] is the cluster of person u
  Eigen::MatrixXd counts;     ///< clusters x values: n(c, y); sums to the number of people
  Eigen::MatrixXd pair_sums;  ///< by cell_index, both ways: summed distance of all pairs; 0 for empty cells
};

/// The place of cell (y, c) in pair_sums: the clusters of a value lie together.
[[nodiscard]] constexpr Eigen::Index cell_index(Eigen::Index value, Eigen::Index cluster,
                                                Eigen::Index clusters) {
  return value * clusters + cluster;
}

/// The key of the clusters of a census.
[[nodiscard]] inline Key clusters_key(const Key& census) { return census.derive("clusters"); }

/// Throws InputError when the table of distances would exceed 2 GiB.
void check_size(std::size_t values, int clusters);

/// Clusters the people by their features, counts the cells and adds up the distances between them.
/// Cost: that of cluster_rows and pair_sums on the cells that are not empty.
/// Memory: twice (values * clusters)^2 doubles; throws InputError when that table would exceed 2 GiB, and as
/// cluster_rows and pair_sums do.
[[nodiscard]] Census take_census(const data::People& people, const CensusSettings& settings, const Key& key,
                                 const Progress& progress = {});

}  // namespace hyobscure::census
