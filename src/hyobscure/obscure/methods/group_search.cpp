#include "hyobscure/obscure/methods/group_search.h"

namespace hyobscure::obscure {

GroupSearch::GroupSearch(const MethodInput& input, const GroupSearchSettings& settings)
    : input_(input),
      search_(input.layout.joint_search(input.tables, input.limits,
                                        {.groups = input.group_count,
                                         .objective = input.objective,
                                         .gap_bits = settings.gap_bits,
                                         .closing_tolerance_bits = settings.closing_tolerance_bits,
                                         .lifts = input.lifts},
                                        {input.first_groups})) {}

solve::FoundGroups GroupSearch::solve(double drawn_budget, const Progress& progress) {
  std::vector<solve::Partition> also;
  // Where nothing is proven, also from where the paper's search ends, so that ours never does worse.
  if (!input_.layout.search_is_exact()) try {
      MethodInput at = input_;
      at.budget = drawn_budget * (1 - at.retain);
      also.push_back(method_named("hyobscure").run(at, progress).partition);
    } catch (const BudgetOutOfReach&) {  // of its first groups; others may be nearer
    }
  return search_->solve(drawn_budget, progress, also);
}

}  // namespace hyobscure::obscure
