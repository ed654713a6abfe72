#include <limits>

#include "hyobscure/obscure/methods/near_pools.h"

namespace hyobscure::obscure {
namespace {

constexpr double kLargestBeta = 1e6;  // beyond, only people at distance 0 are drawn

NearDraw draw_with(double beta) { return {.decay = beta}; }

MethodResult dp_result(const MethodInput& input, const NearPools& pools) {
  double beta = input.parameter.value_or(0);
  if (!input.parameter) {
    beta = smallest_within(0, kLargestBeta, input.drawn_budget(),
                           [&](double b) { return pools.distance(draw_with(b)); });
    require_reach(input, pools.distance(draw_with(beta)), "dp");
  }
  MethodResult result = baseline_result(input, pools.channels(input, draw_with(beta)),
                                        pools.distance(draw_with(beta)), {"beta", beta});
  // p(v|u) / p(v|u') = exp(-beta (d(u,v) - d(u',v))) Z(u') / Z(u), and each of the two is at most
  // exp(beta d_max). A retained row has no such bound.
  if (input.retain == 0) result.epsilon = 2 * beta * pools.largest_distance();
  result.note = pools.note();
  return result;
}

MethodResult run_dp(const MethodInput& input, const Progress& progress) {
  check_parameter(input, 0, std::numeric_limits<double>::infinity());
  return dp_result(input, NearPools(input, progress));
}

bool is_dp(const Channel& channel) {
  const auto* draw = std::get_if<NearDraw>(&channel.draw);
  return draw != nullptr && draw->decay.has_value();
}

}  // namespace

Method dp_method() {
  return {.name = "dp",
          .help = "donors by exp(-beta distance): differential privacy of the choice",
          .across_groups = true,
          .has_parameter = true,
          .by_person = true,
          .run = run_dp,
          .sweep = sweep_near<dp_result>,
          .makes = is_dp};
}

}  // namespace hyobscure::obscure
