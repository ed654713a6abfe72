#include "hyobscure/solve/exact.h"

#include "hyobscure/obscure/method.h"
#include "hyobscure/solve/leakage.h"

namespace hyobscure::obscure {

namespace {

solve::ExactSearch search_of(const MethodInput& input) {
  return {input.tables,
          input.values,
          input.limits,
          {.groups = input.group_count, .objective = input.objective, .gap_tolerance_bits = input.gap_bits}};
}

MethodResult result_of(const MethodInput& input, solve::ExactResult found) {
  const double groups = solve::group_entropy(solve::problem_of(input.tables, found.partition).problem.joints);
  const Round round{.objective = found.objective_nats * kBitsPerNat,
                    .leakage = (groups + found.solution.info.leakage_nats) * kBitsPerNat,
                    .distance = found.solution.info.distance};
  return {std::move(found.partition),
          std::move(found.solution),
          {round},
          found.closed,
          found.lower_bound_nats * kBitsPerNat};
}

}  // namespace

void sweep_exact(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                 const OnBudget& on_budget) {
  if (input.groups_are_fixed) return method_named("xobf").sweep(input, budgets, progress, on_budget);
  progress.report("searching groups and channels", 0, 0);
  solve::ExactSearch search = search_of(input);  // what one budget teaches about segments serves the next
  for (const double budget : budgets) {
    if (progress.stop_requested()) return;
    on_budget(budget, result_of(input, search.solve(budget, progress)));
  }
}

MethodResult run_exact(const MethodInput& input, const Progress& progress) {
  if (input.groups_are_fixed) return run_xobf(input, progress);
  progress.report("searching groups and channels", 0, 0);
  return result_of(input, search_of(input).solve(input.budget, progress));
}

}  // namespace hyobscure::obscure
