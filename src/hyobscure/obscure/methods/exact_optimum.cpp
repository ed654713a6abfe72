#include <algorithm>

#include "hyobscure/obscure/methods/group_search.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::obscure {

namespace {

constexpr const char* kBestFound =
    "The groups are the best found: no proof covers all ways to join neighbours. The joint gap is to what "
    "the sizes of any groups within the limits must tell.";

MethodResult result_of(const MethodInput& input, solve::FoundGroups found) {
  if (input.keeps()) {  // the groups were searched as if nothing were kept: no proof about what is published
    MethodResult result = solved_result(input, solve_groups(input, found.partition, 0));
    result.converged = result.converged && found.finished;
    return result;
  }
  const double groups = solve::group_entropy(solve::problem_of(input.tables, found.partition).problem.joints);
  const Round round{.objective = found.objective_nats * kBitsPerNat,
                    .leakage = (groups + found.solution.info.leakage_nats) * kBitsPerNat,
                    .distance = found.solution.info.distance};
  MethodResult result = solved_result(input, {std::move(found.partition), std::move(found.solution), round});
  result.converged = result.converged && found.finished;
  if (input.retain == 0 && !input.composer)
    result.joint_lower_bound_bits = found.lower_bound_nats * kBitsPerNat;
  if (!input.layout.search_is_exact()) result.note = kBestFound;
  return result;
}

/// Kept columns narrow the pools, where donors may be nearer than the search, which does not know them, can
/// come: then the pools of its nearest groups decide whether the budget can be met.
MethodResult answer(const MethodInput& input, GroupSearch& search, const Progress& progress) {
  const double smallest = search.smallest_distance();
  if (!input.keeps() && !input.composer) require_reach(input, smallest, "any groups within the limits");
  try {
    return result_of(input, search.solve(std::max(input.drawn_budget(), smallest), progress));
  } catch (const solve::LiftsOutOfReach& refused) {
    throw out_of_reach(input, refused);
  }
}

void sweep_exact(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                 const OnBudget& on_budget) {
  if (input.groups_are_fixed) return method_named("xobf").sweep(input, budgets, progress, on_budget);
  progress.report("searching groups and channels", 0, 0);
  GroupSearch search(input, {.gap_bits = input.gap_bits});
  answer_each(input, budgets, progress, on_budget,
              [&](const MethodInput& at) { return answer(at, search, progress); });
}

MethodResult run_exact(const MethodInput& input, const Progress& progress) {
  if (input.groups_are_fixed) return method_named("xobf").run(input, progress);
  progress.report("searching groups and channels", 0, 0);
  GroupSearch search(input, {.gap_bits = input.gap_bits});
  return answer(input, search, progress);
}

}  // namespace

Method exact_method() {
  return {.name = "exact",
          .help = "groups and channels together: the joint optimum with a proof; of areas, the best found",
          .limits_lifts = true,
          .run = run_exact,
          .sweep = sweep_exact};
}

}  // namespace hyobscure::obscure
