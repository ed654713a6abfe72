#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {
namespace {

MethodResult run_xobf(const MethodInput& input, const Progress& progress) {
  progress.report("solving the channel", 0, 0);
  return solved_result(input, solve_groups(input, input.first_groups, 0));
}

}  // namespace

Method xobf_method() {
  return {.name = "xobf",
          .help = "first groups with their optimal channel",
          .limits_lifts = true,
          .usual_rounds = 1,
          .run = run_xobf,
          .sweep = run_each<run_xobf>};
}

}  // namespace hyobscure::obscure
