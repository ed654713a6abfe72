#pragma once

#include "hyobscure/census/cell_products.h"

namespace hyobscure::census {

/// Features with <psi(x), psi(y)> = k(x, y), where JSD(p, q) = log 2 (1 - sum_i k(p_i, q_i)) and
/// k(x, x) = x. See distance.md for the formula and its error.
FeatureMap jensen_shannon_features();

}  // namespace hyobscure::census
