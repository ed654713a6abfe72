#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hyobscure/audit/mechanism/mechanism_audit.h"
#include "hyobscure/obscure/fit/comparison.h"

namespace hyobscure::audit {

/// A method at one budget, with what attackers find and what the release is good for.
struct AuditedPoint {
  std::string method;  ///< as it takes part: "fine-free" is a variant of fine
  obscure::FrontierPoint point;
  std::vector<obscure::Round> history;
  Audit audit;
};

/// Called after each audited point, so that a long study can be kept as it goes.
using OnPoint = std::function<void(const AuditedPoint& point)>;

/// Every mechanism of a comparison, audited as the spec says; all on the same splits of the same people.
/// Stopped, it has the points there are.
struct TradeOff {
  obscure::Comparison comparison;
  std::vector<AuditedPoint> points;
};
[[nodiscard]] TradeOff audit_methods(const data::People& people, const data::Spec& spec,
                                     const obscure::ComparisonSettings& settings,
                                     const std::optional<audit::TaskLabel>& task,
                                     const Progress& progress = {}, const OnPoint& on_point = {});

}  // namespace hyobscure::audit
