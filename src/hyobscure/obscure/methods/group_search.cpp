#include "hyobscure/obscure/methods/group_search.h"

namespace hyobscure::obscure {

GroupSearch::GroupSearch(const MethodInput& input, const GroupSearchSettings& settings) : input_(input) {
  if (input.areas == nullptr) {
    runs_ = std::make_unique<solve::ExactSearch>(
        input.tables, input.values, input.limits,
        solve::ExactSettings{.groups = input.group_count,
                             .objective = input.objective,
                             .gap_tolerance_bits = settings.gap_bits,
                             .closing_tolerance_bits = settings.closing_tolerance_bits});
    return;
  }
  areas_ = std::make_unique<solve::AreaSearch>(
      input.tables, *input.areas, input.limits,
      solve::AreaSearchSettings{
          .groups = input.group_count, .objective = input.objective, .gap_tolerance_bits = settings.gap_bits},
      std::vector<solve::Partition>{input.first_groups});
}

double GroupSearch::smallest_distance() const {
  return runs_ ? runs_->smallest_distance() : areas_->smallest_distance();
}

FoundGroups GroupSearch::solve(double drawn_budget, const Progress& progress) {
  if (areas_) return solve_areas(drawn_budget, progress);
  solve::ExactResult found = runs_->solve(drawn_budget, progress);
  return {std::move(found.partition), std::move(found.solution), found.objective_nats, found.lower_bound_nats,
          found.closed};
}

/// Also from where the paper's search ends, so that ours never does worse.
FoundGroups GroupSearch::solve_areas(double drawn_budget, const Progress& progress) {
  MethodInput at = input_;
  at.budget = drawn_budget * (1 - at.retain);
  std::vector<solve::Partition> also;
  try {
    also.push_back(method_named("hyobscure").run(at, progress).partition);
  } catch (const BudgetOutOfReach&) {  // of its first groups; others may be nearer
  }
  solve::AreaSearchResult found = areas_->solve(drawn_budget, progress, also);
  return {std::move(found.partition), std::move(found.solution), found.objective_nats, found.lower_bound_nats,
          !found.stopped};
}

}  // namespace hyobscure::obscure
