#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

/// What the baselines of the paper share: they publish the first groups and have one knob each.

/// Expected distance, over the people of all pools, when each draws another person of their pool uniformly.
/// One summand a pool.
[[nodiscard]] std::vector<double> distances_to_others(const std::vector<DonorPool>& pools);

/// Each pool draws in the same way; people and the user's retain are filled in.
[[nodiscard]] MethodResult baseline_result(const MethodInput& input, std::vector<Channel> channels,
                                           double drawn_distance, Parameter parameter);

/// Where values were joined (secret.atoms): what a leakage is about.
enum class Secrets { Exact, Joined };

/// What the features would leak to the informed attacker, I(Y; V|G) in bits, if everybody kept their own row
/// or drew another person of the pool uniformly, so often that the expected distance is the same (or as large
/// as that can be). No mechanism may leak more.
[[nodiscard]] double leakage_of_random(const MethodInput& input, const solve::Partition& partition,
                                       double distance, Secrets secrets = Secrets::Exact);

/// Throws InputError unless the knob that the user gave is in range; absent: nothing to check.
void check_parameter(const MethodInput& input, double low, double high);

/// The smallest x in [low, high] with distance(x) <= limit, for a distance that never rises with x; to a
/// relative 1e-12. `high` where there is none.
[[nodiscard]] double smallest_within(double low, double high, double limit,
                                     const std::function<double(double)>& distance);

}  // namespace hyobscure::obscure
