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
  const Figures& figures = mechanism.figures;
  const bool optimises = !mechanism.parameter;  // a baseline spends what its knob can spend
  std::vector<std::string> found;
  if (optimises && figures.distance < kSpent * figures.budget &&
      figures.leakage.features > figures.leakage.any_donor + kHardlyLeaks)
    found.push_back(
        fmt::format("The features leak {:.3f} bits although the distance, {:.4g}, is below the budget, "
                    "{:.4g}: farther donors "
                    "would leak less.",
                    figures.leakage.features, figures.distance, figures.budget));
  if (figures.leakage.features >
      std::max(figures.leakage.random + kLikeRandom, (1 + kShareLikeRandom) * figures.leakage.random))
    found.push_back(
        fmt::format("The features leak {:.3f} bits to an informed attacker; random donors at the same "
                    "distance leak {:.3f}.",
                    figures.leakage.features, figures.leakage.random));
  if (figures.leakage.features > kHardlyLeaks &&
      figures.leakage.features > kMostOfUnprotected * figures.leakage.unprotected)
    found.push_back(fmt::format("The features leak {} of what unprotected features would.",
                                percent(figures.leakage.features / figures.leakage.unprotected)));
  if (figures.own_rows > mechanism.most_own_rows)
    found.push_back(
        fmt::format("{} of the people are expected to publish their own row, more than {} "
                    "(channel.most_own_rows).",
                    percent(figures.own_rows), percent(mechanism.most_own_rows)));
  return found;
}

}  // namespace hyobscure::obscure
