#include "hyobscure/report/row_attack_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

constexpr auto kCoversSample =
    "Figures \"beyond the sample\" draw the people again from those in this table, with replacement, and "
    "leave "
    "the mechanism and the trained attackers as they are: they cover which people of the same population "
    "happened to be here, and do not cover another population, values that nobody here has, another fit or "
    "attackers of another kind.";

std::string interval_or_dash(const std::optional<audit::Estimate>& estimate) {
  return estimate ? with_interval(*estimate) : "-";
}

std::string figure_or_dash(const std::optional<audit::Estimate>& estimate) {
  return estimate ? figure(estimate->mean) : "-";
}

std::string percent(double share) {
  const double per_cent = 100 * share;
  return per_cent > 0 && per_cent < 0.1 ? "less than 0.1 %" : fmt::format("{:.3g} %", per_cent);
}

/// Of the number of entries with which most people's own rows are found.
std::string worst_known(const audit::KnownEntriesResult& result) {
  const auto& worst = *std::ranges::max_element(
      result.of, {}, [](const audit::KnownEntries& entries) { return entries.own_row.mean; });
  if (worst.own_row.mean == 0)
    return fmt::format(
        "  Nobody's own true row was found: with 95 % confidence it is for at most {} of the people.\n",
        percent(worst.own_row.high));
  return fmt::format(
      "  An attacker who knows {} entries finds exactly the person's own true row for {} of the people ({} "
      "if "
      "only rows published once count).\n",
      worst.known, percent(worst.own_row.mean), percent(worst.own_row_once.mean));
}

/// Whether there is one fitting row, and whose.
std::string found_rows_text(const audit::KnownEntriesResult& result) {
  TextTable table({"known", "own row found", "one row fits", "absent people", "under own id", "by chance"});
  for (const audit::KnownEntries& entries : result.of)
    table.row({std::to_string(entries.known), with_interval(entries.own_row), figure(entries.one_fits.mean),
               figure(entries.one_fits_absent.mean), figure(entries.under_id.mean),
               figure(entries.under_id_chance)});
  return table.text() +
         "  own row found: one row fits best, and it is the person's own true row; one row fits: it has all "
         "known "
         "entries; absent people: the same where the own row is left out\n" +
         worst_known(result);
}

/// What the row says beyond what was known.
std::string rest_text(const audit::KnownEntriesResult& result) {
  TextTable table({"known", "rest of the row true", "random row", "absent people", "gain"});
  for (const audit::KnownEntries& entries : result.of)
    table.row({std::to_string(entries.known), interval_or_dash(entries.rest_true),
               figure_or_dash(entries.rest_true_random), figure_or_dash(entries.rest_true_absent),
               interval_or_dash(entries.rest_gain)});
  return "  Of the other entries of the row, the share that is true of the person (random row: of the same "
         "group)\n" +
         table.text();
}

std::string found_secrets_text(const audit::Audit& audit) {
  TextTable table({"known", "model on the row", "its group", "own group", "own row", "nothing known"});
  for (const audit::KnownEntries& entries : audit.known_entries->of) {
    const audit::SecretOfFoundRow& secret = entries.secret;
    table.row({std::to_string(entries.known), with_interval(secret.error), figure(secret.group.mean),
               figure(secret.own_group.mean), figure(secret.true_row.mean),
               figure(secret.no_information.mean)});
  }
  return fmt::format("  What the row then says of the secret: {} (own row: model on the own row and group)\n",
                     error_name(audit)) +
         table.text();
}

std::string known_entries_text(const audit::Audit& audit) {
  const audit::KnownEntriesResult& result = *audit.known_entries;
  return fmt::format(
             "Known entries: the attacker knows some entries of a person's true row, and takes the published "
             "row that fits best ({} people in each repetition)\n",
             count_text(static_cast<std::int64_t>(result.targets))) +
         found_rows_text(result) + rest_text(result) + found_secrets_text(audit);
}

std::string matching_text(const audit::MatchingResult& result) {
  TextTable table({"matching", "release", "ids shuffled"});
  table.row({"AUC", with_interval(result.auc), figure(result.shuffled_auc.mean)});
  table.row(
      {"nearest row is under the id", with_interval(result.nearest), figure(result.shuffled_nearest.mean)});
  table.row({"own row is under the id", with_interval(result.own_row), figure(result.shuffled_own_row.mean)});
  return fmt::format(
             "Matching: the attacker has a person's whole true row and ranks {} published rows by their "
             "distance from it; the one under the person's id stands at place {:.0f} on average\n",
             count_text(static_cast<std::int64_t>(result.rows)), result.rank.mean) +
         table.text() +
         fmt::format(
             "  gain over ids that are shuffled within group and kept columns: {}; an AUC of 0.5 links "
             "nobody\n",
             with_interval(result.gain));
}

Json optional_json(const std::optional<audit::Estimate>& estimate) {
  return estimate ? estimate_json(*estimate) : Json();
}

Json secret_json(const audit::SecretOfFoundRow& secret) {
  return {{"error", estimate_json(secret.error)},
          {"group", estimate_json(secret.group)},
          {"nothing", estimate_json(secret.no_information)},
          {"own_group", estimate_json(secret.own_group)},
          {"true_row", estimate_json(secret.true_row)},
          {"gain", estimate_json(secret.gain)}};
}

Json known_entries_json(const audit::KnownEntriesResult& result) {
  Json json = {{"repetitions", result.repetitions}, {"targets", result.targets}, {"of", Json::array()}};
  for (const audit::KnownEntries& entries : result.of)
    json["of"].push_back({{"known", entries.known},
                          {"own_row", estimate_json(entries.own_row)},
                          {"own_row_once", estimate_json(entries.own_row_once)},
                          {"under_id", estimate_json(entries.under_id)},
                          {"under_id_chance", number(entries.under_id_chance)},
                          {"in_group", estimate_json(entries.in_group)},
                          {"one_fits", estimate_json(entries.one_fits)},
                          {"one_fits_absent", estimate_json(entries.one_fits_absent)},
                          {"rest_true", optional_json(entries.rest_true)},
                          {"rest_true_random", optional_json(entries.rest_true_random)},
                          {"rest_true_absent", optional_json(entries.rest_true_absent)},
                          {"gain", optional_json(entries.rest_gain)},
                          {"gain_resampled", optional_json(entries.rest_gain_resampled)},
                          {"secret", secret_json(entries.secret)}});
  return json;
}

Json matching_json(const audit::MatchingResult& result) {
  return {{"repetitions", result.repetitions},
          {"targets", result.targets},
          {"rows", result.rows},
          {"auc", estimate_json(result.auc)},
          {"rank", estimate_json(result.rank)},
          {"nearest", estimate_json(result.nearest)},
          {"own_row", estimate_json(result.own_row)},
          {"shuffled_auc", estimate_json(result.shuffled_auc)},
          {"shuffled_nearest", estimate_json(result.shuffled_nearest)},
          {"shuffled_own_row", estimate_json(result.shuffled_own_row)},
          {"gain", estimate_json(result.gain)},
          {"gain_resampled", estimate_json(result.gain_resampled)}};
}

}  // namespace

std::string row_attacks_text(const audit::Audit& audit) {
  std::string text;
  if (audit.known_entries) text += known_entries_text(audit) + "\n";
  if (audit.matching) text += matching_text(*audit.matching) + "\n";
  return text;
}

std::string beyond_sample_text(const audit::Audit& audit) {
  std::string lines;
  if (audit.resampled)
    lines += fmt::format(
        "  leakage {} [{}, {}] bits to the informed attacker; the mechanism as it is, balanced for the "
        "people in "
        "this table, leaks {} to {} bits of people drawn again\n",
        figure(audit.resampled->bits), figure(audit.resampled->low), figure(audit.resampled->high),
        figure(audit.resampled->as_it_is_low), figure(audit.resampled->as_it_is_high));
  if (!audit.attacks.empty()) {
    const audit::AttackResult& strongest = *std::ranges::max_element(
        audit.attacks, {}, [](const audit::AttackResult& attack) { return attack.error.advantage.mean; });
    lines += fmt::format("  gain of the strongest trained attack ({}, scenario {}): {}\n",
                         attacker_name(strongest), scenario_name(strongest),
                         with_interval(strongest.error.advantage_resampled));
  }
  if (audit.known_entries)
    for (const audit::KnownEntries& entries : audit.known_entries->of)
      if (entries.rest_gain_resampled && entries.known == 8)
        lines += fmt::format("  gain of 8 known entries: {}\n", with_interval(*entries.rest_gain_resampled));
  if (audit.matching)
    lines += fmt::format("  gain of matching: {}\n", with_interval(audit.matching->gain_resampled));
  return lines.empty() ? "" : "Beyond the sample\n" + lines + fmt::format("  {}\n\n", kCoversSample);
}

void add_row_attack_facts(Json& json, const audit::Audit& audit) {
  if (audit.known_entries) json["known_entries"] = known_entries_json(*audit.known_entries);
  if (audit.matching) json["matching"] = matching_json(*audit.matching);
  json["beyond_the_sample"] = {{"covers", kCoversSample}};
  if (audit.resampled)
    json["beyond_the_sample"]["leakage"] = {{"bits", number(audit.resampled->bits)},
                                            {"low", number(audit.resampled->low)},
                                            {"high", number(audit.resampled->high)},
                                            {"as_it_is",
                                             {{"low", number(audit.resampled->as_it_is_low)},
                                              {"median", number(audit.resampled->as_it_is_median)},
                                              {"high", number(audit.resampled->as_it_is_high)}}},
                                            {"draws", audit.resampled->draws}};
}

}  // namespace hyobscure::report
