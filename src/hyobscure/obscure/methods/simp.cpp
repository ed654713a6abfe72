#include <algorithm>

#include "hyobscure/obscure/methods/near_pools.h"

namespace hyobscure::obscure {
namespace {

MethodResult simp_result(const MethodInput& input, const NearPools& pools) {
  const NearDraw draw;
  const double farthest = pools.distance(draw);
  const double p = input.parameter ? *input.parameter
                   : farthest > 0  ? std::min(1.0, input.drawn_budget() / farthest)
                                   : 1.0;
  std::vector<Channel> channels = pools.channels(input, draw);
  for (Channel& channel : channels) channel.retain = 1 - p;
  MethodResult result = baseline_result(input, std::move(channels), p * farthest, {"p", p});
  result.note = pools.note();
  return result;
}

}  // namespace

static MethodResult run_simp(const MethodInput& input, const Progress& progress) {
  check_parameter(input, 0, 1);
  return simp_result(input, NearPools(input, progress));
}

static void sweep_simp(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                       const OnBudget& on_budget) {
  const NearPools pools(input, progress);  // the same pairs for all budgets
  answer_each(input, budgets, progress, on_budget,
              [&](const MethodInput& at) { return simp_result(at, pools); });
}

Method simp_method() {
  return {.name = "simp",
          .help = "donors in proportion to their similarity",
          .across_groups = true,
          .has_parameter = true,
          .by_person = true,
          .run = run_simp,
          .sweep = sweep_simp};
}

}  // namespace hyobscure::obscure
