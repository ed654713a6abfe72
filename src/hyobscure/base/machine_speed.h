#pragma once

namespace hyobscure {

/// How much work the threads of this process get done per second now, beside whatever else runs; the two idle
/// cores that the figures of fit_cost.cpp and audit_cost.cpp were measured on are 2. Takes some 20 ms.
[[nodiscard]] double machine_speed();

}  // namespace hyobscure
