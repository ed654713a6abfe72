#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hyobscure/data/people.h"
#include "hyobscure/data/spec.h"
#include "hyobscure/obscure/mechanism.h"

namespace hyobscure::obscure {

/// Readable ranges for consecutive groups; group g starts at value starts[g], and starts.back() is the number
/// of values.
///
/// Ranges touch, so that they also cover values that nobody has. Whole numbers: "18-24", up to just below the
/// next group. Others: cut between two groups at a short number that is nobody's value, "230 to under 410".
/// The ends are those of `keep` where given, else open ("45 or more"): the largest value itself may belong to
/// one person. Fills label, low, high, high_included, values and first_value.
[[nodiscard]] std::vector<Group> label_groups(std::span<const data::SecretValue> values,
                                              std::span<const int> starts,
                                              const std::optional<data::Interval>& keep);

/// The shortest decimal number c with low < c < high; `high` itself where there is none between.
[[nodiscard]] double short_number_between(double low, double high);

}  // namespace hyobscure::obscure
