#include "hyobscure/obscure/methods/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/leakage/exact_values.h"

namespace hyobscure::obscure {

std::vector<double> distances_to_others(const std::vector<DonorPool>& pools) {
  std::vector<double> summands;
  for (const DonorPool& pool : pools) {
    const Eigen::VectorXd weights = pool.cells.joint.rowwise().sum();
    // Mean over all pairs of the pool, self pairs included; then only over others.
    const double share = weights.sum();
    const double mean = weights.dot(pool.cells.distance * weights) / (share * share);
    summands.push_back(pool.size() > 1 ? share * (mean * pool.size() - pool.own_distance) / (pool.size() - 1)
                                       : share * pool.own_distance);
  }
  return summands;
}

MethodResult baseline_result(const MethodInput& input, std::vector<Channel> channels, double drawn_distance,
                             Parameter parameter) {
  MethodResult result{.partition = input.first_groups, .channels = std::move(channels)};
  for (Channel& channel : result.channels)
    channel.retain = input.retain + (1 - input.retain) * channel.retain;
  result.within_groups = input.within_groups;
  result.distance = input.composer ? published_distance(input, result.partition, result.channels)
                                   : (1 - input.retain) * drawn_distance;
  result.parameter = std::move(parameter);
  return result;
}

namespace {

/// How often each secret occurs among some of the people, exact ones where values were joined.
Eigen::RowVectorXd counts_of(const data::People& people, std::span<const std::uint32_t> members) {
  std::map<std::uint32_t, double> counts;
  for (const std::uint32_t u : members) counts[people.exact_secrets()[u]] += 1;
  Eigen::RowVectorXd row(static_cast<Eigen::Index>(counts.size()));
  Eigen::Index place = 0;
  for (const auto& [value, count] : counts) row[place++] = count;
  return row;
}

/// The secrets of each stratum, in the terms that leakage is stated in.
std::vector<Eigen::RowVectorXd> secrets_of_strata(const MethodInput& input, const solve::Partition& partition,
                                                  const std::vector<DonorPool>& pools, Secrets secrets) {
  std::vector<Eigen::RowVectorXd> counts;
  if (secrets == Secrets::Exact && counts_exact_values(input.people, input.tables.clusters())) {
    const Pools strata =
        input.keeps() ? pools_by_group(input.people, partition) : groups_alone(input.people, partition);
    for (const auto& members : strata.members) counts.push_back(counts_of(input.people, members));
    return counts;
  }
  const auto add = [&](const solve::SegmentTables::Segment& cells) {
    counts.push_back((cells.joint.colwise().sum() * input.tables.total()).array().round());
  };
  if (input.within_groups)
    for (const DonorPool& pool : pools) add(pool.cells);
  else
    for (int g = 0; g < partition.groups(); ++g) add(input.tables.group(partition, g));
  return counts;
}

}  // namespace

double leakage_of_random(const MethodInput& input, const solve::Partition& partition, double distance,
                         Secrets secrets) {
  const auto pools = published_pools(input, partition);
  const auto distances = distances_to_others(pools);
  const double own = own_distance(pools);
  const double farthest = std::accumulate(distances.begin(), distances.end(), 0.0);
  const double p = farthest > own ? std::clamp((distance - own) / (farthest - own), 0.0, 1.0) : 1.0;
  const Channel channel{.people = 0, .retain = 1 - p, .draw = OtherDraw{}};
  // Clusters do not decide about the draw: all people of a pool may stand in one.
  std::vector<CountedStratum> strata;
  for (const Eigen::RowVectorXd& counts : secrets_of_strata(input, partition, pools, secrets)) {
    const double pool = input.within_groups ? counts.sum() : input.tables.total();
    strata.push_back({counts, Eigen::VectorXd::Constant(1, pool), channel});
  }
  return account(strata, 0, input.key).people;
}

void check_parameter(const MethodInput& input, double low, double high) {
  if (!input.parameter || (*input.parameter >= low && *input.parameter <= high)) return;
  throw InputError({.source = "method.parameter"},
                   std::isfinite(high) ? fmt::format("expected a number from {} to {}", low, high)
                                       : fmt::format("expected a number from {}", low),
                   "Correct it, or leave it out and give a budget.");
}

double smallest_within(double low, double high, double limit, const std::function<double(double)>& distance) {
  if (distance(low) <= limit) return low;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (distance(middle) <= limit ? high : low) = middle;
  }
  return high;
}

}  // namespace hyobscure::obscure
