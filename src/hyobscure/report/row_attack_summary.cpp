#include "hyobscure/report/row_attack_summary.h"

#include <fmt/format.h>

#include <algorithm>

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
        "  No true row is found: with 95 % confidence such attackers find it for at most {} of the people.\n",
        percent(worst.own_row.high));
  return fmt::format(
      "  Who knows {} entries of a person finds exactly that person's own true row for {} of the people "
      "({} if only rows published once counted).\n",
      worst.known, percent(worst.own_row.mean), percent(worst.own_row_once.mean));
}

std::string known_entries_text(const audit::Audit& audit) {
  const audit::KnownEntriesResult& result = *audit.known_entries;
  TextTable rows({"known entries", "own true row found", "one row has all of them", "not in the release",
                  "found row is under the own id"});
  TextTable rest({"known entries", "rest of the found row true", "random row of the group",
                  "not in the release", "gain"});
  TextTable secrets({"known entries", "model on the found row", "group of the found row", "own group known",
                     "own row and group known", "nothing known"});
  for (const audit::KnownEntries& entries : result.of) {
    const std::string known = std::to_string(entries.known);
    rows.row(
        {known, with_interval(entries.own_row), figure(entries.one_fits.mean),
         figure(entries.one_fits_absent.mean),
         fmt::format("{} ({} by chance)", figure(entries.under_id.mean), figure(entries.under_id_chance))});
    rest.row({known, interval_or_dash(entries.rest_true), figure_or_dash(entries.rest_true_random),
              figure_or_dash(entries.rest_true_absent), interval_or_dash(entries.rest_gain)});
    const audit::SecretOfFoundRow& secret = entries.secret;
    secrets.row({known, with_interval(secret.error), figure(secret.group.mean), figure(secret.own_group.mean),
                 figure(secret.true_row.mean), figure(secret.no_information.mean)});
  }
  return fmt::format(
             "Known entries: the attacker knows some entries of a person's true row, and takes the published "
             "row that fits best ({} people in each repetition). Shares of people:\n",
             count_text(static_cast<std::int64_t>(result.targets))) +
         rows.text() + worst_known(result) +
         "  Share of the row's other entries that are true of the person:\n" + rest.text() +
         fmt::format("  What it then says of the secret: {}\n", error_name(audit)) + secrets.text();
}

std::string matching_text(const audit::MatchingResult& result) {
  TextTable table({"", "release", "ids shuffled within the group"});
  table.row(
      {"AUC (0.5: the true row tells nothing)", with_interval(result.auc), figure(result.shuffled_auc.mean)});
  table.row({"nearest row is the one under the id", with_interval(result.nearest),
             figure(result.shuffled_nearest.mean)});
  table.row({"row under the id is the person's own", with_interval(result.own_row),
             figure(result.shuffled_own_row.mean)});
  return fmt::format(
             "Matching: the attacker has a person's whole true row, and ranks {} published rows by their "
             "distance from it. The row under the person's id stands at place {:.0f} on average\n",
             count_text(static_cast<std::int64_t>(result.rows)), result.rank.mean) +
         table.text() + fmt::format("  gain over shuffled ids: {}\n", with_interval(result.gain));
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
  if (!audit.resampled && audit.attacks.empty()) return "";
  std::string text = "Beyond the sample\n";
  if (audit.resampled)
    text += fmt::format(
        "  leakage {} [{}, {}] bits to the informed attacker; the mechanism as it is, balanced for the "
        "people in "
        "this table, leaks {} to {} bits of people drawn again\n",
        figure(audit.resampled->bits), figure(audit.resampled->low), figure(audit.resampled->high),
        figure(audit.resampled->as_it_is_low), figure(audit.resampled->as_it_is_high));
  for (const audit::AttackResult& attack : audit.attacks)
    text += fmt::format("  gain of {}, scenario {}: {}\n", attacker_name(attack), scenario_name(attack),
                        with_interval(attack.error.advantage_resampled));
  return text + fmt::format("  {}\n\n", kCoversSample);
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
