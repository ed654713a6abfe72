#pragma once

namespace hyobscure::data {

/// What the values of a secret are.
enum class AxisKind { Ordered, Spatial, Categorical };

}  // namespace hyobscure::data
