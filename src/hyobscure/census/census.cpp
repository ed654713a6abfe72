#include "hyobscure/census/census.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "hyobscure/base/error.h"
#include "hyobscure/census/checked_rows.h"

namespace hyobscure::census {
namespace {

using data::People;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr double kMostBytes = 2.0 * 1024 * 1024 * 1024;

void check_size(std::size_t values, int clusters) {
  const double cells = static_cast<double>(values) * clusters;
  if (cells * cells * sizeof(double) <= kMostBytes) return;
  throw InputError(
      {.source = "clusters"},
      fmt::format("{} values x {} clusters need a table of {:.1f} GiB, more than the 2 GiB allowed", values,
                  clusters, cells * cells * sizeof(double) / (kMostBytes / 2)),
      "Ask for fewer clusters, or cut the secret into fewer atoms.");
}

MatrixXd count_cells(const People& people, const Clustering& clustering) {
  MatrixXd counts = MatrixXd::Zero(clustering.model.clusters(), static_cast<Index>(people.values.size()));
  for (std::size_t u = 0; u < people.size(); ++u)
    counts(clustering.cluster_of_row[u], people.secrets[u]) += 1;
  return counts;
}

// The cells that hold people, numbered without gaps in the order of cell_index.
struct Occupied {
  std::vector<Index> cells;
  std::vector<std::uint32_t> cell_of_person;
};

Occupied number_occupied(const People& people, const Clustering& clustering, const MatrixXd& counts) {
  Occupied occupied;
  std::vector<std::uint32_t> number(static_cast<std::size_t>(counts.size()));
  for (Index cell = 0; cell < counts.size(); ++cell) {  // counts is stored value by value, as cell_index
    number[static_cast<std::size_t>(cell)] = static_cast<std::uint32_t>(occupied.cells.size());
    if (counts(cell) > 0) occupied.cells.push_back(cell);
  }
  occupied.cell_of_person.reserve(people.size());
  for (std::size_t u = 0; u < people.size(); ++u)
    occupied.cell_of_person.push_back(number[static_cast<std::size_t>(
        cell_index(people.secrets[u], clustering.cluster_of_row[u], counts.rows()))]);
  return occupied;
}

MatrixXd sum_distances(const People& people, const Occupied& occupied, Index cells, Distance distance,
                       const Progress& progress) {
  MatrixXd sums = pair_sums_of_checked_rows(distance, people.features, occupied.cell_of_person,
                                            occupied.cells.size(), progress);
  if (sums.rows() == cells) return sums;
  MatrixXd all = MatrixXd::Zero(cells, cells);
  all(occupied.cells, occupied.cells) = sums;
  return all;
}

}  // namespace

Census take_census(const People& people, const CensusSettings& settings, const Key& key,
                   const Progress& progress) {
  check_size(people.values.size(), settings.clustering.clusters);
  check_rows(settings.distance, people.features, settings.source);
  Clustering clustering =
      cluster_checked_rows(people.features, settings.clustering, key.derive("clusters"), progress);
  MatrixXd counts = count_cells(people, clustering);
  const Occupied occupied = number_occupied(people, clustering, counts);
  MatrixXd sums = sum_distances(people, occupied, counts.size(), settings.distance, progress);
  return {.clustering = std::move(clustering), .counts = std::move(counts), .pair_sums = std::move(sums)};
}

}  // namespace hyobscure::census
