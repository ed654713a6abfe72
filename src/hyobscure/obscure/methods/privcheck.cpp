#include "hyobscure/obscure/methods/privcheck.h"

#include <algorithm>

#include "hyobscure/solve/groups/carried_channels.h"

namespace hyobscure::obscure {

PrivCheck::PrivCheck(const MethodInput& input)
    : input_(input),
      everybody_(input.tables.segment(0, input.tables.values())),
      problem_{{everybody_.joint}, {everybody_.distance}},
      smallest_(solve::smallest_distance(problem_)),
      harmless_(solve::harmless_distance(problem_)) {}

Eigen::MatrixXd PrivCheck::channel(double budget) const {
  return solve::solve_with_budget(problem_, std::clamp(budget, smallest_, harmless_),
                                  {.gap_tolerance_bits = input_.gap_bits})
      .channels[0];
}

std::vector<Eigen::MatrixXd> PrivCheck::restricted(const Eigen::MatrixXd& channel,
                                                   const solve::Partition& partition) const {
  const Eigen::VectorXd weights = everybody_.joint.rowwise().sum();
  std::vector<Eigen::MatrixXd> channels;
  for (const DonorPool& pool : donor_pools(input_, partition))
    channels.push_back(solve::carried_channel(channel, everybody_.clusters, weights, pool.cells));
  return channels;
}

Eigen::MatrixXd PrivCheck::channel_within(const solve::Partition& partition) const {
  const solve::ChannelProblem groups = channel_problem(donor_pools(input_, partition));
  const auto cost = [&](const Eigen::MatrixXd& tried) {
    return solve::expected_distance(groups, restricted(tried, partition));
  };
  Eigen::MatrixXd best = channel(harmless_);
  if (cost(best) <= input_.drawn_budget()) return best;
  best = channel(smallest_);
  require_reach(input_, cost(best), "PrivCheck's channel within these groups");
  double low = smallest_, high = harmless_;
  for (int i = 0; i < 40 && high - low > 1e-9 * high; ++i) {
    const double middle = (low + high) / 2;
    Eigen::MatrixXd tried = channel(middle);
    if (cost(tried) <= input_.drawn_budget()) {
      low = middle;
      best = std::move(tried);
    } else {
      high = middle;
    }
  }
  return best;
}

namespace {

MethodResult run_privcheck(const MethodInput& input, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  const PrivCheck privcheck(input);
  if (input.within_groups) {
    const Eigen::MatrixXd channel = privcheck.channel_within(input.first_groups);
    return cell_result(input, input.first_groups, privcheck.restricted(channel, input.first_groups));
  }
  const auto& everybody = privcheck.everybody();
  const Eigen::VectorXd weights = everybody.joint.rowwise().sum();
  require_reach(input, weights.dot(everybody.distance.rowwise().minCoeff()), "PrivCheck's channel");
  const Eigen::MatrixXd channel = privcheck.channel(input.drawn_budget());
  MethodResult result{.partition = input.first_groups};
  result.within_groups = false;
  result.channels = {cell_channel(input, everybody, channel)};
  result.distance =
      (1 - input.retain) * weights.dot(channel.cwiseProduct(everybody.distance).rowwise().sum());
  return result;
}

}  // namespace

Method privcheck_method() {
  return {.name = "privcheck",
          .help = "one channel for all people, blind to the groups",
          .across_groups = true,
          .run = run_privcheck,
          .sweep = run_each<run_privcheck>};
}

}  // namespace hyobscure::obscure
