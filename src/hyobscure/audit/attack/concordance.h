#pragma once

#include <cstdint>
#include <span>

#include "hyobscure/audit/attack/interval.h"

namespace hyobscure::audit {

/// The odds that of two people with different truths the one with the larger truth also has the larger score,
/// equal scores counting half: of two truths the area under the ROC curve. 1 / 2 where all truths are alike.
/// Influences are those of the ratio of pairs, to first order. Cost: n log n.
[[nodiscard]] TrialFigure concordance(std::span<const std::uint32_t> people, std::span<const double> scores,
                                      std::span<const std::uint32_t> truths);

}  // namespace hyobscure::audit
