#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/audit/attack/interval.h"
#include "hyobscure/audit/attack/place.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"

namespace hyobscure::audit {

/// What can be published in one pool (a group and a combination of kept cells), and what it says.
struct SignalTable {
  /// P(signal, value): signals (donors, or cells) x values; not negative; all pools together sum to 1. A
  /// donor is published for few values, so that a million donors fit in memory.
  Eigen::SparseMatrix<double, Eigen::RowMajor> joint;
};

struct InformedErrors {
  double error = kUnset;       ///< expected absolute error, or probability of a wrong value
  double group_only = kUnset;  ///< the same without the signal, knowing the pool
  double km = kUnset;          ///< places: expected distance of the guess of least expected distance
  double group_only_km = kUnset;
  double named = kUnset;             ///< share of people whose exact value its likeliest guess names
  double group_only_named = kUnset;  ///< the same without the signal
  double advantage() const { return group_only - error; }
};

/// The informed attacker knows every true row and secret but the target's, and the channel. Its guess is
/// the median (ordered secrets) or the mode of P(value | signal), and nobody who sees one release has a
/// smaller expected error:
///
///   error = sum over signals s of  min over m of  sum over y of P(s, y) |number(y) - m|
///   error = 1 - sum over signals s of  max over y of P(s, y)                            (categories)
///   km    = sum over signals s of  min over m of  sum over y of P(s, y) |place(y) - place(m)|     (places)
///   named = sum over signals s of  max over y of P(s, y)
///
/// m is one of the pool's values. Exact, no training. `numbers` is the number of each value, empty for
/// categories; `places` where each lies, empty unless the secret is spatial. Throws InputError for tables
/// that are no distribution.
[[nodiscard]] InformedErrors informed_attack(std::span<const SignalTable> pools,
                                             std::span<const double> numbers,
                                             std::span<const Place> places = {});

/// A pool whose people are published again, independently, in every release.
struct ReleasedPool {
  std::vector<std::uint32_t> people;
  /// O(donor | u) for every u of `people`, in their order. Called from many threads.
  std::function<Eigen::VectorXd(std::uint32_t donor)> column;
};

struct RepeatedSettings {
  std::vector<int> releases = {1, 2, 5, 10};  ///< ascending, each at least 1
  std::size_t most_people = 1000;             ///< attacked; a random sample where there are more; at least 2
};

struct RepeatedErrors {
  int releases;
  std::size_t people;               ///< attacked
  Estimate error;                   ///< over them
  std::optional<Estimate> km = {};  ///< places only
};

/// The informed attacker who sees R independent releases of the same people: its posterior of being person u
/// of the pool is proportional to the product of O(donor_r | u); it guesses median or mode of its values, and
/// the one of least expected distance.
///
/// `donors_of(r)` draws release r = 0, 1, ... and gives the donor of every person; called from one thread.
/// Cost: people attacked * releases * pool. Throws InputError for fewer than two people and for donors that
/// the channel cannot give, and Stopped.
[[nodiscard]] std::vector<RepeatedErrors> repeated_releases(
    std::span<const std::uint32_t> value_of_person, std::uint32_t values, std::span<const double> numbers,
    std::span<const ReleasedPool> pools,
    const std::function<std::vector<std::uint32_t>(int release)>& donors_of, const RepeatedSettings& settings,
    const Key& key, const Progress& progress = {}, std::span<const Place> places = {});

}  // namespace hyobscure::audit
