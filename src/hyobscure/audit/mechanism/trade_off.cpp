#include "hyobscure/audit/mechanism/trade_off.h"

#include "hyobscure/base/error.h"

namespace hyobscure::audit {

TradeOff audit_methods(const data::People& people, const data::Spec& spec,
                       const obscure::ComparisonSettings& settings,
                       const std::optional<audit::TaskLabel>& task, const Progress& progress,
                       const OnPoint& on_point) {
  TradeOff result;
  result.comparison = obscure::compare_methods(
      people, spec, settings, progress,
      [&](const std::string& name, const obscure::FrontierPoint& point, const obscure::Mechanism& mechanism) {
        if (progress.stop_requested()) return;
        AuditedPoint audited{.method = name, .point = point, .history = mechanism.history, .audit = {}};
        try {
          // The whole moves from budget to budget, not inside an audit.
          audited.audit = audit_mechanism(people, spec, mechanism, task, progress.with_same_reports());
        } catch (const Stopped&) {
          return;  // the comparison ends at its next budget
        }
        if (on_point) on_point(audited);
        result.points.push_back(std::move(audited));
      });
  return result;
}

}  // namespace hyobscure::audit
