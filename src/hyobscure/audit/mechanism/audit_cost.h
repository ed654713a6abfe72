#pragma once

#include <vector>

#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::audit {

/// What the parts of an audit take, in seconds of work of one core of speed 1 (base/machine_speed.h), by
/// figures that bench/scale/costs.py measured. They follow each other in this order.
struct AuditCost {
  std::vector<double> scenarios;  ///< in the order of the spec
  double rows = 0;                ///< attacks that look for a person's row
  double shadow = 0;              ///< its attackers; the method that it fits is not counted
  double informed = 0;
  double utilities = 0;

  double total() const;
};

[[nodiscard]] AuditCost audit_cost(const data::People& people, const data::Spec& spec);

}  // namespace hyobscure::audit
