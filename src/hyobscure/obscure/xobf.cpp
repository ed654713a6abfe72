#include "hyobscure/obscure/method.h"

namespace hyobscure::obscure {

MethodResult run_xobf(const MethodInput& input, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  SolvedGroups solved = solve_groups(input, input.first_groups, 0);
  return {input.first_groups, std::move(solved.solution), {solved.round}, true};
}

}  // namespace hyobscure::obscure
