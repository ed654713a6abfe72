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

MethodResult run_simp(const MethodInput& input, const Progress& progress) {
  check_parameter(input, 0, 1);
  return simp_result(input, NearPools(input, progress));
}

bool is_simp(const Channel& channel) {
  const auto* draw = std::get_if<NearDraw>(&channel.draw);
  return draw != nullptr && !draw->decay.has_value();
}

}  // namespace

Method simp_method() {
  return {.name = "simp",
          .help = "donors in proportion to their similarity",
          .across_groups = true,
          .has_parameter = true,
          .by_person = true,
          .run = run_simp,
          .sweep = sweep_near<simp_result>,
          .makes = is_simp};
}

}  // namespace hyobscure::obscure
