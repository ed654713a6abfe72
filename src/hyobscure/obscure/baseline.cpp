#include "hyobscure/obscure/baseline.h"

#include <fmt/format.h>

#include <cmath>

namespace hyobscure::obscure {

std::vector<double> distances_to_others(const std::vector<DonorPool>& pools) {
  std::vector<double> summands;
  for (const DonorPool& pool : pools) {
    const Eigen::VectorXd weights = pool.cells.joint.rowwise().sum();
    // Mean over all pairs of the pool, self pairs included, which are 0; then only over others.
    const double share = weights.sum();
    const double mean = weights.dot(pool.cells.distance * weights) / (share * share);
    summands.push_back(pool.size() > 1 ? share * mean * pool.size() / (pool.size() - 1) : 0);
  }
  return summands;
}

MethodResult baseline_result(const MethodInput& input, std::vector<Channel> channels, double drawn_distance,
                             Parameter parameter) {
  MethodResult result{.partition = input.first_groups, .channels = std::move(channels)};
  for (Channel& channel : result.channels)
    channel.retain = input.retain + (1 - input.retain) * channel.retain;
  result.within_groups = input.within_groups;
  result.distance = (1 - input.retain) * drawn_distance;
  result.parameter = std::move(parameter);
  return result;
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
