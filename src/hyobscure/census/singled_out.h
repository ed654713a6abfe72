#pragma once

#include <cstddef>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/random.h"
#include "hyobscure/data/people/people.h"

namespace hyobscure::census {

/// How many people are the only ones with some entries of their own.
struct SingledOut {
  std::size_t known = 0;               ///< entries (item and value) that somebody knows of a person
  double share = kUnset;               ///< of people, for whom nobody else has all of these entries too
  double low = kUnset, high = kUnset;  ///< 95 % interval over people (Wilson); the share where all were tried
};

/// For each number of known entries, ascending, drawn uniformly from the person's own: somebody with fewer
/// entries is known by all of them. At most `people` are tried, drawn by the key; the same entries serve all
/// numbers, so that shares do not fall. One pass over the rows; the result does not depend on threads.
[[nodiscard]] std::vector<SingledOut> singled_out(const data::SparseRows& rows,
                                                  const std::vector<std::size_t>& known, std::size_t people,
                                                  const Key& key);

}  // namespace hyobscure::census
