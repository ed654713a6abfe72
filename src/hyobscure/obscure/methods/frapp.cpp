#include <cmath>
#include <limits>

#include "hyobscure/obscure/methods/baseline.h"

namespace hyobscure::obscure {
namespace {

constexpr double kLargestLogGamma = 100;  // beyond, nobody ever draws another person

MethodResult run_frapp(const MethodInput& input, const Progress&) {
  check_parameter(input, 1, std::numeric_limits<double>::infinity());
  const auto pools = donor_pools(input, input.first_groups);
  const auto distances = distances_to_others(pools);
  const auto another = [&](const DonorPool& pool, double gamma) {
    return (pool.size() - 1) / (gamma + pool.size() - 1);
  };
  const auto distance = [&](double gamma) {
    double sum = 0;
    for (std::size_t i = 0; i < pools.size(); ++i) sum += another(pools[i], gamma) * distances[i];
    return sum;
  };
  // gamma = 1 is uniform, oneself included: the most that Frapp hides.
  const double gamma = input.parameter
                           ? *input.parameter
                           : std::exp(smallest_within(0, kLargestLogGamma, input.drawn_budget(),
                                                      [&](double log) { return distance(std::exp(log)); }));
  std::vector<Channel> channels;
  for (const DonorPool& pool : pools)
    channels.push_back({.people = static_cast<std::int64_t>(pool.size()),
                        .retain = 1 - another(pool, gamma),
                        .draw = OtherDraw{}});
  return baseline_result(input, std::move(channels), distance(gamma), {"gamma", gamma});
}

}  // namespace

Method frapp_method() {
  return {.name = "frapp",
          .help = "oneself gamma times as often as each other person",
          .across_groups = true,
          .has_parameter = true,
          .run = run_frapp,
          .sweep = run_each<run_frapp>,
          .makes = draws_by<OtherDraw>};
}

}  // namespace hyobscure::obscure
