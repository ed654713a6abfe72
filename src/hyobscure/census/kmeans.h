#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people.h"

namespace hyobscure::census {

struct KMeansSettings {
  int clusters = 10;         ///< at least 1, at most the number of distinct rows
  int starts = 5;            ///< seeds tried; the clustering with the least inertia is kept
  int max_iterations = 100;  ///< of each start
  bool normalise = false;    ///< scale rows to sum 1 first; a row without a positive sum stays as it is
  double tolerance = 1e-5;   ///< a start ends when an iteration lowers the inertia by less than this share
};

/// What is needed to find the cluster of a row that was not there before.
struct ClusterModel {
  Eigen::MatrixXd centres;  ///< clusters x columns, so that what an item adds to all products lies together
  bool normalise = false;

  int clusters() const { return static_cast<int>(centres.rows()); }
};

struct Clustering {
  ClusterModel model;
  std::vector<std::uint32_t> cluster_of_row;  ///< exactly assign(model, rows); no cluster is empty
  double inertia = kUnset;                    ///< sum of |row - its centre|^2
  int iterations = 0;                         ///< of the start that was kept
};

/// Groups alike rows (Lloyd's k-means from k-means++ seeds):
///
///   minimise  sum over rows of min_c |x - centre_c|^2
///
/// A local minimum, the best of `starts`. An empty cluster is given the row farthest from its centre.
/// Clusters are numbered by size, the largest first, ties by their first row. The result depends on the rows,
/// settings and key only, not on the number of threads.
///
/// Cost of an iteration: O(entries * clusters). Distances are computed as |x|^2 - 2 x.c + |c|^2, so rows that
/// differ by less than 1e-7 of their length cannot be told apart.
///
/// Throws InputError for settings out of range, entries that are not finite and fewer distinct rows than
/// clusters, and Stopped.
[[nodiscard]] Clustering cluster_rows(const data::SparseRows& rows, const KMeansSettings& settings,
                                      const Key& key, const Progress& progress = {});

/// The nearest centre of every row; ties go to the lower number. Rows may have other entries than those that
/// were clustered, but the same columns. Cost: O(entries * clusters).
[[nodiscard]] std::vector<std::uint32_t> assign(const ClusterModel& model, const data::SparseRows& rows);

/// One k-means++ start: rows drawn with probability proportional to the squared distance from those drawn
/// before (Arthur and Vassilvitskii, SODA 2007). There must be as many distinct rows as clusters.
[[nodiscard]] ClusterModel seed_centres(const data::SparseRows& rows, const KMeansSettings& settings,
                                        const Key& key);

/// Lloyd's iteration from the given centres. Reads max_iterations and tolerance of the settings.
[[nodiscard]] Clustering refine(const data::SparseRows& rows, ClusterModel model,
                                const KMeansSettings& settings, const Progress& progress = {});

}  // namespace hyobscure::census
