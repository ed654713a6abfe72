#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"

namespace hyobscure::audit {

/// A mean with its 95 % interval.
struct Estimate {
  double mean = kUnset;
  double low = kUnset;
  double high = kUnset;

  bool above_zero() const { return low > 0; }
};

/// Between what a figure lies by its nature: a share from 0 to 1, an error from 0.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};
inline constexpr Range kShare{0, 1}, kShareDifference{-1, 1}, kError{.low = 0};

/// A figure of one trial: a mean over the people it was tried on, or another statistic of them.
struct TrialFigure {
  double value = kUnset;
  std::vector<std::uint32_t> people = {};  ///< tested
  /// By how much the value moves for each of them, to first order: of a mean (x - value) / people. Sums to 0.
  std::vector<double> influences = {};
};

/// The mean of `values`, each of a person, with their influences.
[[nodiscard]] TrialFigure mean_figure(std::span<const std::uint32_t> people, std::span<const double> values);

/// The mean of the trials' figures and the variance of this mean: what people are drawn from the world, and
/// what the trials have in common for all people (a luckier model, another draw). attack.md, "The interval".
struct MeanAndVariance {
  double mean = kUnset;
  double variance = kUnset;
  std::size_t people = 0;  ///< tested at least once
};
[[nodiscard]] MeanAndVariance over_people(std::span<const TrialFigure> trials);

/// mean -+ t sqrt(variance), t of people - 1 degrees of freedom, cut to `range`. Needs two people.
[[nodiscard]] Estimate estimate(const MeanAndVariance& found, const Range& range = {});

/// Wilson's interval of a share, which says something also where nobody or everybody is counted: of as many
/// people as would have this variance, or of all where there is none. Needs two people.
[[nodiscard]] Estimate share_estimate(const MeanAndVariance& found);

/// The interval between the 2.5 % and 97.5 % quantiles of the same mean over people who are drawn again from
/// those tested, with replacement (bootstrap); figures move by their influences. Needs two people.
[[nodiscard]] Estimate resampled(std::span<const TrialFigure> trials, const Key& key,
                                 const Range& range = {});

/// Student's interval of independent values: mean -+ t sqrt(s^2 / n), t of n - 1 degrees of freedom, cut to
/// `range`. Needs at least two values.
[[nodiscard]] Estimate estimate(std::span<const double> values, const Range& range = {});

/// An advantage is found where the lower end of its 95 % interval is above 0. The power of a search that
/// found none: the smallest mean advantage that it would have found in nine of ten trials.
///
/// A larger advantage is less alike from person to person. What it would be like is known from people whose
/// true features are seen: if a share q of all people were seen as they are, and the others as they are
/// published,
///
///   mean(q) = (1 - q) m + q M,     n variance(q) = (1 - q) v + q V + q (1 - q) (M - m)^2
///
/// with m, v on what was published and M, V on true features. The power is mean(q) of the smallest q with
/// mean(q) >= (t + 1.2816) sqrt(variance(q)). Nothing where even q = 1 would not do: then this attacker finds
/// nothing in such data.
[[nodiscard]] std::optional<double> smallest_found(const MeanAndVariance& published,
                                                   const MeanAndVariance& unobscured);

/// The same where an attacker learns from what it attacks, so that a small leak also teaches little: from
/// advantages on leaks that were planted, of ascending size, the first one what was published and the last
/// one true features. Between the first that is large enough and the one before it the power is interpolated.
[[nodiscard]] std::optional<double> smallest_found(std::span<const MeanAndVariance> planted);

/// Below which so large a share of the values lies, interpolated. Needs a value.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// The number that |t| of so many degrees of freedom exceeds with probability 5 %; at least 1.
[[nodiscard]] double student_t_95(int degrees);

}  // namespace hyobscure::audit
