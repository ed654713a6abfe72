#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hyobscure::audit {

/// Where a value of a spatial secret lies: km from any origin.
struct Place {
  double east = 0;
  double north = 0;
};

/// A guess at a place whose distribution is known.
struct NearestGuess {
  std::vector<std::uint32_t> values;  ///< several where they are equally good
  double cost = 0;                    ///< expected distance times the sum of the weights
};

/// The value m of least expected distance, among `candidates`, which are not empty:
///
///   cost = min over m of  sum over y of weights[y] |place(y) - place(m)|
///
/// Sums are over the candidates too; where all of these have weight 0 they count alike. `places` and
/// `weights` have an entry for every value. Cost O(candidates^2).
[[nodiscard]] NearestGuess nearest_guess(std::span<const Place> places, std::span<const double> weights,
                                         std::span<const std::uint32_t> candidates);

/// Distance between guess and truth in km; one of equally good guesses is drawn by lot.
[[nodiscard]] double km_off(std::span<const Place> places, const NearestGuess& guess, std::uint32_t truth);

}  // namespace hyobscure::audit
