#include <algorithm>

#include "hyobscure/obscure/near_pools.h"

namespace hyobscure::obscure {

MethodResult run_simp(const MethodInput& input, const Progress& progress) {
  check_parameter(input, 0, 1);
  const NearPools pools(input, progress);
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

}  // namespace hyobscure::obscure
