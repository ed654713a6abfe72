#include "hyobscure/obscure/leakage/shortfalls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::obscure {
namespace {

constexpr double kHardlyLeaks = 0.01;  // bits: below this nothing is left to protect
constexpr double kSpent = 1 - 1e-3;    // of the budget
constexpr double kLikeRandom = 1e-3;   // bits by which a certified channel may seem to leak more than random
constexpr double kShareLikeRandom =
    0.02;  // the same, of what random leaks: frapp is random but for pool sizes
constexpr double kMostOfUnprotected = 0.5;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

std::vector<std::string> shortfalls(const Mechanism& mechanism) {
  const Promise& promise = mechanism.promise;
  const bool optimises = !mechanism.parameter;  // a baseline spends what its knob can spend
  std::vector<std::string> found;
  if (optimises && promise.distance < kSpent * promise.budget &&
      promise.leakage_features > promise.leakage_any_donor + kHardlyLeaks)
    found.push_back(
        fmt::format("The features leak {:.3f} bits although the distance, {:.4g}, is below the budget, "
                    "{:.4g}: farther donors "
                    "would leak less.",
                    promise.leakage_features, promise.distance, promise.budget));
  if (promise.leakage_features >
      std::max(promise.leakage_random + kLikeRandom, (1 + kShareLikeRandom) * promise.leakage_random))
    found.push_back(
        fmt::format("The features leak {:.3f} bits to an informed attacker; random donors at the same "
                    "distance leak {:.3f}.",
                    promise.leakage_features, promise.leakage_random));
  if (promise.leakage_features > kHardlyLeaks &&
      promise.leakage_features > kMostOfUnprotected * promise.leakage_unprotected)
    found.push_back(fmt::format("The features leak {} of what unprotected features would.",
                                percent(promise.leakage_features / promise.leakage_unprotected)));
  if (promise.own_rows > mechanism.most_own_rows)
    found.push_back(
        fmt::format("{} of the people are expected to publish their own row, more than {} "
                    "(channel.most_own_rows).",
                    percent(promise.own_rows), percent(mechanism.most_own_rows)));
  return found;
}

}  // namespace hyobscure::obscure
