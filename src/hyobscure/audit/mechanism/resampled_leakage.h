#pragma once

#include <cstddef>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/leakage/signals.h"

namespace hyobscure::audit {

/// I(Y; X', G) in bits for the people counted, and for people drawn again from them (bootstrap).
struct ResampledLeakage {
  double bits = kUnset;
  /// 95 % interval: the spread of the figure from draw to draw, around `bits`. What a table of other people
  /// of the same population would leak with a mechanism that fits it as well.
  double low = kUnset, high = kUnset;
  /// The quantiles 2.5, 50 and 97.5 % of the figure itself, under the mechanism as it is. It was balanced for
  /// exactly these people, so that most draws leak more.
  double as_it_is_low = kUnset, as_it_is_median = kUnset, as_it_is_high = kUnset;
  std::size_t draws = 0;
};

/// From the exact channel: every person u counts w(u) times, w(u) independent of Poisson's distribution with
/// mean 1, and
///
///   I = 1/W  sum over strata s, signals v, secrets y   a log2 a - t log2 t ...,   a = sum of w(u) O(v | u)
///
/// is that of the shares a / W (t, the sum of a over y; then the secrets and W alike).
///
/// Cost: draws times the signals of all people; there are fewer draws where these are many.
[[nodiscard]] ResampledLeakage resampled_leakage(const obscure::Signals& signals, const data::People& people,
                                                 const Key& key, const Progress& progress = {});

}  // namespace hyobscure::audit
