#include <algorithm>
#include <numeric>

#include "hyobscure/obscure/methods/baseline.h"

namespace hyobscure::obscure {
namespace {

MethodResult run_random(const MethodInput& input, const Progress&) {
  check_parameter(input, 0, 1);
  const auto pools = donor_pools(input, input.first_groups);
  const auto distances = distances_to_others(pools);
  const double farthest = std::accumulate(distances.begin(), distances.end(), 0.0);
  const double p = input.parameter ? *input.parameter
                   : farthest > 0  ? std::min(1.0, input.drawn_budget() / farthest)
                                   : 1.0;
  std::vector<Channel> channels;
  for (const DonorPool& pool : pools)
    channels.push_back(
        {.people = static_cast<std::int64_t>(pool.size()), .retain = 1 - p, .draw = OtherDraw{}});
  return baseline_result(input, std::move(channels), p * farthest, {"p", p});
}

}  // namespace

Method random_method() {
  return {.name = "random",
          .help = "another person, uniformly",
          .across_groups = true,
          .has_parameter = true,
          .run = run_random,
          .sweep = run_each<run_random>,
          .makes = draws_by<OtherDraw>};
}

}  // namespace hyobscure::obscure
