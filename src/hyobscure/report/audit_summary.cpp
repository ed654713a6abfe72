#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/fact_reader.h"
#include "hyobscure/report/row_attack_summary.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

std::string attacker_knowledge(audit::Scenario scenario) {
  switch (scenario) {
    case audit::Scenario::I:
      return "learned from true features and secrets of other people";
    case audit::Scenario::II:
      return "learned from the release and the true secrets of other people in it";
    case audit::Scenario::KnownPart:
      return "learned from the release and the true secrets of this share of the people in it";
    case audit::Scenario::Shadow:
      return "learned from its own people, to whom it applied the same method";
  }
  return "";
}

/// What the figures say, in words.
std::string verdict(const audit::AttackErrors& error) {
  if (error.reveals_more()) return "gain, more than on true features";
  if (error.advantage.above_zero()) return "gain over the group alone";
  if (!error.unobscured_advantage.above_zero()) return "no gain, not even on true features";
  if (!error.power) return "no measurable gain (no power)";
  return fmt::format("no measurable gain (power {})", figure(*error.power));
}

using ErrorsOf = std::function<std::optional<audit::AttackErrors>(const audit::AttackResult&)>;

/// One measure of all attacks; nothing where none was measured by it.
std::string attacks_text(const audit::Audit& audit, const std::string& error, const ErrorsOf& errors_of) {
  TextTable errors_table(
      {"attacker", "scenario", error + " on the release", "on true features", "group alone", "nothing known"},
      2);
  TextTable gains_table({"attacker", "scenario", "gain over the group", "verdict"}, 2);
  bool any = false;
  for (const audit::AttackResult& attack : audit.attacks) {
    const std::optional<audit::AttackErrors> errors = errors_of(attack);
    if (!errors) continue;
    any = true;
    const std::string attacker = attacker_name(attack), scenario = scenario_name(attack);
    errors_table.row({attacker, scenario, with_interval(errors->attack), figure(errors->unobscured.mean),
                      figure(errors->group_only.mean), figure(errors->no_information.mean)});
    gains_table.row({attacker, scenario, with_interval(errors->advantage), verdict(*errors)});
  }
  return any ? errors_table.text() + "\n" + gains_table.text() : "";
}

/// Of the order of guesses; nothing where it was not measured.
std::string order_text(const audit::Audit& audit) {
  TextTable table({"attacker", "scenario", "AUC on the release", "true features", "group alone", "gain"}, 2);
  std::vector<std::string> gains;
  bool any = false;
  for (const audit::AttackResult& attack : audit.attacks) {
    if (!attack.auc) continue;
    any = true;
    if (attack.auc->advantage.above_zero())
      gains.push_back(fmt::format("{}, scenario {}{}", attacker_name(attack), scenario_name(attack),
                                  attack.auc->reveals_more() ? " (more than on true features)" : ""));
    table.row({attacker_name(attack), scenario_name(attack), with_interval(attack.auc->attack),
               figure(attack.auc->unobscured.mean), figure(attack.auc->group_only.mean),
               with_interval(attack.auc->advantage)});
  }
  if (!any) return "";
  return table.text() + (gains.empty() ? "" : fmt::format("  gain in order: {}\n", fmt::join(gains, "; ")));
}

std::string attacks_text(const audit::Audit& audit) {
  std::string text =
      attacks_text(audit, audit.ordered ? "error" : "wrong", [](const auto& attack) { return attack.error; });
  const std::string five =
      attacks_text(audit, "missed", [](const auto& attack) { return attack.top5_error; });
  const std::string km = attacks_text(audit, "km", [](const auto& attack) { return attack.km_error; });
  const std::string auc = order_text(audit);
  if (text.find("power") != text.npos)
    text +=
        "  power: the smallest gain over the group that would have been found nine times out of ten; no "
        "power: "
        "not even that of true features would\n";
  if (!five.empty()) text += "\nNot among five guesses: share of people\n" + five;
  if (!km.empty()) text += "\nDistance of the guess from the truth: km\n" + km;
  if (!auc.empty())
    text +=
        "\nOf two people with different values, the odds that the guesses are in the right order (AUC)\n" +
        auc;
  return text;
}

/// Of two releases and more: what one leaks stands above, exactly, and drawn people would show it otherwise.
std::string repeated_text(const audit::Audit& audit, const std::string& what,
                          const std::function<std::string(const audit::RepeatedErrors&)>& figure_of) {
  std::vector<std::string> figures;
  for (const audit::RepeatedErrors& repeated : audit.repeated)
    if (repeated.releases > 1)
      figures.push_back(fmt::format("{} after {}", figure_of(repeated), repeated.releases));
  if (figures.empty()) return "";
  return fmt::format(
      "  If the same people were released again: {} {} releases (of {} people, drawn once). So publish "
      "once.\n",
      what, fmt::join(figures, ", "), count_text(static_cast<std::int64_t>(audit.repeated.front().people)));
}

/// Both as texts that differ where the figures do.
std::string named_text(const audit::InformedErrors& informed) {
  const PairText right = pair_text(100 * informed.named, 100 * informed.group_only_named, 1);
  return fmt::format("  It names the exact value of {} % of the people ({} % with the group alone).\n",
                     right.one, right.other);
}

std::string informed_number_text(const audit::Audit& audit) {
  std::string text = fmt::format(
      "  Informed attacker (knows all rows, secrets and the channel, not which row is the target's): error "
      "{} ({} with the group alone). No attacker who sees only this release can do better on average.\n",
      figure(audit.informed->error), figure(audit.informed->group_only));
  text += named_text(*audit.informed);
  return text + repeated_text(audit, "error", [](const audit::RepeatedErrors& repeated) {
           return figure(repeated.error.mean);
         });
}

std::string informed_guess_text(const audit::Audit& audit) {
  const audit::InformedErrors& informed = *audit.informed;
  std::string text = fmt::format(
      "  Informed attacker (knows all rows, secrets and the channel, not which row is the target's): wrong "
      "for "
      "a share of {} ({} with the group alone). No attacker who sees only this release can do better on "
      "average.\n",
      figure(informed.error), figure(informed.group_only));
  if (std::isfinite(informed.km))
    text += fmt::format("  It comes within {} km on average ({} km with the group alone).\n",
                        figure(informed.km), figure(informed.group_only_km));
  return text + repeated_text(audit, "wrong for", [](const audit::RepeatedErrors& repeated) {
           return figure(repeated.error.mean) +
                  (repeated.km ? fmt::format(" ({} km)", figure(repeated.km->mean)) : "");
         });
}

std::string informed_text(const audit::Audit& audit) {
  if (!audit.informed) return "";
  return audit.ordered ? informed_number_text(audit) : informed_guess_text(audit);
}

/// The loss beside what there is to lose, which no features give.
std::string lost_of_gain(const audit::UtilityResult& utility) {
  const audit::UtilityFigures& figures = *utility.figures;
  if (!figures.gain_unobscured.above_zero())
    return fmt::format("  {} cannot show a loss: no features do as well as the true ones.\n", utility.name);
  return fmt::format("  {} loses {} of what true features give over none.\n", utility.name,
                     lost_text(figures.loss.mean / figures.gain_unobscured.mean));
}

std::string utilities_text(const audit::Audit& audit) {
  TextTable table({"use", "measure", "release", "true features", "no features", "loss"}, 2);
  std::string notes;
  for (const audit::UtilityResult& utility : audit.utilities) {
    if (!utility.measurable()) {
      notes += fmt::format("  {}: {}\n", utility.name, utility.note);
      continue;
    }
    const audit::UtilityFigures& figures = *utility.figures;
    table.row({utility.name, utility.measure, with_interval(figures.published),
               figure(figures.unobscured.mean), figure(figures.baseline.mean), with_interval(figures.loss)});
    notes += lost_of_gain(utility);
  }
  return "What the release is good for: with the release, with true features, with no features\n" +
         table.text() + notes;
}

Json errors_json(const audit::AttackErrors& errors) {
  return {{"published", estimate_json(errors.attack)},
          {"unobscured", estimate_json(errors.unobscured)},
          {"group_only", estimate_json(errors.group_only)},
          {"nothing", estimate_json(errors.no_information)},
          {"advantage", estimate_json(errors.advantage)},
          {"advantage_resampled", estimate_json(errors.advantage_resampled)},
          {"over_unobscured", estimate_json(errors.over_unobscured)},
          {"reveals_more", errors.reveals_more()},
          {"unobscured_advantage", estimate_json(errors.unobscured_advantage)},
          {"power", errors.power ? number(*errors.power) : Json()}};
}

Json attack_json(const audit::AttackResult& attack) {
  Json json = {{"attacker", attacker_name(attack)},           {"scenario", scenario_name(attack)},
               {"what", attacker_knowledge(attack.scenario)}, {"repetitions", attack.repetitions},
               {"known_share", attack.known_share},           {"known_people", attack.known_people},
               {"tested_people", attack.tested_people}};
  json.update(errors_json(attack.error));
  if (attack.top5_error) json["top5"] = errors_json(*attack.top5_error);
  if (attack.km_error) json["km"] = errors_json(*attack.km_error);
  if (attack.auc) json["auc"] = errors_json(*attack.auc);
  return json;
}

Json informed_json(const audit::Audit& audit) {
  const audit::InformedErrors& informed = *audit.informed;
  Json json = {{"error", number(informed.error)},
               {"group_only", number(informed.group_only)},
               {"named", number(informed.named)},
               {"group_only_named", number(informed.group_only_named)},
               {"repeated", Json::array()}};
  for (const audit::RepeatedErrors& repeated : audit.repeated)
    json["repeated"].push_back({{"releases", repeated.releases},
                                {"people", repeated.people},
                                {"error", estimate_json(repeated.error)}});
  if (!std::isfinite(informed.km)) return json;
  json["km"] = {{"error", number(informed.km)},
                {"group_only", number(informed.group_only_km)},
                {"repeated", Json::array()}};
  for (const audit::RepeatedErrors& repeated : audit.repeated)
    json["km"]["repeated"].push_back(
        {{"releases", repeated.releases}, {"error", estimate_json(*repeated.km)}});
  return json;
}

}  // namespace

std::string figure(double value) { return fmt::format("{:.3f}", value); }

std::string with_interval(const audit::Estimate& estimate) {
  return fmt::format("{} [{}, {}]", figure(estimate.mean), figure(estimate.low), figure(estimate.high));
}

std::string error_name(const audit::Audit& audit) {
  return audit.ordered ? "mean absolute error" : "share of wrong guesses";
}

std::string attacker_name(const audit::AttackResult& attack) {
  switch (attack.attacker) {
    case audit::Attacker::Forest:
      return "random forest";
    case audit::Attacker::Boosting:
      return "boosted trees";
    case audit::Attacker::Linear:
      return "linear model";
    case audit::Attacker::PaperBoosting:
      return "XGBoost (paper)";
    case audit::Attacker::Own:
      break;
  }
  return attack.own_name;
}

std::string scenario_name(const audit::AttackResult& attack) {
  switch (attack.scenario) {
    case audit::Scenario::I:
      return "I";
    case audit::Scenario::II:
      return "II";
    case audit::Scenario::KnownPart:
      return fmt::format("II ({:.0f} % known)", 100 * attack.known_share);
    case audit::Scenario::Shadow:
      break;
  }
  return "shadow";
}

Json estimate_json(const audit::Estimate& estimate) {
  return {{"mean", number(estimate.mean)}, {"low", number(estimate.low)}, {"high", number(estimate.high)}};
}

Json utility_json(const audit::UtilityResult& utility) {
  Json json = {{"name", utility.name},
               {"measure", utility.measure},
               {"better", utility.lower_is_better ? "lower" : "higher"},
               {"note", utility.note}};
  if (!utility.measurable()) return json;
  const audit::UtilityFigures& figures = *utility.figures;
  json["published"] = estimate_json(figures.published);
  json["unobscured"] = estimate_json(figures.unobscured);
  json["baseline"] = estimate_json(figures.baseline);
  json["loss"] = estimate_json(figures.loss);
  json["gain_unobscured"] = estimate_json(figures.gain_unobscured);
  json["gain_published"] = estimate_json(figures.gain_published);
  return json;
}

Json audit_facts(const audit::Audit& audit) {
  Json json = {{"error", error_name(audit)},
               {"repetitions", audit.repetitions},
               {"redrawn", audit.redrawn},
               {"attacks", Json::array()}};
  if (!audit.ordered) json["error_kind"] = "share";
  for (const audit::AttackResult& attack : audit.attacks) json["attacks"].push_back(attack_json(attack));
  if (audit.informed) json["informed"] = informed_json(audit);
  add_row_attack_facts(json, audit);
  json["utilities"] = Json::array();
  for (const audit::UtilityResult& utility : audit.utilities)
    json["utilities"].push_back(utility_json(utility));
  json["notes"] = audit.notes;
  return json;
}

std::string audit_text(const audit::Audit& audit, const data::Spec& spec) {
  std::string text = fmt::format("Attacks on \"{}\": {} with its 95 % interval, {} repetitions{}\n",
                                 spec.people.secret.text(), error_name(audit), audit.repetitions,
                                 audit.redrawn ? " (own split and draw)" : " (own split)");
  text += attacks_text(audit) + "\n" + informed_text(audit) + "\n" + row_attacks_text(audit) +
          beyond_sample_text(audit) + utilities_text(audit);
  for (const std::string& note : audit.notes) text += "  " + note + "\n";
  return wrapped(text);
}

std::string audit_json(const audit::Audit& audit, const data::Spec& spec, double seconds) {
  Json json = {{"command", "audit"}, {"secret", spec.people.secret.text()}};
  json.update(audit_facts(audit));
  json["seconds"] = seconds;
  return json.dump();
}

}  // namespace hyobscure::report
