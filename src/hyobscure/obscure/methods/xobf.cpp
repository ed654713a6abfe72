#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

MethodResult run_xobf(const MethodInput& input, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  return solved_result(input, solve_groups(input, input.first_groups, 0));
}

}  // namespace hyobscure::obscure
