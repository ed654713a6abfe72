#include <fmt/format.h>

#include <algorithm>

#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text.h"

namespace hyobscure::report {
namespace {

/// The attacker who comes nearest to the truth.
const audit::AttackResult* worst_attack(const study::Audit& audit) {
  const auto worst = std::ranges::min_element(
      audit.attacks, {}, [](const audit::AttackResult& attack) { return attack.error.attack.mean; });
  return worst == audit.attacks.end() ? nullptr : &*worst;
}

std::string loss_text(const audit::UtilityResult& utility) {
  if (!utility.measurable()) return "-";
  const audit::Estimate& loss = utility.figures->loss;
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", loss.mean, loss.low, loss.high);
}

void csv_row(std::string& text, const study::AuditedPoint& point, const std::string& kind,
             const std::string& name, const std::string& figure, const audit::Estimate& estimate) {
  text += fmt::format("{},{:.9g},{:.9g},{:.9g},{},{},{},{:.9g},{:.9g},{:.9g}\n", point.method,
                      point.point.budget, point.point.distance, point.point.leakage, kind, name, figure,
                      estimate.mean, estimate.low, estimate.high);
}

}  // namespace

std::string trade_off_text(const study::TradeOff& trade_off) {
  if (trade_off.points.empty()) return "No mechanism was audited.\n";
  std::vector<std::string> header = {
      "method", "budget",      "distance",      "leakage", "strongest attacker",
      "error",  "group alone", "true features", "informed"};
  for (const audit::UtilityResult& utility : trade_off.points.front().audit.utilities)
    header.push_back("loss of " + utility.name);
  TextTable table(header);
  for (const study::AuditedPoint& point : trade_off.points) {
    const audit::AttackResult* worst = worst_attack(point.audit);
    std::vector<std::string> row = {point.method, fmt::format("{:.4f}", point.point.budget),
                                    fmt::format("{:.4f}", point.point.distance),
                                    fmt::format("{:.4f}", point.point.leakage)};
    if (worst == nullptr)
      row.insert(row.end(), {"-", "-", "-", "-"});
    else
      row.insert(row.end(),
                 {fmt::format("{} {}", attacker_name(worst->attacker), scenario_name(worst->scenario)),
                  fmt::format("{:.3f} [{:.3f}, {:.3f}]", worst->error.attack.mean, worst->error.attack.low,
                              worst->error.attack.high),
                  fmt::format("{:.3f}", worst->error.group_only.mean),
                  fmt::format("{:.3f}", worst->error.unobscured.mean)});
    row.push_back(point.audit.informed ? fmt::format("{:.3f}", point.audit.informed->error) : "-");
    for (const audit::UtilityResult& utility : point.audit.utilities) row.push_back(loss_text(utility));
    table.row(std::move(row));
  }
  return "Attacks (mean absolute error, 95 % interval; above the group alone it is the attacker's noise, not "
         "protection) "
         "and uses\n" +
         table.text();
}

std::string trade_off_csv(const study::TradeOff& trade_off) {
  std::string text = "method,budget,distance,leakage_bits,kind,name,figure,mean,low,high\n";
  for (const study::AuditedPoint& point : trade_off.points) {
    for (const audit::AttackResult& attack : point.audit.attacks) {
      const std::string name =
          fmt::format("{} {}", attacker_name(attack.attacker), scenario_name(attack.scenario));
      csv_row(text, point, "attack", name, "published", attack.error.attack);
      csv_row(text, point, "attack", name, "unobscured", attack.error.unobscured);
      csv_row(text, point, "attack", name, "group_only", attack.error.group_only);
      csv_row(text, point, "attack", name, "nothing", attack.error.no_information);
      csv_row(text, point, "attack", name, "advantage", attack.error.advantage);
    }
    if (point.audit.informed) {
      const double error = point.audit.informed->error;
      csv_row(text, point, "attack", "informed", "published", {error, error, error});
    }
    for (const audit::UtilityResult& utility : point.audit.utilities) {
      if (!utility.measurable()) continue;
      csv_row(text, point, "use", utility.name, "published", utility.figures->published);
      csv_row(text, point, "use", utility.name, "unobscured", utility.figures->unobscured);
      csv_row(text, point, "use", utility.name, "baseline", utility.figures->baseline);
      csv_row(text, point, "use", utility.name, "loss", utility.figures->loss);
    }
  }
  return text;
}

std::string trade_off_json(const study::TradeOff& trade_off, double seconds) {
  Json json = Json::parse(comparison_json(trade_off.comparison, seconds));
  json["audits"] = Json::array();
  for (const study::AuditedPoint& point : trade_off.points)
    json["audits"].push_back({{"method", point.method},
                              {"budget", point.point.budget},
                              {"distance", number(point.point.distance)},
                              {"leakage_bits", number(point.point.leakage)},
                              {"audit", audit_facts(point.audit)}});
  return json.dump();
}

}  // namespace hyobscure::report
