#include "hyobscure/study/experiment_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::study {
namespace {

struct NamedAttack {
  std::string name;  ///< as the columns begin
  audit::Attacker attacker;
  audit::Scenario scenario;
};

const std::vector<NamedAttack>& attacks() {
  static const std::vector<NamedAttack> kAttacks = {
      {"forest_I", audit::Attacker::Forest, audit::Scenario::I},
      {"forest_II", audit::Attacker::Forest, audit::Scenario::II},
      {"boosting_I", audit::Attacker::Boosting, audit::Scenario::I},
      {"boosting_II", audit::Attacker::Boosting, audit::Scenario::II}};
  return kAttacks;
}

/// Columns and names of the utilities that the paper measures.
const std::vector<std::pair<std::string, std::string>>& uses() {
  static const std::vector<std::pair<std::string, std::string>> kUses = {{"rmse", "rating prediction"},
                                                                         {"map", "recommendation"}};
  return kUses;
}

void append(Cells& cells, std::initializer_list<double> values) {
  for (const double value : values) cells.push_back(cell(value));
}

void append_attack(Cells& cells, const Audit& audit, const NamedAttack& named) {
  const auto found = std::ranges::find_if(audit.attacks, [&](const audit::AttackResult& result) {
    return result.attacker == named.attacker && result.scenario == named.scenario;
  });
  const audit::AttackErrors error = found == audit.attacks.end() ? audit::AttackErrors{} : found->error;
  append(cells,
         {error.attack.mean, error.attack.low, error.attack.high, error.unobscured.mean,
          error.group_only.mean, error.advantage.mean, error.advantage.low, error.advantage.high,
          error.unobscured_advantage.mean, error.unobscured_advantage.low, error.unobscured_advantage.high});
}

void append_use(Cells& cells, const Audit& audit, const std::string& use) {
  const auto found = std::ranges::find(audit.utilities, use, &audit::UtilityResult::name);
  audit::UtilityFigures figures;
  if (found != audit.utilities.end() && found->measurable()) figures = *found->figures;
  append(cells, {figures.published.mean, figures.unobscured.mean, figures.baseline.mean, figures.loss.mean,
                 figures.loss.low, figures.loss.high});
}

}  // namespace

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

Cells trade_off_columns() {
  Cells columns = {"groups",
                   "distance",
                   "leakage_bits",
                   "leakage_groups_bits",
                   "leakage_features_bits",
                   "leakage_clusters_bits",
                   "leakage_learned_bits",
                   "gap_bits",
                   "joint_gap_bits"};
  for (const NamedAttack& named : attacks())
    for (const char* figure :
         {"error", "low", "high", "unobscured", "group_only", "advantage", "advantage_low", "advantage_high",
          "unobscured_advantage", "unobscured_advantage_low", "unobscured_advantage_high"})
      columns.push_back(named.name + "_" + figure);
  for (const char* figure : {"informed_error", "informed_group_only"}) columns.emplace_back(figure);
  for (const auto& [column, use] : uses())
    for (const char* figure : {"published", "unobscured", "baseline", "loss", "loss_low", "loss_high"})
      columns.push_back(column + "_" + figure);
  columns.emplace_back("seconds");
  return columns;
}

Cells trade_off_cells(const AuditedPoint& audited) {
  const obscure::FrontierPoint& point = audited.point;
  Cells cells = {fmt::format("{}", fmt::join(point.groups, " "))};
  append(cells, {point.distance, point.leakage, point.leakage_groups, point.leakage_features,
                 point.leakage_clusters, point.leakage_learned, point.gap, point.joint_gap});
  for (const NamedAttack& named : attacks()) append_attack(cells, audited.audit, named);
  const auto informed = audited.audit.informed.value_or(audit::InformedErrors{});
  append(cells, {informed.error, informed.group_only});
  for (const auto& [column, use] : uses()) append_use(cells, audited.audit, use);
  append(cells, {point.seconds});
  return cells;
}

Cells convergence_columns() { return {"round", "objective_bits", "leakage_bits", "distance", "moves"}; }

std::vector<Cells> convergence_cells(const std::vector<obscure::Round>& history) {
  std::vector<Cells> rows;
  for (const obscure::Round& round : history) {
    Cells cells = {fmt::format("{}", rows.size())};
    append(cells, {round.objective, round.leakage, round.distance});
    cells.push_back(fmt::format("{}", round.moves));
    rows.push_back(std::move(cells));
  }
  return rows;
}

Cells scalability_columns() {
  return {"distance",       "leakage_bits",   "synthesis_seconds", "read_seconds",
          "census_seconds", "method_seconds", "peak_megabytes"};
}

Cells scalability_cells(const StageSeconds& seconds, const obscure::FrontierPoint& point) {
  Cells cells;
  append(cells, {point.distance, point.leakage, seconds.synthesis, seconds.reading, seconds.census,
                 seconds.method, seconds.peak_megabytes});
  return cells;
}

}  // namespace hyobscure::study
