#include "hyobscure/obscure/methods/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::obscure {

void answer_each(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                 const OnBudget& on_budget,
                 const std::function<MethodResult(const MethodInput& at)>& answer) {
  MethodInput at = input;
  for (const double budget : budgets) {
    if (progress.stop_requested()) return;
    at.budget = budget;
    try {
      on_budget(budget, answer(at));
    } catch (const BudgetOutOfReach&) {
      // The caller sees which budgets were answered.
    }
  }
}

void require_reach(const MethodInput& input, double smallest, const std::string& what) {
  if (input.drawn_budget() >= smallest * (1 - 1e-12)) return;
  throw BudgetOutOfReach(
      fmt::format("{} is below {:.6g}, the smallest expected distance that {} can reach", input.budget,
                  std::ceil(smallest * (1 - input.retain) * 1e6) / 1e6, what),
      "Raise the budget, or use more clusters.");
}

BudgetOutOfReach out_of_reach(const MethodInput& input, const solve::LiftsOutOfReach& refused,
                              std::optional<double> works) {
  const std::string larger =
      works ? fmt::format("a larger max_lift (at this budget {:.4g} works)", std::ceil(*works * 1e3) / 1e3)
            : "a larger max_lift";
  return {fmt::format("{} is below {:.6g}, the smallest expected distance at which channel.max_lift and "
                      "channel.min_lift can be kept",
                      input.budget, std::ceil(refused.smallest_distance() * (1 + 1e-5) * 1e6) / 1e6),
          fmt::format("Raise the budget, or allow {} or a smaller min_lift.", larger)};
}

namespace {

/// The optimal channels of the problem within the budget and the limits on lifts.
solve::ChannelResult solve_problem(const MethodInput& input, const solve::ChannelProblem& problem,
                                   double smallest) {
  try {
    return solve::solve_with_budget(problem, std::max(input.drawn_budget(), smallest),
                                    {.gap_tolerance_bits = input.gap_bits});
  } catch (const solve::LiftsOutOfReach& refused) {
    throw out_of_reach(input, refused);
  }
}

/// The cells of people who share group and kept columns, which the tables of the groups do not tell apart.
solve::SegmentTables::Segment cells_of(const MethodInput& input, const std::vector<std::uint32_t>& members,
                                       const solve::Partition& partition) {
  const std::vector<int> values =
      partition.members(partition.group_of(static_cast<int>(input.people.secrets[members.front()])));
  std::map<std::uint32_t, std::uint32_t> row_of_cluster;
  for (const std::uint32_t u : members) row_of_cluster[input.cluster_of_person[u]] = 0;
  solve::SegmentTables::Segment cells;
  for (auto& [cluster, row] : row_of_cluster) {
    row = static_cast<std::uint32_t>(cells.clusters.size());
    cells.clusters.push_back(static_cast<int>(cluster));
  }
  const auto clusters = static_cast<Eigen::Index>(cells.clusters.size());
  data::SparseRows rows;
  rows.columns = input.people.features.columns;
  std::vector<std::uint32_t> cell_of_row;
  Eigen::VectorXd people = Eigen::VectorXd::Zero(clusters);
  cells.joint = Eigen::MatrixXd::Zero(clusters, static_cast<Eigen::Index>(values.size()));
  for (const std::uint32_t u : members) {
    const auto row = input.people.features[u];
    rows.append_row(row);
    cell_of_row.push_back(row_of_cluster[input.cluster_of_person[u]]);
    people[cell_of_row.back()] += 1;
    const auto place = std::ranges::lower_bound(values, static_cast<int>(input.people.secrets[u]));
    cells.joint(cell_of_row.back(), place - values.begin()) += 1 / input.tables.total();
  }
  cells.distance = census::pair_sums(input.distance, rows, cell_of_row, cells.clusters.size()).array() /
                   (people * people.transpose()).array();
  return cells;
}

}  // namespace

Pools people_of_pools(const MethodInput& input, const solve::Partition& partition) {
  if (!input.within_groups) return one_pool(input.people.size());
  return input.keeps() ? pools_by_group(input.people, partition) : groups_alone(input.people, partition);
}

std::vector<DonorPool> donor_pools(const MethodInput& input, const solve::Partition& partition) {
  std::vector<DonorPool> pools;
  if (!input.within_groups)
    pools.push_back({input.tables.segment(0, input.tables.values())});
  else if (input.keeps())
    for (const auto& members : pools_by_group(input.people, partition).members)
      pools.push_back({cells_of(input, members, partition)});
  else
    for (int g = 0; g < partition.groups(); ++g) pools.push_back({input.tables.group(partition, g)});
  for (DonorPool& pool : pools) pool.people = std::llround(pool.cells.joint.sum() * input.tables.total());
  return pools;
}

solve::ChannelProblem channel_problem(const std::vector<DonorPool>& pools) {
  solve::ChannelProblem problem;
  for (const DonorPool& pool : pools) {
    problem.joints.push_back(pool.cells.joint);
    problem.distances.push_back(pool.cells.distance);
  }
  return problem;
}

BudgetRange cell_range(const MethodInput& input) {
  const solve::ChannelProblem problem = channel_problem(donor_pools(input, input.first_groups));
  return {(1 - input.retain) * solve::smallest_distance(problem),
          (1 - input.retain) * solve::harmless_distance(problem)};
}

double uniform_distance(const solve::ChannelProblem& problem) {
  double sum = 0;
  for (std::size_t g = 0; g < problem.joints.size(); ++g) {
    const Eigen::VectorXd weights = problem.joints[g].rowwise().sum();
    sum += weights.dot(problem.distances[g] * weights) / weights.sum();
  }
  return sum;
}

SolvedGroups solve_groups(const MethodInput& input, const solve::Partition& partition, int moves) {
  solve::ChannelProblem problem = channel_problem(donor_pools(input, partition));
  problem.lifts = input.lifts;
  const double smallest = solve::smallest_distance(problem);
  require_reach(input, smallest, fmt::format("these groups and {} clusters", input.tables.clusters()));
  SolvedGroups solved{partition, solve_problem(input, problem, smallest), {}};
  const double features = solved.solution.info.leakage_nats * kBitsPerNat;
  solved.round.leakage = features + (input.keeps() ? leakage_of_groups(input.people, partition)
                                                   : solve::group_entropy(problem.joints) * kBitsPerNat);
  solved.round.objective = input.objective == solve::Objective::Total ? solved.round.leakage : features;
  solved.round.distance = solved.solution.info.distance;
  solved.round.moves = moves;
  return solved;
}

solve::BoundarySearchResult move_boundaries(const MethodInput& input, const solve::Partition& partition,
                                            const solve::PartitionChannels& channels, RandomStream& random) {
  solve::BoundarySearchSettings settings;
  settings.acceptance = input.search.acceptance;
  settings.objective = input.objective;
  settings.budget = input.drawn_budget();
  return input.layout.move_boundaries(input.tables, input.limits, partition, channels, settings, random);
}

Channel cell_channel(const MethodInput& input, const solve::SegmentTables::Segment& segment,
                     Eigen::MatrixXd probabilities) {
  CellDraw draw{.clusters = segment.clusters, .people = {}, .probabilities = std::move(probabilities)};
  Channel channel{.people = 0, .retain = input.retain};
  const Eigen::VectorXd people = segment.joint.rowwise().sum() * input.tables.total();
  for (const double count : people) {
    draw.people.push_back(std::llround(count));
    channel.people += draw.people.back();
  }
  channel.draw = std::move(draw);
  return channel;
}

MethodResult cell_result(const MethodInput& input, const solve::Partition& partition,
                         const std::vector<Eigen::MatrixXd>& channels) {
  MethodResult result{.partition = partition, .distance = 0};
  const auto pools = donor_pools(input, partition);
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto& segment = pools[p].cells;
    const Eigen::MatrixXd& rows = channels[p];
    result.distance += (1 - input.retain) *
                       segment.joint.rowwise().sum().dot(rows.cwiseProduct(segment.distance).rowwise().sum());
    result.channels.push_back(cell_channel(input, segment, rows));
  }
  return result;
}

MethodResult solved_result(const MethodInput& input, SolvedGroups solved) {
  MethodResult result = cell_result(input, solved.partition, solved.solution.channels);
  result.history = {solved.round};
  result.converged = solved.solution.info.status == solve::SolveStatus::Solved;
  // The proof is about drawn rows; what retained rows tell is outside of it.
  if (input.retain == 0) result.gap_bits = solved.solution.info.gap_nats * kBitsPerNat;
  return result;
}

}  // namespace hyobscure::obscure
