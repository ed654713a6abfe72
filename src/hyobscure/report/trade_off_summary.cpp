#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

/// The attacker with the smallest error.
const audit::AttackResult* worst_attack(const audit::Audit& audit) {
  const auto worst = std::ranges::min_element(
      audit.attacks, {}, [](const audit::AttackResult& attack) { return attack.error.attack.mean; });
  return worst == audit.attacks.end() ? nullptr : &*worst;
}

/// The errors in km of the attacker who comes nearest, who need not be the one who guesses right most often.
std::optional<audit::AttackErrors> nearest_errors(const audit::Audit& audit) {
  std::optional<audit::AttackErrors> nearest;
  for (const audit::AttackResult& attack : audit.attacks)
    if (attack.km_error && (!nearest || attack.km_error->attack.mean < nearest->attack.mean))
      nearest = attack.km_error;
  return nearest;
}

/// Columns in km; nothing where the secret is no place.
void add_km(std::vector<std::string>& row, const audit::Audit& audit) {
  const std::optional<audit::AttackErrors> nearest = nearest_errors(audit);
  if (!nearest) {
    row.insert(row.end(), {"-", "-"});
    return;
  }
  row.push_back(fmt::format("{:.3f} [{:.3f}, {:.3f}]", nearest->attack.mean, nearest->attack.low,
                            nearest->attack.high));
  row.push_back(fmt::format("{:.3f}", nearest->group_only.mean));
}

std::string loss_text(const audit::UtilityResult& utility) {
  if (!utility.measurable()) return "-";
  const audit::Estimate& loss = utility.figures->loss;
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", loss.mean, loss.low, loss.high);
}

void csv_row(std::string& text, const audit::AuditedPoint& point, const std::string& kind,
             const std::string& name, const std::string& figure, const audit::Estimate& estimate) {
  text += fmt::format("{},{:.9g},{:.9g},{:.9g},{},{},{},{:.9g},{:.9g},{:.9g}\n", point.method,
                      point.point.budget, point.point.distance, point.point.leakage.total, kind, name, figure,
                      estimate.mean, estimate.low, estimate.high);
}

/// `measure`: what stands behind the name of a figure, "_km".
void csv_errors(std::string& text, const audit::AuditedPoint& point, const std::string& name,
                const audit::AttackErrors& error, const std::string& measure) {
  csv_row(text, point, "attack", name, "published" + measure, error.attack);
  csv_row(text, point, "attack", name, "unobscured" + measure, error.unobscured);
  csv_row(text, point, "attack", name, "group_only" + measure, error.group_only);
  csv_row(text, point, "attack", name, "nothing" + measure, error.no_information);
  csv_row(text, point, "attack", name, "advantage" + measure, error.advantage);
}

}  // namespace

std::string trade_off_text(const audit::TradeOff& trade_off) {
  if (trade_off.points.empty()) return "No mechanism was audited.\n";
  const audit::Audit& first = trade_off.points.front().audit;
  const bool of_places = std::ranges::any_of(
      trade_off.points, [](const auto& point) { return nearest_errors(point.audit).has_value(); });
  std::vector<std::string> header = {"method",
                                     "budget",
                                     "distance",
                                     "leakage",
                                     "strongest attacker",
                                     first.ordered ? "error" : "wrong",
                                     "group alone",
                                     "true features",
                                     "informed"};
  if (of_places) header.insert(header.end(), {"nearest attacker, km", "group alone, km"});
  for (const audit::UtilityResult& utility : first.utilities) header.push_back("loss of " + utility.name);
  TextTable table(header, 2);
  for (const audit::AuditedPoint& point : trade_off.points) {
    const audit::AttackResult* worst = worst_attack(point.audit);
    std::vector<std::string> row = {point.method, fmt::format("{:.4f}", point.point.budget),
                                    fmt::format("{:.4f}", point.point.distance),
                                    fmt::format("{:.4f}", point.point.leakage.total)};
    if (worst == nullptr)
      row.insert(row.end(), {"-", "-", "-", "-"});
    else
      row.insert(row.end(), {fmt::format("{} {}", attacker_name(*worst), scenario_name(*worst)),
                             fmt::format("{:.3f} [{:.3f}, {:.3f}]", worst->error.attack.mean,
                                         worst->error.attack.low, worst->error.attack.high),
                             fmt::format("{:.3f}", worst->error.group_only.mean),
                             fmt::format("{:.3f}", worst->error.unobscured.mean)});
    row.push_back(point.audit.informed ? fmt::format("{:.3f}", point.audit.informed->error) : "-");
    if (of_places) add_km(row, point.audit);
    for (const audit::UtilityResult& utility : point.audit.utilities) row.push_back(loss_text(utility));
    table.row(std::move(row));
  }
  return fmt::format(
             "Attacks ({}, 95 % interval) and uses. An error above that of the group alone is the\n"
             "attacker's noise, not protection.\n",
             error_name(first)) +
         table.text();
}

std::string trade_off_csv(const audit::TradeOff& trade_off) {
  std::string text = "method,budget,distance,leakage_bits,kind,name,figure,mean,low,high\n";
  for (const audit::AuditedPoint& point : trade_off.points) {
    for (const audit::AttackResult& attack : point.audit.attacks) {
      const std::string name = fmt::format("{} {}", attacker_name(attack), scenario_name(attack));
      csv_errors(text, point, name, attack.error, "");
      if (attack.top5_error) csv_errors(text, point, name, *attack.top5_error, "_top5");
      if (attack.km_error) csv_errors(text, point, name, *attack.km_error, "_km");
    }
    if (point.audit.informed) {
      const double error = point.audit.informed->error;
      csv_row(text, point, "attack", "informed", "published", {error, error, error});
      const double km = point.audit.informed->km;
      if (std::isfinite(km)) csv_row(text, point, "attack", "informed", "published_km", {km, km, km});
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

std::string trade_off_json(const audit::TradeOff& trade_off, double seconds) {
  Json json = Json::parse(comparison_json(trade_off.comparison, seconds));
  json["audits"] = Json::array();
  for (const audit::AuditedPoint& point : trade_off.points)
    json["audits"].push_back({{"method", point.method},
                              {"budget", point.point.budget},
                              {"distance", number(point.point.distance)},
                              {"leakage_bits", number(point.point.leakage.total)},
                              {"audit", audit_facts(point.audit)}});
  return json.dump();
}

}  // namespace hyobscure::report
