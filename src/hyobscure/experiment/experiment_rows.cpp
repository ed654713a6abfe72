#include "hyobscure/experiment/experiment_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace hyobscure::experiment {
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
      {"boosting_I", audit::Attacker::PaperBoosting, audit::Scenario::I},
      {"boosting_II", audit::Attacker::PaperBoosting, audit::Scenario::II}};
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

const audit::AttackResult* result_of(const audit::Audit& audit, const NamedAttack& named) {
  const auto found = std::ranges::find_if(audit.attacks, [&](const audit::AttackResult& result) {
    return result.attacker == named.attacker && result.scenario == named.scenario;
  });
  return found == audit.attacks.end() ? nullptr : &*found;
}

void append_errors(Cells& cells, const audit::AttackErrors& error) {
  append(cells,
         {error.attack.mean, error.attack.low, error.attack.high, error.unobscured.mean,
          error.group_only.mean, error.advantage.mean, error.advantage.low, error.advantage.high,
          error.unobscured_advantage.mean, error.unobscured_advantage.low, error.unobscured_advantage.high});
}

/// Empty cells where it was not measured.
void append_errors(Cells& cells, const std::optional<audit::AttackErrors>& error) {
  append_errors(cells, error.value_or(audit::AttackErrors{}));
}

void append_places(Cells& cells, const audit::Audit& audit) {
  for (const NamedAttack& named : attacks()) {
    const audit::AttackResult* result = result_of(audit, named);
    append_errors(cells, result == nullptr ? std::nullopt : result->km_error);
    append_errors(cells, result == nullptr ? std::nullopt : result->top5_error);
  }
  const auto informed = audit.informed.value_or(audit::InformedErrors{});
  append(cells, {informed.km, informed.group_only_km});
}

bool of_places(const audit::Audit& audit) {
  return std::ranges::any_of(audit.attacks, [](const auto& attack) { return attack.km_error.has_value(); });
}

/// Columns of the errors of an attack.
void name_errors(Cells& columns, const std::string& attack) {
  for (const char* figure :
       {"error", "low", "high", "unobscured", "group_only", "advantage", "advantage_low", "advantage_high",
        "unobscured_advantage", "unobscured_advantage_low", "unobscured_advantage_high"})
    columns.push_back(attack + "_" + figure);
}

void append_use(Cells& cells, const audit::Audit& audit, const std::string& use) {
  const auto found = std::ranges::find(audit.utilities, use, &audit::UtilityResult::name);
  audit::UtilityFigures figures;
  if (found != audit.utilities.end() && found->measurable()) figures = *found->figures;
  append(cells, {figures.published.mean, figures.unobscured.mean, figures.baseline.mean, figures.loss.mean,
                 figures.loss.low, figures.loss.high});
}

}  // namespace

std::string cell(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

Cells trade_off_columns(bool of_places) {
  Cells columns = {"groups",
                   "distance",
                   "leakage_bits",
                   "leakage_groups_bits",
                   "leakage_features_bits",
                   "leakage_clusters_bits",
                   "leakage_learned_bits",
                   "gap_bits",
                   "joint_gap_bits"};
  for (const NamedAttack& named : attacks()) name_errors(columns, named.name);
  for (const char* figure : {"informed_error", "informed_group_only"}) columns.emplace_back(figure);
  for (const auto& [column, use] : uses())
    for (const char* figure : {"published", "unobscured", "baseline", "loss", "loss_low", "loss_high"})
      columns.push_back(column + "_" + figure);
  columns.emplace_back("seconds");
  if (!of_places) return columns;
  for (const NamedAttack& named : attacks()) {
    name_errors(columns, named.name + "_km");
    name_errors(columns, named.name + "_top5");
  }
  for (const char* figure : {"informed_km", "informed_group_only_km"}) columns.emplace_back(figure);
  return columns;
}

Cells trade_off_cells(const audit::AuditedPoint& audited) {
  const obscure::FrontierPoint& point = audited.point;
  Cells cells = {fmt::format("{}", fmt::join(point.groups, " "))};
  append(cells, {point.distance, point.leakage.total, point.leakage.groups, point.leakage.features,
                 point.leakage.clusters, point.leakage.learned, point.gap, point.joint_gap});
  for (const NamedAttack& named : attacks()) {
    const audit::AttackResult* result = result_of(audited.audit, named);
    append_errors(cells, result == nullptr ? audit::AttackErrors{} : result->error);
  }
  const auto informed = audited.audit.informed.value_or(audit::InformedErrors{});
  append(cells, {informed.error, informed.group_only});
  for (const auto& [column, use] : uses()) append_use(cells, audited.audit, use);
  append(cells, {point.seconds});
  if (of_places(audited.audit)) append_places(cells, audited.audit);
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
  append(cells, {point.distance, point.leakage.total, seconds.synthesis, seconds.reading, seconds.census,
                 seconds.method, seconds.peak_megabytes});
  return cells;
}

}  // namespace hyobscure::experiment
