#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hyobscure::audit {

/// How well descending scores put the relevant items first: the mean, over the relevant items, of the share
/// of relevant ones among all items up to it. Equal scores count by the mean over all their orders (McSherry
/// and Najork 2008). Needs at least one relevant item. Cost: n log n.
[[nodiscard]] double average_precision(std::span<const double> scores, std::span<const char> relevant);

/// Area under the ROC curve: the odds that a random positive has a larger score than a random negative, equal
/// scores counting half. Exact. Needs both kinds. Cost: n log n.
[[nodiscard]] double area_under_curve(std::span<const double> scores, std::span<const char> positive);

/// For every positive the share of negatives with a smaller score, for every negative that of positives with
/// a larger one, equal scores counting half: the means of both kinds are the area under the curve, and what
/// each adds to it its influence (DeLong, DeLong and Clarke-Pearson 1988). Needs both kinds.
[[nodiscard]] std::vector<double> shares_of_won_pairs(std::span<const double> scores,
                                                      std::span<const char> positive);

}  // namespace hyobscure::audit
