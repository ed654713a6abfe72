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
  if (input.keeps()) {  // the groups were searched as if nothing were kept: no proof about what is published
    MethodResult result = solved_result(input, solve_groups(input, found.partition, 0));
    result.converged = result.converged && found.closed;
    return result;
  }
  const double groups = solve::group_entropy(solve::problem_of(input.tables, found.partition).problem.joints);
  const Round round{.objective = found.objective_nats * kBitsPerNat,
                    .leakage = (groups + found.solution.info.leakage_nats) * kBitsPerNat,
                    .distance = found.solution.info.distance};
  const double lower_bound = found.lower_bound_nats * kBitsPerNat;
  const bool closed = found.closed;
  MethodResult result = solved_result(input, {std::move(found.partition), std::move(found.solution), round});
  result.converged = result.converged && closed;
  if (input.retain == 0) result.joint_lower_bound_bits = lower_bound;
  return result;
}

}  // namespace

void sweep_exact(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                 const OnBudget& on_budget) {
  if (input.groups_are_fixed) return method_named("xobf").sweep(input, budgets, progress, on_budget);
  progress.report("searching groups and channels", 0, 0);
  solve::ExactSearch search = search_of(input);  // what one budget teaches about segments serves the next
  answer_each(input, budgets, progress, on_budget, [&](const MethodInput& at) {
    require_reach(at, search.smallest_distance(), "any groups within the limits");
    return result_of(at, search.solve(at.drawn_budget(), progress));
  });
}

MethodResult run_exact(const MethodInput& input, const Progress& progress) {
  if (input.groups_are_fixed) return run_xobf(input, progress);
  progress.report("searching groups and channels", 0, 0);
  solve::ExactSearch search = search_of(input);
  require_reach(input, search.smallest_distance(), "any groups within the limits");
  return result_of(input, search.solve(input.drawn_budget(), progress));
}

}  // namespace hyobscure::obscure
