#pragma once

#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/words.h"

namespace hyobscure::verify {

// The distances of data/spec/words.h from their definitions, once more: what chose the donors must not decide
// how far they are.

[[nodiscard]] double row_distance(data::Distance distance, data::SparseRows::Row a, data::SparseRows::Row b,
                                  std::size_t columns);

/// No row whose norm is at most `greatest_norm` is further from this one.
[[nodiscard]] double greatest_distance(data::Distance distance, double norm, double greatest_norm);

/// |x|.
[[nodiscard]] double norm_of(data::SparseRows::Row row);

}  // namespace hyobscure::verify
