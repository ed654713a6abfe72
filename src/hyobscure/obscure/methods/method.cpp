#include "hyobscure/obscure/methods/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/methods/baseline.h"
#include "hyobscure/obscure/neighbours/near.h"
#include "hyobscure/obscure/neighbours/row_distances.h"
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

void require_reach(const MethodInput& input, double smallest, const std::string& what, double own) {
  if (input.drawn_budget(own) >= smallest * (1 - 1e-12)) return;
  throw BudgetOutOfReach(
      fmt::format("{} is below {:.6g}, the smallest expected distance that {} can reach{}", input.budget,
                  std::ceil((smallest * (1 - input.retain) + input.retain * own) * 1e6) / 1e6, what,
                  input.composer ? " with composed rows" : ""),
      input.composer ? "Raise the budget, or lower release.kin: rows of fewer people are nearer."
                     : "Raise the budget, or use more clusters.");
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
                                   double budget) {
  try {
    return solve::solve_with_budget(problem, budget, {.gap_tolerance_bits = input.gap_bits});
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

namespace {

/// Mean distances from the true rows of each cell to the composed rows of each; and of everybody to the own
/// one.
void measure_composed(const MethodInput& input, const data::SparseRows& composed,
                      std::span<const std::uint32_t> members, DonorPool& pool) {
  const std::vector<int>& clusters = pool.cells.clusters;
  const std::size_t cells = clusters.size();
  data::SparseRows rows;
  rows.columns = composed.columns;
  std::vector<std::uint32_t> cell_of_row;
  const auto add = [&](const data::SparseRows& from, std::size_t first_cell) {
    for (const std::uint32_t u : members) {
      rows.append_row(from[u]);
      const auto found = std::ranges::find(clusters, static_cast<int>(input.cluster_of_person[u]));
      cell_of_row.push_back(static_cast<std::uint32_t>(first_cell + (found - clusters.begin())));
    }
  };
  add(input.people.features, 0);
  add(composed, cells);
  const auto size = static_cast<Eigen::Index>(cells);
  const Eigen::VectorXd people = pool.cells.joint.rowwise().sum() * input.tables.total();
  pool.cells.distance = census::pair_sums(input.distance, rows, cell_of_row, 2 * cells)
                            .block(0, size, size, size)
                            .cwiseQuotient(people * people.transpose());
  CompensatedSum own;
  for (const std::uint32_t u : members)
    own.add(
        census::distance_between(input.distance, input.people.features[u], composed[u], composed.columns));
  pool.own_distance = own.value() / pool.size();
}

/// Of near donors, all pairs.
double near_distance(const MethodInput& input, const data::SparseRows& published,
                     std::span<const std::uint32_t> members, const NearDraw& draw) {
  const NearRows near(draw, input.people.features, members);
  const RowDistances distances(input.distance, input.people.features, published, members);
  std::vector<double> found(members.size());
  parallel_blocks(members.size(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<double> probabilities(members.size());
    std::vector<float> to(members.size());
    for (std::size_t i = begin; i < end; ++i) {
      near.row(i, probabilities);
      distances.row(i, to);
      found[i] = std::inner_product(to.begin(), to.end(), probabilities.begin(), 0.0);
    }
  });
  return std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(members.size());
}

}  // namespace

std::vector<DonorPool> published_pools(const MethodInput& input, const solve::Partition& partition) {
  std::vector<DonorPool> pools = donor_pools(input, partition);
  if (!input.composer) return pools;
  const Pools people = people_of_pools(input, partition);
  const auto composed = input.composer->rows(people);
  for (std::size_t p = 0; p < pools.size(); ++p)
    measure_composed(input, composed->rows, people.members[p], pools[p]);
  return pools;
}

double published_distance(const MethodInput& input, const solve::Partition& partition,
                          std::span<const Channel> channels) {
  const auto pools = published_pools(input, partition);
  const auto others = distances_to_others(pools);
  CompensatedSum sum;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const auto& cells = pools[p].cells;
    const double share = cells.joint.sum();
    double drawn = 0;
    if (const CellDraw* draw = channels[p].cells())
      drawn =
          cells.joint.rowwise().sum().dot(draw->probabilities.cwiseProduct(cells.distance).rowwise().sum());
    else if (const auto* near = std::get_if<NearDraw>(&channels[p].draw))
      drawn = share * near_distance(input, input.composer->rows(people_of_pools(input, partition))->rows,
                                    people_of_pools(input, partition).members[p], *near);
    else
      drawn = others[p];
    sum.add(channels[p].retain * share * pools[p].own_distance + (1 - channels[p].retain) * drawn);
  }
  return sum.value();
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
  const auto pools = published_pools(input, input.first_groups);
  const solve::ChannelProblem problem = channel_problem(pools);
  const double retained = input.retain * own_distance(pools);
  return {retained + (1 - input.retain) * solve::smallest_distance(problem),
          retained + (1 - input.retain) * solve::harmless_distance(problem)};
}

double own_distance(const std::vector<DonorPool>& pools) {
  double sum = 0;
  for (const DonorPool& pool : pools) sum += pool.cells.joint.sum() * pool.own_distance;
  return sum;
}

double uniform_distance(const solve::ChannelProblem& problem) {
  double sum = 0;
  for (std::size_t g = 0; g < problem.joints.size(); ++g) {
    const Eigen::VectorXd weights = problem.joints[g].rowwise().sum();
    sum += weights.dot(problem.distances[g] * weights) / weights.sum();
  }
  return sum;
}

namespace {

/// Within a budget of drawn rows that can be met.
SolvedGroups solve_pools(const MethodInput& input, const solve::Partition& partition,
                         const solve::ChannelProblem& problem, double budget, int moves) {
  SolvedGroups solved{partition, solve_problem(input, problem, budget), {}};
  const double features = solved.solution.info.leakage_nats * kBitsPerNat;
  solved.round.leakage = features + (input.keeps() ? leakage_of_groups(input.people, partition)
                                                   : solve::group_entropy(problem.joints) * kBitsPerNat);
  solved.round.objective = input.objective == solve::Objective::Total ? solved.round.leakage : features;
  solved.round.distance = solved.solution.info.distance;
  solved.round.moves = moves;
  return solved;
}

std::string groups_and_clusters(const MethodInput& input) {
  return fmt::format("these groups and {} clusters", input.tables.clusters());
}

}  // namespace

SolvedGroups solve_groups(const MethodInput& input, const solve::Partition& partition, int moves) {
  solve::ChannelProblem problem = channel_problem(donor_pools(input, partition));
  problem.lifts = input.lifts;
  const double smallest = solve::smallest_distance(problem);
  // Of composed rows, solved_result asks.
  if (!input.composer) require_reach(input, smallest, groups_and_clusters(input));
  return solve_pools(input, partition, problem, std::max(input.drawn_budget(), smallest), moves);
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
  if (input.composer) result.distance = published_distance(input, partition, result.channels);
  return result;
}

namespace {

/// What solve_groups does, for composed rows.
SolvedGroups solve_composed(const MethodInput& input, const solve::Partition& partition, int moves,
                            double& smallest) {
  const auto pools = published_pools(input, partition);
  const double own = own_distance(pools);
  solve::ChannelProblem problem = channel_problem(pools);
  problem.lifts = input.lifts;
  const double drawn = solve::smallest_distance(problem);
  smallest = input.retain * own + (1 - input.retain) * drawn;
  require_reach(input, drawn, groups_and_clusters(input), own);
  return solve_pools(input, partition, problem, std::max(input.drawn_budget(own), drawn), moves);
}

}  // namespace

MethodResult solved_result(const MethodInput& input, SolvedGroups solved) {
  double smallest = kUnset;
  if (input.composer) solved = solve_composed(input, solved.partition, solved.round.moves, smallest);
  MethodResult result = cell_result(input, solved.partition, solved.solution.channels);
  result.smallest_distance = smallest;
  result.history = {solved.round};
  result.converged = solved.solution.info.status == solve::SolveStatus::Solved;
  // The proof is about drawn rows; what retained rows tell is outside of it.
  if (input.retain == 0) result.gap_bits = solved.solution.info.gap_nats * kBitsPerNat;
  return result;
}

}  // namespace hyobscure::obscure
