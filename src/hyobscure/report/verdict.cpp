#include "hyobscure/report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hyobscure/report/attack_figures.h"
#include "hyobscure/report/fact_reader.h"
#include "hyobscure/report/techniques.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

constexpr std::size_t kListedChecks = 5;

struct Lights {
  std::vector<std::string> failed, open, passes, not_measured, not_stated;
};

// --- checks

std::string text_of_check(const Json& check) {
  const std::string detail = text_at(check, {"detail"});
  return text_at(check, {"what"}, "unnamed check") + (detail.empty() ? "" : fmt::format(" ({})", detail));
}

/// The first few by name, the others by their number.
void list_checks(const Json& facts, CheckState state, const std::string& intro,
                 std::vector<std::string>& sentences) {
  std::size_t found = 0;
  for (const Json& check : objects_at(facts, {"checks"})) {
    if (state_of_check(check) != state) continue;
    if (++found <= kListedChecks) sentences.push_back(fmt::format("{}: {}.", intro, text_of_check(check)));
  }
  if (found > kListedChecks)
    sentences.push_back(fmt::format("{} more are listed below.", found - kListedChecks));
}

void add_checks(const Json& facts, Lights& lights) {
  const CheckCounts counts = count_checks(facts);
  if (counts.all == 0) {
    lights.not_measured.push_back("The files of the release were not checked.");
    return;
  }
  list_checks(facts, CheckState::Failed, "Failed", lights.failed);
  list_checks(facts, CheckState::Note, "Does not hold", lights.open);
  list_checks(facts, CheckState::Open, "Could not be checked", lights.not_measured);
  if (counts.passed > 0)
    lights.passes.push_back(
        counts.passed == counts.all
            ? fmt::format("All {} of the release passed.", counted(counts.all, "check", "checks"))
            : fmt::format("{} of {} of the release passed.", count_text(counts.passed),
                          counted(counts.all, "check", "checks")));
  for (const std::string& unseen : texts_at(facts, {"not_seen"}))
    lights.not_measured.push_back(fmt::format("The checks cannot see {}.", unseen));
}

// --- the release

void add_release(const Json& facts, Lights& lights) {
  if (is_true_at(facts, {"release", "seeded"}))
    lights.failed.push_back(
        "The draws come from a seed: anyone who has it can undo the protection. These files are for trials "
        "and "
        "must not be published.");
  const std::vector<std::string> shortfalls = texts_at(facts, {"release", "shortfalls"});
  if (!shortfalls.empty() || is_true_at(facts, {"release", "accepted_leakage"}))
    lights.open.push_back(
        fmt::format("The mechanism is weaker than it should be{} The publisher accepted this leakage.",
                    shortfalls.empty() ? "." : fmt::format(": {}", fmt::join(shortfalls, " "))));
  if (const double earlier = number_at(facts, {"release", "earlier_draws"}).value_or(0); earlier > 0)
    lights.open.push_back(fmt::format(
        "The same people were drawn {} before. Releases add up: who has several of them knows more "
        "than the figures of this page say, which hold for this release alone.",
        earlier == 1 ? "once" : fmt::format("{:.0f} times", earlier)));
  if (fact(facts, {"release"}) != nullptr && rows_of(facts) == PublishedRows::Donor)
    lights.open.push_back(
        "Every published row is a true row of somebody in the same group: anyone who knows a few entries of "
        "its "
        "owner may find it, and read the others. That reveals the row's owner, not the person under whose id "
        "it stands.");
  if (const auto own = number_at(facts, {"release", "own_rows"}); own && *own > 0)
    lights.open.push_back(fmt::format(
        "{} of the people are expected to publish their own row. The leakage counts it, but anyone "
        "who knows part of such a row recognises the person under the person's own id.",
        share_text(*own, 1)));
  const auto smallest = number_at(facts, {"constraints", "smallest_pool"});
  const Json* limits = fact(facts, {"constraints", "people"});
  const bool has_k =
      limits != nullptr && limits->is_array() && !limits->empty() && limits->front().is_number();
  if (smallest && has_k && *smallest < limits->front().get<double>())
    lights.open.push_back(fmt::format(
        "The smallest pool (same group and same kept cells) has {}, fewer than the {} of the smallest group.",
        counted(static_cast<std::int64_t>(*smallest), "person", "people"), figure_text(limits->front())));
}

/// What the features leak against what shuffled secrets would show.
void add_chance(const Json& facts, Lights& lights) {
  const auto features = number_at(facts, {"leakage", "features"}),
             chance = number_at(facts, {"leakage", "null"});
  if (!features || !chance) return;
  constexpr double kNothing = 1e-9;
  // Two standard deviations: one shuffled table in forty lies above.
  const double explained = *chance + 2 * number_at(facts, {"leakage", "null_deviation"}).value_or(0);
  if (*features <= std::max(explained, kNothing))
    lights.passes.push_back("What the features leak beyond the groups is no more than chance explains.");
  else
    lights.open.push_back(fmt::format("The features leak {} beyond the groups; chance alone would show {}.",
                                      bits_text(*features), bits_text(*chance)));
}

// --- attackers

void add_attacks(const Json& facts, Lights& lights) {
  const std::vector<TrainedAttack> attacks = trained_attacks(facts);
  if (attacks.empty()) {
    lights.not_measured.push_back("No attacker was trained.");
    return;
  }
  std::int64_t gaining = 0, harmless = 0, blind = 0, missing = 0;
  for (const TrainedAttack& attack : attacks)
    ++(!attack.gain ? missing : attack.gains() ? gaining : attack.is_blind() ? blind : harmless);
  const auto all = static_cast<std::int64_t>(attacks.size());
  const std::string guess = fmt::format("the guess from the {} alone", group_word(facts));
  const auto some = [&](std::int64_t number) {
    const std::string attackers = counted(all, "trained attacker", "trained attackers");
    return number < all ? fmt::format("{} of {}", number, attackers)
           : all == 1   ? attackers
                        : "All " + attackers;
  };
  if (gaining > 0)
    lights.open.push_back(
        fmt::format("{} {} over {}.", some(gaining), gaining == 1 ? "gains" : "gain", guess));
  if (harmless > 0)
    lights.passes.push_back(fmt::format("{} {} no measurable gain over {}.", some(harmless),
                                        harmless == 1 ? "has" : "have", guess));
  if (blind > 0)
    lights.not_measured.push_back(
        fmt::format("{} {} not clearly beat {} even on true features: on these data {} nothing, neither "
                    "danger nor protection.",
                    some(blind), blind == 1 ? "does" : "do", guess, blind == 1 ? "it shows" : "they show"));
  if (missing > 0) lights.not_measured.push_back(fmt::format("{} gave no figure.", some(missing)));
}

void add_informed(const Json& facts, Lights& lights) {
  const auto right = named_right(facts);
  if (!right)
    lights.not_measured.push_back(
        "How often an informed attacker names the exact value: that takes the mechanism.");
  else if (right->one == right->other)
    lights.passes.push_back(
        fmt::format("An informed attacker names the exact {} no more often than the {} alone gives it.",
                    secret_name(facts), group_word(facts)));
  else
    lights.open.push_back(
        fmt::format("An informed attacker names the exact {} of {} of the people; by the {} alone "
                    "it is {}.",
                    secret_name(facts), right->one + " %", group_word(facts), right->other + " %"));
}

// --- uses

struct UseResult {
  std::string name;
  /// Of what true features give over none, the part that the release loses; nothing: true features give
  /// nothing that could be seen, so no loss can be.
  std::optional<double> lost;
  bool measured = true;
};

/// By how much one interval is better than another that is not of the same splits.
Interval better_by(const Interval& one, const Interval& other, bool lower_is_better) {
  if (lower_is_better) return {other.mean - one.mean, other.low - one.high, other.high - one.low};
  return {one.mean - other.mean, one.low - other.high, one.high - other.low};
}

UseResult use_result(const Json& use) {
  const std::string measure = text_at(use, {"measure"});
  UseResult result{text_at(use, {"name"}, "a use") + (measure.empty() ? "" : fmt::format(" ({})", measure)),
                   {}};
  const auto published = interval_at(use, {"published"}), unobscured = interval_at(use, {"unobscured"});
  const auto none = interval_at(use, {"baseline"});
  const std::string better = text_at(use, {"better"});
  if (!published || !unobscured || !none || (better != "lower" && better != "higher")) {
    result.measured = false;
    return result;
  }
  const auto paired = interval_at(use, {"gain_unobscured"});
  const Interval gain = paired ? *paired : better_by(*unobscured, *none, better == "lower");
  if (gain.low > 0) result.lost = better_by(*unobscured, *published, better == "lower").mean / gain.mean;
  return result;
}

std::vector<UseResult> use_results(const Json& facts) {
  std::vector<UseResult> results;
  for (const Json& use : objects_at(facts, {"audit", "utilities"})) results.push_back(use_result(use));
  return results;
}

/// With a capital letter where it is one of ASCII.
std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

void add_uses(const Json& facts, Lights& lights) {
  const std::vector<UseResult> results = use_results(facts);
  if (results.empty()) lights.not_measured.push_back("No use of the data was tried.");
  for (const UseResult& use : results)
    if (!use.measured)
      lights.not_measured.push_back(fmt::format("{}: what it loses was not measured.", capital(use.name)));
    else if (!use.lost)
      lights.not_measured.push_back(fmt::format(
          "{} cannot show a loss: on these data it does as well with no features as with the true ones.",
          capital(use.name)));
    else if (*use.lost >= 1)
      lights.open.push_back(
          fmt::format("{} does no better with the release than with no features.", capital(use.name)));
}

// --- what nobody answered

/// Questions that no other sentence of the verdict answers.
bool is_of_evidence_alone(const std::string& key) {
  return key == "known_entries" || key == "matching" || key == "known_part" || key == "beyond_sample";
}

/// What others will ask, before what the checks cannot see.
void add_gaps(const Json& facts, Lights& lights) {
  std::vector<std::string> unmeasured;
  std::int64_t silent = 0, asked = 0;
  for (const Json& question : objects_at(facts, {"evidence", "questions"})) {
    const std::string state = text_at(question, {"state"});
    asked += state == "stated" || state == "not stated";
    silent += state == "not stated";
    if (!is_of_evidence_alone(text_at(question, {"key"}))) continue;
    if (state == "not measured") unmeasured.push_back(text_at(question, {"question"}));
    if (state == "open") lights.open.push_back(text_at(question, {"answer"}));
  }
  lights.not_measured.insert(lights.not_measured.begin(), unmeasured.begin(), unmeasured.end());
  if (silent > 0)
    lights.not_stated.push_back(
        fmt::format("{} of {} that only the publisher can answer, such as who gets the release, who approved "
                    "it and until "
                    "when. They are listed under Evidence; the answers belong in [context] of the spec.",
                    count_text(silent), counted(asked, "question", "questions")));
}

// --- the figures that matter

Json figure_json(const Figure& figure) {
  return {{"title", figure.title}, {"figure", figure.figure}, {"text", figure.text}};
}

Figure use_figure(const Json& facts) {
  const std::string title = "Lost to the uses";
  std::vector<UseResult> results = use_results(facts);
  if (results.empty()) return {title, "not measured", "No use of the data was tried.", false};
  std::erase_if(results, [](const UseResult& use) { return !use.measured; });
  const auto worst = std::ranges::max_element(results, {}, [](const UseResult& use) {
    return use.lost.value_or(std::numeric_limits<double>::lowest());
  });
  if (worst == results.end()) return {title, "not measured", "No use gave figures to compare.", false};
  std::vector<std::string> blind, others;
  for (const UseResult& use : results)
    if (!use.lost)
      blind.push_back(use.name);
    else if (&use != &*worst)
      others.push_back(fmt::format("{} loses {}", use.name, lost_text(*use.lost)));
  const std::string cannot =
      blind.empty() ? ""
                    : fmt::format("{} cannot show a loss: no features do as well there as the true ones.",
                                  capital(fmt::format("{}", fmt::join(blind, ", "))));
  if (!worst->lost) return {title, "cannot tell", cannot, false};
  return {title, lost_text(*worst->lost),
          fmt::format("of what true features give {} over no features at all.{}{}{}", worst->name,
                      others.empty() ? "" : " " + capital(fmt::format("{}.", fmt::join(others, ", "))),
                      cannot.empty() ? "" : " ", cannot)};
}

Json release_figures(const Json& facts) {
  Json figures = Json::array({figure_json(informed_figure(facts)), figure_json(trained_figure(facts))});
  if (const Figure found = known_entries_figure(facts); found.measured) figures.push_back(figure_json(found));
  figures.push_back(figure_json(use_figure(facts)));
  return figures;
}

// --- a comparison of methods

Json comparison_figures(const Json& facts) {
  const Json* recommended = fact(facts, {"comparison", "recommended"});
  if (recommended == nullptr) return Json::array();
  Json figures = Json::array();
  figures.push_back(figure_json(
      {"Recommended method", text_at(*recommended, {"method"}, "none"), text_at(*recommended, {"why"})}));
  return figures;
}

std::string plural_of_points(std::size_t number) {
  return number == 1 ? "1 point is" : fmt::format("{} points are", number);
}

/// The answer to "May this be published?", as far as figures can give one.
std::string headline(const Json& facts, const Lights& lights) {
  if (fact(facts, {"comparison"}) != nullptr)
    return text_at(facts, {"comparison", "headline"}, "Methods side by side.");
  std::vector<std::string> parts;
  if (!lights.failed.empty())
    parts.push_back(fmt::format("Not as it is: {} against publishing these files.",
                                plural_of_points(lights.failed.size())));
  else if (count_checks(facts).all > 0)
    parts.push_back("No check speaks against it.");
  else
    parts.push_back("The files were not checked.");
  if (!lights.open.empty())
    parts.push_back(fmt::format("{} open, for you to judge.", plural_of_points(lights.open.size())));
  if (!lights.not_measured.empty())
    parts.push_back(fmt::format("{} not measured.", plural_of_points(lights.not_measured.size())));
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace

Json verdict_of(const Json& facts) {
  Lights lights;
  const bool compares = fact(facts, {"comparison"}) != nullptr;
  if (!compares) {
    add_checks(facts, lights);
    add_release(facts, lights);
    add_chance(facts, lights);
    add_attacks(facts, lights);
    add_informed(facts, lights);
    add_uses(facts, lights);
    add_gaps(facts, lights);
  }
  Json verdict = {{"headline", headline(facts, lights)},
                  {"failed", lights.failed},
                  {"open", lights.open},
                  {"passes", lights.passes},
                  {"not_measured", lights.not_measured},
                  {"not_stated", lights.not_stated}};
  verdict["figures"] = compares ? comparison_figures(facts) : release_figures(facts);
  return verdict;
}

}  // namespace hyobscure::report
