#include <algorithm>

#include "hyobscure/obscure/method.h"

namespace hyobscure::obscure {
namespace {

solve::BoundarySearchResult move_boundaries(const MethodInput& input, const MethodResult& best,
                                            RandomStream& random) {
  solve::BoundarySearchSettings settings;
  settings.acceptance = input.acceptance;
  settings.objective = input.objective;
  settings.budget = input.budget;
  const solve::PartitionChannels channels{best.solution.channels,
                                          solve::problem_of(input.tables, best.partition).clusters};
  return solve::search_boundaries(input.tables, input.values, input.limits, best.partition, channels,
                                  settings, random);
}

}  // namespace

MethodResult run_hyobscure(const MethodInput& input, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  MethodResult best = run_xobf(input, {});
  if (input.groups_are_fixed) return best;
  RandomStream random(input.key.derive("boundaries"));
  for (;;) {
    if (progress.stop_requested()) {
      best.converged = false;
      return best;
    }
    const auto moved = move_boundaries(input, best, random);
    if (moved.accepted == 0) return best;
    SolvedGroups solved = solve_groups(input, moved.partition, moved.accepted);
    // The carried-over channel already leaked less within the budget, so the optimal one does; rounding may
    // say otherwise.
    const double gain = best.history.back().objective - solved.round.objective;
    if (gain <= 0) return best;
    best.partition = moved.partition;
    best.solution = std::move(solved.solution);
    best.history.push_back(solved.round);
    progress.report("moving boundaries", 0, 0);
    if (gain < input.convergence_bits) return best;
  }
}

}  // namespace hyobscure::obscure
