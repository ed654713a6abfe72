#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

struct KMeansSettings {
  int clusters = 10;         ///< at least 1, at most the number of distinct rows
  int starts = 5;            ///< seeds tried; the clustering with the least inertia is kept
  int max_iterations = 100;  ///< of each start
  bool normalise = false;    ///< scale rows to sum 1 first; a row without a positive sum stays as it is
  double tolerance = 1e-5;   ///< a start ends when an iteration lowers the inertia by less than this share
  std::size_t sample = 0;    ///< more rows than this are clustered by a sample of so many; 0: default_sample
};

/// So many rows tell where the centres are: the expected excess of the inertia is about clusters / sample of
/// it where clusters lie apart (0.03 % for ten, never above 0.4 %) and some times that where they touch; see
/// kmeans.md.
[[nodiscard]] constexpr std::size_t default_sample(int clusters) {
  return std::max<std::size_t>(32'768, 256 * static_cast<std::size_t>(std::max(clusters, 0)));
}

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
/// More rows than settings.sample: the above for a sample of the rows drawn by the key, then one pass over
/// all rows, which finds the nearest centre of each, the inertia and the sizes that number the clusters. A
/// start is then a local minimum for the sample; kmeans.md derives what that costs.
///
/// Cost of an iteration: O(entries * clusters) of the rows that are clustered; memory: their entries, if they
/// are a sample, and some 16 bytes a row. Rows in a mapped file are read in their order and let go of, but
/// for the sample. Distances are computed as |x|^2 - 2 x.c + |c|^2, so rows that
/// differ by less than 1e-7 of their length cannot be told apart.
///
/// Throws InputError for settings out of range, entries that are not finite and fewer distinct rows than
/// clusters, and Stopped.
[[nodiscard]] Clustering cluster_rows(const data::SparseRows& rows, const KMeansSettings& settings,
                                      const Key& key, const Progress& progress = {});

// --- the same in steps, for people on many machines

/// The rows that tell the centres, ascending; nothing: all of them do.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> sample_for_clusters(std::size_t rows,
                                                                            const KMeansSettings& settings,
                                                                            const Key& key);

/// The centres that these rows tell, without canonical numbers. Throws as cluster_rows does.
[[nodiscard]] ClusterModel cluster_sample(const data::SparseRows& sample, const KMeansSettings& settings,
                                          const Key& key, const Progress& progress = {});

/// The clusters by size, the largest first, ties by their first row: sizes and first rows by cluster.
[[nodiscard]] std::vector<Eigen::Index> canonical_order(std::span<const std::size_t> sizes,
                                                        std::span<const std::size_t> first_rows);

/// Cluster order[i] becomes cluster i.
[[nodiscard]] ClusterModel reorder(const ClusterModel& model, const std::vector<Eigen::Index>& order);

/// The nearest centre of every row; ties go to the lower number. Rows may have other entries than those that
/// were clustered, but the same columns. Cost: O(entries * clusters), in one pass that lets go of the rows.
[[nodiscard]] std::vector<std::uint32_t> assign(const ClusterModel& model, const data::SparseRows& rows);

/// One k-means++ start: rows drawn with probability proportional to the squared distance from those drawn
/// before (Arthur and Vassilvitskii, SODA 2007). There must be as many distinct rows as clusters.
[[nodiscard]] ClusterModel seed_centres(const data::SparseRows& rows, const KMeansSettings& settings,
                                        const Key& key);

/// Lloyd's iteration from the given centres. Reads max_iterations and tolerance of the settings.
[[nodiscard]] Clustering refine(const data::SparseRows& rows, ClusterModel model,
                                const KMeansSettings& settings, const Progress& progress = {});

}  // namespace hyobscure::census
