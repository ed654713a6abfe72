#include "hyobscure/report/facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>

#include "hyobscure/audit/mechanism/informed_attack.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/version.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/leakage/signals.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/group_facts.h"
#include "hyobscure/report/lift_facts.h"

namespace hyobscure::report {
namespace {

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

Json data_facts(const ReportInput& input) {
  const data::People& people = input.reading.people;
  const data::ReadCounts& counts = input.reading.counts;
  Json left_out = Json::array();
  for (const auto& [why, number] : {std::pair{"secret outside the range that is kept", counts.people_outside},
                                    std::pair{"no secret", counts.people_without_secret},
                                    std::pair{"an empty cell", counts.people_incomplete},
                                    std::pair{"a rare secret", counts.people_with_rare_secret},
                                    std::pair{"no events", counts.people_without_events}})
    if (number > 0) left_out.push_back({{"why", why}, {"people", number}});
  Json events_left_out = Json::array();
  for (const auto& [why, number] : {std::pair{"an empty cell", counts.events_incomplete},
                                    std::pair{"of a person who is not in the table", counts.events_unknown},
                                    std::pair{"showing where the home is", counts.events_telling_home}})
    if (number > 0) events_left_out.push_back({{"why", why}, {"events", number}});
  Json json = {{"people", people.size()},
               {"left_out", left_out},
               {"cells_filled", counts.cells_filled},
               {"events", input.spec.is_long() ? Json(counts.events_read) : Json(nullptr)},
               {"events_left_out", events_left_out},
               {"values", people.values.size()},
               {"features", people.features.columns},
               {"entries", people.features.entries()},
               {"secret", input.spec.people.secret.text()},
               {"secret_kind", input.spec.secret.kind.text()},
               {"kept", input.spec.people.keep},
               {"distance", data::word(input.spec.channel.distance)}};
  add_space_facts(json, people);
  return json;
}

Json release_facts(const ReportInput& input) {
  const published::Manifest& manifest = *input.manifest;
  Json json = {{"method", manifest.method},
               {"method_help", obscure::method_named(manifest.method).help},
               {"seeded", manifest.seeded},
               {"ids", manifest.ids},
               {"earlier_draws", manifest.composition.earlier_draws}};
  if (input.mechanism != nullptr && !input.mechanism->threat.empty()) {
    json["threat"] = input.mechanism->threat;
    json["balanced"] = input.mechanism->balanced;
  }
  if (manifest.accepted_leakage) json["accepted_leakage"] = true;
  if (input.mechanism != nullptr) {
    json["own_rows"] = number(input.mechanism->figures.own_rows);
    json["shortfalls"] = obscure::shortfalls(*input.mechanism);
  }
  json["files"] = Json::array();
  for (const published::ManifestFile& file : manifest.files) {
    json["files"].push_back({{"name", file.name}, {"rows", file.rows}, {"sha256", file.sha256}});
    std::error_code absent;
    const auto bytes = std::filesystem::file_size(input.release_folder / file.name, absent);
    if (!absent) json["files"].back()["bytes"] = bytes;
  }
  return json;
}

Json checks_facts(const verify::Verification& verification) {
  Json json = Json::array();
  for (const verify::Check& check : verification.checks)
    json.push_back({{"what", check.name},
                    {"passed", check.passed},
                    {"warning", check.warning},
                    {"detail", check.detail}});
  return json;
}

Json leakage_facts(const obscure::Figures& figures) {
  return {{"total", number(figures.leakage.total)},
          {"groups", number(figures.leakage.groups)},
          {"features", number(figures.leakage.features)},
          {"clusters", number(figures.leakage.clusters)},
          {"learned", number(figures.leakage.learned)},
          {"learned_why", "only the method fine computes it"},
          {"null", number(figures.leakage.null)},
          {"null_deviation", number(figures.leakage.null_deviation)},
          {"unprotected", number(figures.leakage.unprotected)},
          {"secret_entropy", number(figures.leakage.secret_entropy)},
          {"fano_error_bound", number(figures.leakage.fano_error_bound)}};
}

Json history_facts(const obscure::Mechanism& mechanism) {
  Json json = Json::array();
  for (const obscure::Round& round : mechanism.history)
    json.push_back({{"round", json.size()},
                    {"objective", number(round.objective)},
                    {"leakage", number(round.leakage)},
                    {"distance", number(round.distance)},
                    {"moves", round.moves}});
  return json;
}

/// P(cluster of the published row | own cluster) in a stratum, for its clusters with people.
Json pool_facts(const std::string& label, const obscure::Signals& signals,
                std::span<const std::uint32_t> members, std::span<const std::uint32_t> cluster_of_person,
                bool signals_are_clusters) {
  std::map<std::uint32_t, Eigen::Index> place;
  for (const std::uint32_t u : members) place.emplace(cluster_of_person[u], 0);
  std::vector<std::uint32_t> clusters;
  for (auto& [cluster, index] : place) {
    index = static_cast<Eigen::Index>(clusters.size());
    clusters.push_back(cluster);
  }
  const auto size = static_cast<Eigen::Index>(clusters.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  for (const std::uint32_t u : members)
    for (const obscure::Signal& signal : signals.of(u))
      matrix(place[cluster_of_person[u]],
             place[signals_are_clusters ? signal.id : cluster_of_person[signal.id]]) += signal.probability;
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < size; ++r) {
    Json row = Json::array();
    for (Eigen::Index c = 0; c < size; ++c) row.push_back(matrix(r, c) / matrix.row(r).sum());
    rows.push_back(std::move(row));
  }
  return {{"label", label}, {"people", members.size()}, {"clusters", clusters}, {"matrix", rows}};
}

void add_channel(Json& json, const data::People& people, const obscure::Mechanism& mechanism,
                 std::span<const std::uint32_t> clusters) {
  if (!mechanism.within_groups) return;
  const obscure::Signals signals(mechanism, people, clusters);
  if (!audit::can_be_tabulated(signals, people)) return;
  const bool cells = obscure::rows_tell_their_cell(mechanism.channels);
  json["channel"] = {{"what", "P(cluster of the published row | own cluster)"}, {"pools", Json::array()}};
  std::map<std::string, int> pools_of_label;
  for (const auto& members : signals.strata().members) {
    if (members.empty()) continue;
    const std::string& group =
        mechanism.groups[mechanism.group_of_value(people.secrets[members.front()])].label;
    // Kept columns cut a group into several pools.
    const int number = ++pools_of_label[group];
    json["channel"]["pools"].push_back(
        pool_facts(people.kept.empty() ? group : fmt::format("{}, kept cells {}", group, number), signals,
                   members, clusters, cells));
  }
}

void add_mechanism(Json& json, const ReportInput& input) {
  const obscure::Mechanism& mechanism = *input.mechanism;
  const obscure::Figures& figures = mechanism.figures;
  json["constraints"] = published::limits_json(mechanism.limits, mechanism.smallest_pool > 0);
  json["constraints"]["groups"] = mechanism.groups.size();
  if (mechanism.smallest_pool > 0) json["constraints"]["smallest_pool"] = mechanism.smallest_pool;
  add_group_facts(json, input.reading.people, mechanism);
  json["leakage"] = leakage_facts(figures);
  if (std::isfinite(figures.epsilon)) json["leakage"]["epsilon"] = figures.epsilon;
  json["distance"] = number(figures.distance);
  if (std::isfinite(figures.budget)) json["budget"] = figures.budget;
  if (std::isfinite(figures.gap)) json["gap_bits"] = figures.gap;
  if (std::isfinite(figures.joint_gap)) json["joint_gap_bits"] = figures.joint_gap;
  if (mechanism.history.size() > 1) json["history"] = history_facts(mechanism);
  const auto clusters = census::assign(mechanism.clusters, input.reading.people.features);
  json["lift"] = lift_facts(input.reading.people, mechanism, clusters);
  add_channel(json, input.reading.people, mechanism, clusters);
}

Json audit_section(const ReportInput& input) {
  Json json = audit_facts(*input.audit);
  json["interval"] =
      fmt::format("95 % over people, {} repetitions{}", input.audit->repetitions,
                  input.audit->redrawn ? ", each with its own split and draw" : " of the split");
  Json measured = Json::array();
  for (const Json& utility : json["utilities"])
    if (utility.contains("published"))
      measured.push_back(utility);
    else
      json["notes"].push_back(
          fmt::format("{}: {}", utility["name"].get<std::string>(), utility["note"].get<std::string>()));
  json["utilities"] = std::move(measured);
  return json;
}

/// The use that has most to lose: where true features help most over none at all.
const Json* sharpest_use(const Json& utilities) {
  const Json* sharpest = nullptr;
  double most = 0;
  for (const Json& use : utilities) {
    if (!use.contains("published")) continue;
    const double unobscured = number(use.at("unobscured").at("mean")),
                 none = number(use.at("baseline").at("mean"));
    const double to_lose = unobscured == 0 ? 0 : std::abs((none - unobscured) / unobscured);
    if (to_lose <= most) continue;
    most = to_lose;
    sharpest = &use;
  }
  return sharpest;
}

/// The audits of a comparison as curves of the first attack against the loss of one use. Losses are paired,
/// so their intervals are narrow.
void add_trade_off(Json& json, const Json& audits) {
  std::map<std::string, std::size_t> curve_of_method;
  std::string name;
  for (const Json& point : audits) {
    const Json& audit = point.at("audit");
    const Json* use = nullptr;
    if (name.empty())
      use = sharpest_use(audit.at("utilities"));
    else
      for (const Json& other : audit.at("utilities"))
        if (other.at("name") == name && other.contains("loss")) use = &other;
    if (audit.at("attacks").empty() || use == nullptr) continue;
    const Json& attack = audit.at("attacks").front();
    if (name.empty()) {
      name = use->at("name");
      json["tradeoff"] = Json::array();
      json["tradeoff_axes"] = {
          {"attack",
           fmt::format("{} of {}, scenario {}",
                       audit.contains("error_kind") ? audit.at("error").get<std::string>() : "error",
                       attack.at("attacker").get<std::string>(), attack.at("scenario").get<std::string>())},
          {"utility", fmt::format("loss of {} ({})", name, use->at("measure").get<std::string>())},
          {"utility_better", "lower"}};
    }
    const std::string method = point.at("method");
    const auto [curve, added] = curve_of_method.emplace(method, json["tradeoff"].size());
    if (added) json["tradeoff"].push_back({{"method", method}, {"points", Json::array()}});
    json["tradeoff"][curve->second]["points"].push_back({{"budget", point.at("budget")},
                                                         {"distance", point.at("distance")},
                                                         {"leakage", point.at("leakage_bits")},
                                                         {"attack", attack.at("published")},
                                                         {"utility", use->at("loss")}});
  }
}

/// No release, but methods side by side.
bool is_comparison_alone(const ReportInput& input) {
  return input.manifest == nullptr && input.mechanism == nullptr && !input.comparison.empty();
}

std::string title(const ReportInput& input) {
  return is_comparison_alone(input)
             ? fmt::format(
                   "Comparison of methods on {} people: what their releases would reveal about \"{}\"",
                   input.reading.people.size(), input.spec.people.secret.text())
             : fmt::format("Release of {} people: what it reveals about \"{}\"", input.reading.people.size(),
                           input.spec.people.secret.text());
}

Json comparison_facts(const Json& comparison) {
  return {{"headline",
           fmt::format(
               "{} methods at {} budgets, {} groups each. Nothing was published: the figures are those of "
               "mechanisms.{}",
               comparison.at("methods").size(), comparison.at("budgets").size(),
               comparison.at("groups").get<int>(),
               comparison.at("complete") == true ? "" : " It was stopped early.")},
          {"recommended", comparison.value("recommended", Json(nullptr))}};
}

void add_comparison(Json& json, const ReportInput& input, const Json& comparison) {
  if (input.mechanism != nullptr && std::abs(number(comparison.at("secret_entropy_bits")) -
                                             input.mechanism->figures.leakage.secret_entropy) > 1e-9)
    throw InputError({.source = "comparison.json"}, "compares methods on other people",
                     "Run `hyobscure compare` with the same spec.");
  if (is_comparison_alone(input)) json["comparison"] = comparison_facts(comparison);
  json["frontier"] = Json::array();
  for (const Json& curve : comparison.at("methods")) {
    Json points = Json::array();
    for (const Json& point : curve.at("points"))
      points.push_back({{"budget", point.at("budget")},
                        {"distance", point.at("distance")},
                        {"leakage", point.at("leakage_bits")},
                        {"features", point.at("leakage_features_bits")},
                        {"gap", point.at("gap_bits")}});
    if (!points.empty()) json["frontier"].push_back({{"method", curve.at("method")}, {"points", points}});
  }
  if (comparison.contains("audits")) add_trade_off(json, comparison.at("audits"));
}

Json settings_facts(const data::Spec& spec) {
  Json json = Json::array();
  for (const data::SettingValue& setting : data::setting_values(spec))
    json.push_back({{"key", setting.name}, {"value", setting.value}, {"given", setting.given}});
  return json;
}

/// As docs/threat-model.md has them.
Json limits_facts(const ReportInput& input) {
  Json limits = {
      "The group of a person is published as it is.",
      "Published rows are true rows of true people of the same group. Anyone who recognises a row learns "
      "that "
      "its owner "
      "is in the data, and the owner's group.",
      "Leakage is an average over people. A rare value can be inferred with more certainty than the average.",
      "A second, independent release of the same people leaks far more than one: publish once.",
      "Anyone who holds the mechanism file or its key can undo the release. Keep it as you keep the data.",
      "What is published elsewhere about the same people is not counted here.",
      "Attacks show what these attackers found. The leakage in bits bounds, on average over people, every "
      "attacker who sees this release only, even one who knows all rows, all secrets and the channel, but "
      "not "
      "which row is the target's own."};
  if (!input.spec.people.keep.empty())
    limits.push_back("Kept columns are published as they are; the leakage counts what they reveal.");
  if (input.manifest != nullptr && input.manifest->ids == data::PublishedIds::Keep)
    limits.push_back("The release is pseudonymous: people are published under the original ids.");
  return limits;
}

}  // namespace

std::string report_facts(const ReportInput& input) {
  Json json = {{"format", 1},
               {"program", fmt::format("hyobscure {}", version())},
               {"made", today()},
               {"title", title(input)},
               {"data", data_facts(input)}};
  if (input.manifest != nullptr) json["release"] = release_facts(input);
  if (input.verification != nullptr) {
    json["checks"] = checks_facts(*input.verification);
    json["not_seen"] = input.verification->not_seen;
  }
  if (input.mechanism != nullptr) add_mechanism(json, input);
  if (!input.comparison.empty()) try {
      add_comparison(json, input, parse_json(input.comparison));
    } catch (const Json::exception&) {
      throw InputError({.source = "comparison.json"},
                       "is not what `hyobscure compare` writes, or it is damaged", "Run compare again.");
    }
  if (input.audit != nullptr) json["audit"] = audit_section(input);
  json["context"] = data::stated_context(input.spec);
  json["settings"] = settings_facts(input.spec);
  json["limits"] = limits_facts(input);
  return json.dump();
}

}  // namespace hyobscure::report
