#include <optional>

#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {
namespace {

std::optional<SolvedGroups> solve_if_in_reach(const MethodInput& input,
                                              const solve::BoundarySearchResult& moved) {
  try {
    return solve_groups(input, moved.partition, moved.accepted);
  } catch (const BudgetOutOfReach&) {
    if (!input.lifts.any()) throw;
    return std::nullopt;
  }
}

MethodResult run_hyobscure(const MethodInput& given, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  MethodInput input = given;
  input.ignore_kept = true;
  SolvedGroups best = solve_groups(input, input.first_groups, 0);
  std::vector<Round> history = {best.round};
  bool stopped = false;
  RandomStream random(input.key.derive("boundaries"));
  while (!input.groups_are_fixed) {
    stopped = progress.stop_requested();
    if (stopped) break;
    const solve::PartitionChannels channels{best.solution.channels,
                                            solve::problem_of(input.tables, best.partition).clusters};
    const auto moved = move_boundaries(input, best.partition, channels, random);
    if (moved.accepted == 0) break;
    std::optional<SolvedGroups> within = solve_if_in_reach(input, moved);
    if (!within) break;  // carried-over channels do not know of limits on lifts
    SolvedGroups solved = *std::move(within);
    // The carried-over channel already leaked less within the budget, so the optimal one does; rounding may
    // say otherwise.
    const double gain = best.round.objective - solved.round.objective;
    if (gain <= 0) break;
    best = std::move(solved);
    history.push_back(best.round);
    progress.report("moving boundaries", 0, 0);
    if (gain < input.search.convergence_bits) break;
  }
  if (given.keeps()) {
    best = solve_groups(given, best.partition, best.round.moves);
    history.push_back(best.round);
  }
  MethodResult result = solved_result(given, std::move(best));
  if (given.composer) history.push_back(result.history.back());
  result.history = std::move(history);
  result.converged = result.converged && !stopped;
  return result;
}

}  // namespace

Method hyobscure_method() {
  return {.name = "hyobscure",
          .help = "the paper's cross-iteration: groups and channels in turn",
          .limits_lifts = true,
          .run = run_hyobscure,
          .sweep = run_each<run_hyobscure>};
}

}  // namespace hyobscure::obscure
