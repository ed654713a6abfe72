#include "hyobscure/census/census.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/census/checked_rows.h"
#include "hyobscure/census/occupied.h"

namespace hyobscure::census {
namespace {

using data::People;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kMostBytes = 2.0 * 1024 * 1024 * 1024;

}  // namespace

void check_size(std::size_t values, int clusters) {
  const double cells = static_cast<double>(values) * clusters;
  if (cells * cells * sizeof(double) <= kMostBytes) return;
  throw InputError(
      {.source = "clusters"},
      fmt::format("{} values x {} clusters need a table of {:.1f} GiB, more than the 2 GiB allowed", values,
                  clusters, cells * cells * sizeof(double) / (kMostBytes / 2)),
      "Ask for fewer clusters, or cut the secret into fewer atoms.");
}

namespace {

MatrixXd count_cells(const People& people, const Clustering& clustering) {
  MatrixXd counts = MatrixXd::Zero(clustering.model.clusters(), static_cast<Index>(people.values.size()));
  for (std::size_t u = 0; u < people.size(); ++u)
    counts(clustering.cluster_of_row[u], people.secrets[u]) += 1;
  return counts;
}

MatrixXd sum_distances(const People& people, const Clustering& clustering, const MatrixXd& counts,
                       Distance distance, const Progress& progress) {
  const Occupied occupied = occupied_cells(counts);
  std::vector<std::uint32_t> cell_of_person;
  cell_of_person.reserve(people.size());
  for (std::size_t u = 0; u < people.size(); ++u)
    cell_of_person.push_back(occupied.number[static_cast<std::size_t>(
        cell_index(people.secrets[u], clustering.cluster_of_row[u], counts.rows()))]);
  return spread(
      pair_sums_of_checked_rows(distance, people.features, cell_of_person, occupied.cells.size(), progress),
      occupied, counts.size());
}

}  // namespace

Census take_census(const People& people, const CensusSettings& settings, const Key& key,
                   const Progress& progress) {
  check_size(people.values.size(), settings.clustering.clusters);
  check_rows(settings.distance, people.features, settings.source);
  Clustering clustering =
      cluster_checked_rows(people.features, settings.clustering, clusters_key(key), progress);
  MatrixXd counts = count_cells(people, clustering);
  MatrixXd sums = sum_distances(people, clustering, counts, settings.distance, progress);
  return {.clustering = std::move(clustering), .counts = std::move(counts), .pair_sums = std::move(sums)};
}

}  // namespace hyobscure::census
