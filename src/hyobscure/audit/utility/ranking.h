#pragma once

#include <cstddef>
#include <span>

namespace hyobscure::audit {

/// How well descending scores put the relevant items first: the mean, over the relevant items, of the share
/// of relevant ones among all items up to it. Equal scores count by the mean over all their orders (McSherry
/// and Najork 2008). Needs at least one relevant item. Cost: n log n.
[[nodiscard]] double average_precision(std::span<const double> scores, std::span<const char> relevant);

/// Area under the ROC curve: the odds that a random positive has a larger score than a random negative, equal
/// scores counting half. Exact. Needs both kinds. Cost: n log n.
[[nodiscard]] double area_under_curve(std::span<const double> scores, std::span<const char> positive);

}  // namespace hyobscure::audit
