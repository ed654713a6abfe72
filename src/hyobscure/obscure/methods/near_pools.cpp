#include "hyobscure/obscure/methods/near_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/neighbours/near.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {
namespace {

constexpr std::size_t kRows = 16;  // a block of parallel work

obscure::DistanceTable all_pairs(census::Distance distance, const data::People& people,
                                 std::span<const std::uint32_t> pool, const Progress& progress) {
  return obscure::all_distances(obscure::RowDistances(distance, people.features, pool), progress);
}

}  // namespace

NearPools::NearPools(const MethodInput& input, const Progress& progress)
    : pools_(donor_pools(input, input.first_groups)), people_(input.tables.total()) {
  double pairs = 0;
  for (const DonorPool& pool : pools_) pairs += pool.size() * pool.size();
  person_by_person_ = pairs <= kMostPairs;
  progress.report("distances of all pairs", 0, 0);
  if (!person_by_person_) {
    for (const DonorPool& pool : pools_) largest_ = std::max(largest_, pool.cells.distance.maxCoeff());
    return;
  }
  for (const auto& pool : people_of_pools(input, input.first_groups).members) {
    deciding_.push_back(all_pairs(census::Distance::Jaccard, input.people, pool, progress));
    distances_.push_back(input.distance == census::Distance::Jaccard
                             ? deciding_.back()
                             : all_pairs(input.distance, input.people, pool, progress));
    largest_ = std::max(largest_, static_cast<double>(deciding_.back().maxCoeff()));
  }
}

Eigen::MatrixXd NearPools::cell_probabilities(const DonorPool& pool, const NearDraw& draw) const {
  const Eigen::RowVectorXd people = pool.cells.joint.rowwise().sum().transpose() * people_;
  Eigen::ArrayXXd nearness = (1 - pool.cells.distance.array()).max(0);
  if (draw.decay) nearness = (-*draw.decay * pool.cells.distance.array()).exp();
  Eigen::MatrixXd rows = (nearness.rowwise() * people.array()).matrix();
  for (Eigen::Index c = 0; c < rows.rows(); ++c) {
    if (rows.row(c).sum() == 0) rows.row(c) = people;
    rows.row(c) /= rows.row(c).sum();
  }
  return rows;
}

double NearPools::cell_distance(const NearDraw& draw) const {
  double sum = 0;
  for (const DonorPool& pool : pools_)
    sum += pool.cells.joint.rowwise().sum().dot(
        cell_probabilities(pool, draw).cwiseProduct(pool.cells.distance).rowwise().sum());
  return sum;
}

double NearPools::distance(const NearDraw& draw) const {
  if (!person_by_person_) return cell_distance(draw);
  double sum = 0;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const auto size = static_cast<std::size_t>(pools_[p].people);
    std::vector<double> parts(block_count(size, kRows), 0);
    parallel_blocks(size, kRows, [&](std::size_t begin, std::size_t end) {
      Eigen::VectorXd probabilities(static_cast<Eigen::Index>(size));
      for (std::size_t i = begin; i < end; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        near_probabilities(draw, {deciding_[p].row(row).data(), size}, i, {probabilities.data(), size});
        parts[begin / kRows] += distances_[p].row(row).cast<double>().dot(probabilities);
      }
    });
    for (const double part : parts) sum += part;
  }
  return sum / people_;
}

std::vector<Channel> NearPools::channels(const MethodInput& input, const NearDraw& draw) const {
  std::vector<Channel> channels;
  for (const DonorPool& pool : pools_) {
    if (person_by_person_)
      channels.push_back({.people = static_cast<std::int64_t>(pool.size()), .draw = draw});
    else
      channels.push_back(cell_channel(input, pool.cells, cell_probabilities(pool, draw)));
    channels.back().retain = 0;
  }
  return channels;
}

std::string NearPools::note() const {
  if (person_by_person_) return {};
  return fmt::format(
      "There are too many people for all pairs ({:.0e}): donors are drawn by the mean distances of "
      "clusters, in the spec's distance, and uniformly in their cell.",
      kMostPairs);
}

}  // namespace hyobscure::obscure
