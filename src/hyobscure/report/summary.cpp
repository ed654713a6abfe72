#include "hyobscure/report/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/json.h"
#include "hyobscure/base/numeric.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/methods/settings.h"
#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/column_summary.h"
#include "hyobscure/report/recommendation_summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

constexpr std::size_t kFiguresOfData = 33;  ///< where figures of the data begin

std::string people_word(std::int64_t count) { return count == 1 ? "person" : "people"; }

/// One line per reason for which people or events were left out, and what was filled in.
std::string left_out_text(const data::ReadCounts& counts) {
  std::string text;
  const auto line = [&](std::int64_t count, const char* one, const char* many, const char* why) {
    if (count > 0)
      text += fmt::format("  left out: {} {} {}\n", count_text(count), count == 1 ? one : many, why);
  };
  line(counts.people_outside, "person", "people", "outside secret.keep");
  line(counts.people_without_secret, "person", "people", "without a secret");
  line(counts.people_incomplete, "person", "people", "with an empty feature");
  line(counts.people_with_rare_secret, "person", "people", "with a rare secret");
  line(counts.people_without_events, "person", "people", "without events");
  line(counts.events_incomplete, "event", "events", "with an empty cell");
  line(counts.events_unknown, "event", "events", "of unknown people");
  line(counts.events_telling_home, "event", "events", "that would reveal home");
  if (counts.cells_filled > 0)
    text += fmt::format("  filled: {} empty {} (people.missing)\n", count_text(counts.cells_filled),
                        counts.cells_filled == 1 ? "cell" : "cells");
  if (counts.people_of_zeros > 0)
    text += fmt::format(
        "  note: {} {} only zeros; Jensen-Shannon takes them as alike, and far from all others. "
        "channel.distance = \"squared-euclidean\" suits numbers\n",
        count_text(counts.people_of_zeros), counts.people_of_zeros == 1 ? "person has" : "people have");
  return text;
}

Json counts_json(const data::ReadCounts& counts) {
  return {{"people_read", counts.people_read},
          {"people_outside", counts.people_outside},
          {"people_without_secret", counts.people_without_secret},
          {"people_incomplete", counts.people_incomplete},
          {"people_with_rare_secret", counts.people_with_rare_secret},
          {"people_without_events", counts.people_without_events},
          {"cells_filled", counts.cells_filled},
          {"people_of_zeros", counts.people_of_zeros},
          {"events_read", counts.events_read},
          {"events_incomplete", counts.events_incomplete},
          {"events_unknown", counts.events_unknown},
          {"events_telling_home", counts.events_telling_home}};
}

Json groups_json(const std::vector<published::Group>& groups) {
  Json list = Json::array();
  for (const auto& group : groups)
    list.push_back({{"label", group.label}, {"people", group.people}, {"values", group.values}});
  return list;
}

std::string groups_table(const std::vector<published::Group>& groups) {
  TextTable table({"group", "people", "values"});
  for (const auto& group : groups)
    table.row({group.label, count_text(group.people), count_text(group.values)});
  return table.text();
}

std::string beside_null(double null_bits, double deviation_bits) {
  return fmt::format("(shuffled secrets would show {:.4f} ± {:.4f})", null_bits, deviation_bits);
}

std::string options_table(const obscure::Inspection& inspection) {
  const bool with_groupings =
      !inspection.options.empty() && std::isfinite(inspection.options.front().groupings);
  std::vector<std::string> header = {"groups", "k at most", "alpha at least", "l at most", "beta at least"};
  if (with_groupings) header.push_back("groupings within your limits");
  TextTable table(header);
  for (const auto& option : inspection.options) {
    std::vector<std::string> row = {std::to_string(option.count)};
    for (const double x : {option.extremes.largest_k, option.extremes.smallest_alpha,
                           option.extremes.largest_l, option.extremes.smallest_beta})
      row.push_back(count_text(std::llround(x)));
    if (with_groupings)
      row.push_back(option.groupings == 0     ? "0"
                    : option.groupings < 1e15 ? count_text(std::llround(option.groupings))
                                              : fmt::format("{:.1e}", option.groupings));
    table.row(std::move(row));
  }
  return table.text();
}

/// What anyone needs to know to find a person's row among the true ones.
std::string singled_out_text(const obscure::Inspection& inspection) {
  std::string text = "  singled out                    ";
  for (const census::SingledOut& found : inspection.singled_out)
    text += fmt::format("{}{} by {}", &found == inspection.singled_out.data() ? "" : ", ",
                        share_text(found.share, 1), found.known);
  return wrapped(text +
                     " known entries: the share of people whose entries nobody else has. A release that "
                     "has such a row shows the rest of it\n",
                 kFiguresOfData);
}

constexpr std::size_t kPreviewColumn = 33;  ///< where the figures of a preview begin
constexpr std::size_t kFigureColumn = 24;   ///< and those of a mechanism

/// Before the fit: what random donors would do at the budget, and where the true share will be shown.
std::string own_rows_preview(const obscure::GroupsPreview& preview, const data::Spec& spec) {
  if (spec.release.rows == data::PublishedRows::Composed)
    return "  own rows                       none: rows are composed of several people\n";
  if (obscure::method_of(spec).person_level && spec.method.self_donor == data::SelfDonor::Never)
    return "  own rows                       none (method.self_donor)\n";
  const double budget =
      spec.channel.budget.value_or(spec.channel.budget_share.value_or(0.5) * preview.uniform_distance);
  const double kept = preview.uniform_distance > 0 ? std::max(0.0, 1 - budget / preview.uniform_distance) : 0;
  return wrapped(
      fmt::format("  own rows                       random donors at a distance of {:.4f} leave {} "
                  "of the people their own row; `fit` shows the share of your method, "
                  "method.self_donor = \"never\" forbids it: anyone who knows part of such a row "
                  "recognises the person\n",
                  budget, share_text(kept, 1)),
      kPreviewColumn);
}

std::string preview_text(const obscure::GroupsPreview& preview, const obscure::Inspection& inspection,
                         const data::Spec& spec) {
  std::string text =
      fmt::format("\nWith the first groups of {}\n{}",
                  preview.of_the_spec ? "your spec" : "the recommended limits", groups_table(preview.groups));
  text += fmt::format("  the groups alone leak          {} ({} of the secret)\n",
                      bits_text(preview.leakage_groups_bits),
                      share_text(preview.leakage_groups_bits, inspection.secret_entropy_bits));
  text += fmt::format("  unprotected features add       {} {}\n", bits_text(preview.features.bits),
                      beside_null(preview.features.null_bits, preview.features.null_deviation_bits));
  const bool composed = spec.release.rows == data::PublishedRows::Composed;
  text += fmt::format(
      "  sensible budgets by clusters   {:.4f} (nearest donors) to {:.4f} (features leak nothing)\n"
      "  person by person (method fine) {} to {:.4f} (any donor of the group)\n",
      preview.smallest_budget, preview.largest_budget,
      composed ? "the nearest composed rows" : "0 (each person's own row)", preview.uniform_distance);
  return text + own_rows_preview(preview, spec);
}

std::string limit_text(double low, double high) { return fmt::format("{} to {}", low, high); }

/// k and l of pools where they hold for pools; the smallest pool in any case.
std::string limits_line(const obscure::Mechanism& mechanism) {
  const published::Limits& limits = mechanism.limits;
  std::string text =
      fmt::format("  limits{}: people {}, values {}\n", mechanism.smallest_pool > 0 ? " of groups" : "",
                  limit_text(limits.least_people, limits.most_people),
                  limit_text(limits.least_values, limits.most_values));
  if (mechanism.smallest_pool == 0) return text;
  text += limits.for_pools ? fmt::format(
                                 "  limits of pools (same group and kept cells): people at least {}, "
                                 "values at least {}\n",
                                 limits.least_people, limits.least_values)
                           : "  pools (same group and kept cells): at least two people, no other limit\n";
  return text + fmt::format("  smallest pool: {} people\n", count_text(mechanism.smallest_pool));
}

std::string history_text(const std::vector<obscure::Round>& history) {
  TextTable table({"round", "leakage (bits)", "distance", "boundary moves"});
  for (std::size_t i = 0; i < history.size(); ++i)
    table.row({i == 0 ? "first groups" : std::to_string(i), fmt::format("{:.6f}", history[i].leakage),
               fmt::format("{:.6f}", history[i].distance), i == 0 ? "-" : std::to_string(history[i].moves)});
  return table.text();
}

/// What the proven gap is about.
std::string weights_text(const obscure::Mechanism& mechanism) {
  const double informed = mechanism.figures.informed_weight;
  if (mechanism.threat.empty() || informed == 1) return {};
  return fmt::format(",\n                        of {:.2f} x informed attacker + {:.2f} x model", informed,
                     1 - informed);
}

/// How many, and what it means.
std::string own_rows_text(const obscure::Figures& figures) {
  if (const auto& composed = figures.composed; std::isfinite(composed.largest_share)) {
    std::string text = fmt::format(
        "  rows                  composed of several people; at most {} of a row is one person's; {} of the "
        "entries "
        "have too few owners and are left out (release.owners)",
        share_text(composed.largest_share, 1), share_text(composed.dropped, 1));
    if (std::isfinite(composed.smallest_distance))
      text += fmt::format("; no channel of these groups publishes nearer than {:.6f}",
                          composed.smallest_distance);
    return wrapped(text + "\n", kFigureColumn);
  }
  if (figures.own_rows == 0) return "  own rows              none: no person publishes their own row\n";
  return wrapped(
      fmt::format("  own rows              {} of the people are expected to publish their own row: the "
                  "leakage counts it, but anyone who knows part of such a row recognises the person\n",
                  share_text(figures.own_rows, 1)),
      kFigureColumn);
}

std::string times_text(double lift) { return fmt::format("{:.2f} times", lift); }

/// What one row can do, where the leakage is an average.
std::string lift_text(const obscure::LiftFigures& lift) {
  if (std::isnan(lift.highest)) return {};
  const auto line = [](const std::string& name, const std::string& text) {
    return wrapped(fmt::format("  {:<22}{}\n", name, text), kFigureColumn);
  };
  return "\nThe worst case: the share of one value among the people of its group, and what one row makes of "
         "it\n" +
         line("largest rise", fmt::format("{}; with the group, {} the share among all people",
                                          times_text(lift.highest), times_text(lift.highest_of_population))) +
         line("largest fall", lift.lowest > 0 ? times_text(lift.lowest)
                                              : std::string("to nothing: some row rules a value out")) +
         line("a person's own value",
              fmt::format("at most {} by the worst row, for the median person {}",
                          times_text(lift.own_largest), times_text(lift.own_largest_median))) +
         line("  in expectation",
              fmt::format("at most {}, for the median person {}", times_text(lift.own_expected),
                          times_text(lift.own_expected_median)));
}

std::string shortfalls_text(const obscure::Mechanism& mechanism) {
  const auto reasons = obscure::shortfalls(mechanism);
  if (reasons.empty()) return {};
  std::string text = "\nWeaker than it should be:\n";
  for (const std::string& reason : reasons) text += wrapped("  - " + reason + "\n", 4);
  return text +
         "Raise the budget, keep fewer columns, or widen the groups. `publish` refuses this mechanism unless "
         "you give --accept-leakage.\n";
}

std::string costs_text(const std::vector<obscure::CommandCost>& costs) {
  TextTable table({"command", "takes about", "memory about"});
  std::string advice;
  for (const obscure::CommandCost& cost : costs) {
    table.row({cost.command, seconds_text(cost.seconds), bytes_text(cost.memory_bytes)});
    if (!cost.advice.empty()) advice += wrapped(fmt::format("  {}: {}\n", cost.command, cost.advice), 4);
  }
  return "\nCost on this machine, beside what else it does now\n" + table.text() + advice;
}

/// One row of a Markdown table; bars inside cells are escaped.
std::string markdown_row(const std::vector<std::string>& cells) {
  std::vector<std::string> escaped;
  for (const std::string& cell : cells) {
    std::string text;
    for (const char letter : cell) text += letter == '|' ? std::string("\\|") : std::string(1, letter);
    escaped.push_back(std::move(text));
  }
  return fmt::format("| {} |\n", fmt::join(escaped, " | "));
}

}  // namespace

std::string inspection_text(const obscure::Inspection& inspection, const data::ReadCounts& counts,
                            const data::Spec& spec) {
  std::string text =
      fmt::format("Data\n  {} {} of {} read, {} items, {} entries ({:.1f} each)\n",
                  count_text(static_cast<std::int64_t>(inspection.people)),
                  people_word(static_cast<std::int64_t>(inspection.people)), count_text(counts.people_read),
                  count_text(static_cast<std::int64_t>(inspection.items)),
                  count_text(static_cast<std::int64_t>(inspection.entries)),
                  static_cast<double>(inspection.entries) / static_cast<double>(inspection.people));
  text += left_out_text(counts);
  text += columns_text(inspection);
  text += fmt::format("\nSecret \"{}\"\n  {} distinct values, H(Y) = {}\n", spec.people.secret.text(),
                      count_text(std::llround(inspection.distinct_values)),
                      bits_text(inspection.secret_entropy_bits));
  if (static_cast<double>(inspection.atoms) < inspection.distinct_values)
    text += fmt::format(
        "  joined to {} neighbourhoods (secret.atoms): figures of unprotected features are about these; fit "
        "counts exact values\n",
        inspection.atoms);
  text += fmt::format("  unprotected features leak      {} {}\n", bits_text(inspection.features.bits),
                      beside_null(inspection.features.null_bits, inspection.features.null_deviation_bits));
  text += singled_out_text(inspection);
  text += "\nWhat groups can be: people [k, alpha] and secrets [l, beta] per group, each limit by itself\n" +
          options_table(inspection);
  text += inspection.preview ? preview_text(*inspection.preview, inspection, spec)
                             : "\n" + inspection.no_preview_because + "\n";
  text = wrapped(text) + costs_text(inspection.costs);
  if (inspection.recommendation)
    text += wrapped(recommendation_text(*inspection.recommendation, inspection.people));
  return text;
}

std::string inspection_json(const obscure::Inspection& inspection, const data::ReadCounts& counts,
                            double seconds) {
  const auto leakage = [](const obscure::MeasuredLeakage& measured) {
    return Json{{"leakage_bits", number(measured.bits)},
                {"leakage_null_bits", number(measured.null_bits)},
                {"leakage_null_deviation_bits", number(measured.null_deviation_bits)}};
  };
  Json json = {{"command", "inspect"},
               {"people", inspection.people},
               {"items", inspection.items},
               {"entries", inspection.entries},
               {"values", inspection.distinct_values},
               {"atoms", inspection.atoms},
               {"read", counts_json(counts)},
               {"secret_entropy_bits", number(inspection.secret_entropy_bits)},
               {"unprotected", leakage(inspection.features)}};
  json["columns"] = columns_json(inspection);
  json["implausible_secrets"] = implausible_json(inspection);
  json["singled_out"] = Json::array();
  for (const census::SingledOut& found : inspection.singled_out)
    json["singled_out"].push_back(
        {{"known", found.known}, {"share", found.share}, {"low", found.low}, {"high", found.high}});
  json["options"] = Json::array();
  for (const auto& option : inspection.options)
    json["options"].push_back({{"groups", option.count},
                               {"largest_k", option.extremes.largest_k},
                               {"smallest_alpha", option.extremes.smallest_alpha},
                               {"largest_l", option.extremes.largest_l},
                               {"smallest_beta", option.extremes.smallest_beta},
                               {"groupings", number(option.groupings)}});
  if (inspection.preview) {
    const auto& preview = *inspection.preview;
    json["groups"] = groups_json(preview.groups);
    json["leakage_groups_bits"] = preview.leakage_groups_bits;
    json["unprotected_within_groups"] = leakage(preview.features);
    json["smallest_budget"] = preview.smallest_budget;
    json["largest_budget"] = preview.largest_budget;
    json["uniform_distance"] = preview.uniform_distance;
  } else {
    json["no_groups_because"] = inspection.no_preview_because;
  }
  if (inspection.recommendation) json["recommendation"] = recommendation_json(*inspection.recommendation);
  json["estimate"] = {{"census_seconds", number(inspection.census_seconds)}};
  for (const obscure::CommandCost& cost : inspection.costs) {
    json["estimate"][cost.command + "_seconds"] = number(cost.seconds);
    json["estimate"][cost.command + "_memory_bytes"] = number(cost.memory_bytes);
  }
  json["seconds"] = seconds;
  return json.dump();
}

std::string mechanism_text(const obscure::Mechanism& mechanism, const data::ReadCounts& counts) {
  const auto& figures = mechanism.figures;
  const bool by_cells = obscure::rows_tell_their_cell(mechanism.channels);
  const std::string how =
      !mechanism.threat.empty()
          ? fmt::format("threat {}{}", mechanism.threat, mechanism.balanced ? ", balanced" : "")
      : mechanism.parameter
          ? fmt::format("{} = {:.6g}", mechanism.parameter->name, mechanism.parameter->value)
          : mechanism.objective + " objective";
  std::string text =
      fmt::format("Mechanism ({}, {}) for {} people\n", mechanism.method, how, count_text(mechanism.people));
  text += left_out_text(counts);
  text += fmt::format("\n{}", groups_table(mechanism.groups));
  text += limits_line(mechanism);
  text += fmt::format("\nLeakage of the release about the secret, of H(Y) = {}\n",
                      bits_text(figures.leakage.secret_entropy));
  text += fmt::format("  in all                {} ({})\n", bits_text(figures.leakage.total),
                      share_text(figures.leakage.total, figures.leakage.secret_entropy));
  const bool keeps = mechanism.within_groups && mechanism.channels.size() > mechanism.groups.size();
  text += fmt::format("    by the groups       {}{}\n", bits_text(figures.leakage.groups),
                      keeps ? ", kept columns included" : "");
  text += fmt::format("    by the features     {}, unprotected {} {}\n", bits_text(figures.leakage.features),
                      bits_text(figures.leakage.unprotected),
                      by_cells ? beside_null(figures.leakage.null, figures.leakage.null_deviation)
                               : "(to an informed attacker)");
  if (!by_cells) text += fmt::format("      by their clusters {}\n", bits_text(figures.leakage.clusters));
  if (std::isfinite(figures.leakage.learned))
    text += fmt::format("      to a model        {} (trained on other people)\n",
                        bits_text(figures.leakage.learned));
  if (std::isfinite(figures.epsilon))
    text += fmt::format("  differential privacy of the choice of donors: epsilon = 2 beta d_max = {:.4g}\n",
                        figures.epsilon);
  text +=
      fmt::format("  a guess of the exact value from the release is wrong for at least {} of people (Fano)\n",
                  share_text(figures.leakage.fano_error_bound, 1));
  text += "  the informed attacker knows all rows, secrets and the channel, not which row is the target's\n";
  text += lift_text(figures.lift);
  text +=
      fmt::format("\nWhat it costs\n  expected distance     {:.6f}{} ({})\n", figures.distance,
                  std::isfinite(figures.budget) ? fmt::format(" of the budget {:.6f}", figures.budget) : "",
                  mechanism.distance);
  if (std::isfinite(figures.gap))
    text += fmt::format("  proven gap            {} above the best channel for these groups{}\n",
                        bits_text(figures.gap), weights_text(mechanism));
  if (std::isfinite(figures.joint_gap))
    text += fmt::format("  proven joint gap      {} above the best of all groupings within the limits\n",
                        bits_text(figures.joint_gap));
  text += own_rows_text(figures);
  if (mechanism.history.size() > 1) text += "\nRounds\n" + history_text(mechanism.history);
  if (!mechanism.within_groups)
    text += "\nDonors come from all groups: for comparisons only, publish refuses this mechanism.\n";
  if (!mechanism.note.empty()) text += "\n" + mechanism.note + "\n";
  if (!mechanism.converged) text += "\nStopped early: this is the best mechanism so far, not the optimum.\n";
  if (mechanism.seeded)
    text += "\nSeeded, for trials: a release from this mechanism must not be published.\n";
  return wrapped(text + shortfalls_text(mechanism));
}

std::string mechanism_json(const obscure::Mechanism& mechanism, const data::ReadCounts& counts,
                           double seconds, const std::optional<audit::TargetSearch>& target) {
  Json json = {{"command", "fit"},
               {"method", mechanism.method},
               {"objective", mechanism.objective},
               {"distance_name", mechanism.distance},
               {"people", mechanism.people},
               {"read", counts_json(counts)},
               {"groups", groups_json(mechanism.groups)},
               {"limits", published::limits_json(mechanism.limits, false)},
               {"limits_for", mechanism.limits.for_pools ? "pools" : "groups"},
               {"smallest_pool", mechanism.smallest_pool},
               {"shortfalls", obscure::shortfalls(mechanism)},
               {"threat", mechanism.threat},
               {"balanced", mechanism.balanced},
               {"within_groups", mechanism.within_groups},
               {"note", mechanism.note},
               {"converged", mechanism.converged},
               {"seeded", mechanism.seeded}};
  obscure::visit_figures(mechanism.figures,
                         [&](const char* key, double figure) { json[key] = number(figure); });
  if (mechanism.parameter) json["parameter"] = {{mechanism.parameter->name, mechanism.parameter->value}};
  json["history"] = Json::array();
  for (const auto& round : mechanism.history)
    json["history"].push_back({{"objective_bits", number(round.objective)},
                               {"leakage_bits", number(round.leakage)},
                               {"distance", number(round.distance)},
                               {"moves", round.moves}});
  if (target) json["promise"] = target_search_facts(*target);
  json["seconds"] = seconds;
  return json.dump();
}

std::string settings_page() {
  std::string page =
      "# Settings\n\n"
      "Every key of `spec.toml`, and as a flag of `inspect`, `fit`, `compare`, `publish` and `verify "
      "--against`: "
      "`[groups] count = 4` is "
      "`--groups.count 4`. A flag wins over the file. *required*: `fit` asks for it, because it decides "
      "about privacy or "
      "names your data.\n\nThis page is written by `hyobscure settings`.\n";
  std::string section;
  for (const data::Setting& setting : obscure::settings()) {
    if (setting.section != section) {
      section = setting.section;
      page += fmt::format("\n## [{}]\n\n| key | type | default | meaning |\n| --- | --- | --- | --- |\n",
                          section);
    }
    const std::string type =
        setting.choices.empty() ? setting.type : fmt::format("`{}`", fmt::join(setting.choices, "`, `"));
    const std::string fallback = setting.fallback == "none" || setting.fallback == "required"
                                     ? setting.fallback
                                     : "`" + setting.fallback + "`";
    page += markdown_row({"`" + setting.key + "`", type, fallback, setting.help});
  }
  return page;
}

}  // namespace hyobscure::report
