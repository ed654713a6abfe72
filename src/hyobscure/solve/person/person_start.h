#pragma once

#include "hyobscure/solve/person/person_support.h"

namespace hyobscure::solve {

struct StartRows {
  DonorRows rows;
  std::vector<float> nearest;  ///< least distance to an allowed donor, of each person
};

/// The nearest donors of each person, and for each donor the two nearest users of each value: two passes over
/// all distances. Where the pool has candidates, just these. Either way with the donors of `task.start` and
/// those that a balanced channel needs.
[[nodiscard]] StartRows start_rows(const PoolTask& task);

}  // namespace hyobscure::solve
