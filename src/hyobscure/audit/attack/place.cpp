#include "hyobscure/audit/attack/place.h"

#include <algorithm>
#include <cmath>

namespace hyobscure::audit {
namespace {

constexpr double kTie = 1e-12;  // of the cost: sums of the same distances in another order

double km(const Place& a, const Place& b) {
  const double east = a.east - b.east, north = a.north - b.north;
  return std::sqrt(east * east + north * north);
}

struct WeightedPlace {
  Place place;
  double weight;
};

std::vector<WeightedPlace> weighted(std::span<const Place> places, std::span<const double> weights,
                                    std::span<const std::uint32_t> candidates) {
  std::vector<WeightedPlace> found;
  for (const std::uint32_t value : candidates)
    if (weights[value] > 0) found.push_back({places[value], weights[value]});
  if (found.empty())
    for (const std::uint32_t value : candidates) found.push_back({places[value], 1});
  return found;
}

}  // namespace

NearestGuess nearest_guess(std::span<const Place> places, std::span<const double> weights,
                           std::span<const std::uint32_t> candidates) {
  const std::vector<WeightedPlace> truths = weighted(places, weights, candidates);
  std::vector<double> costs;
  for (const std::uint32_t guess : candidates) {
    double cost = 0;
    for (const WeightedPlace& truth : truths) cost += truth.weight * km(truth.place, places[guess]);
    costs.push_back(cost);
  }
  NearestGuess nearest{.values = {}, .cost = *std::ranges::min_element(costs)};
  for (std::size_t n = 0; n < candidates.size(); ++n)
    if (costs[n] <= nearest.cost * (1 + kTie)) nearest.values.push_back(candidates[n]);
  return nearest;
}

double km_off(std::span<const Place> places, const NearestGuess& guess, std::uint32_t truth) {
  double sum = 0;
  for (const std::uint32_t value : guess.values) sum += km(places[value], places[truth]);
  return sum / static_cast<double>(guess.values.size());
}

}  // namespace hyobscure::audit
