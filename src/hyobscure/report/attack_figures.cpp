#include "hyobscure/report/attack_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/report/text_table.h"

namespace hyobscure::report {

std::optional<Interval> interval_at(const Json& facts, std::initializer_list<const char*> keys) {
  const Json* found = fact(facts, keys);
  if (found == nullptr) return std::nullopt;
  const auto mean = number_at(*found, {"mean"});
  if (!mean) return std::nullopt;
  return Interval{*mean, number_at(*found, {"low"}).value_or(*mean),
                  number_at(*found, {"high"}).value_or(*mean)};
}

// --- trained attackers

namespace {

/// What the attack gains on true features; nothing: not measured.
std::optional<Interval> gain_on_true_features(const Json& attack) {
  if (const auto paired = interval_at(attack, {"unobscured_advantage"})) return paired;
  const auto unobscured = interval_at(attack, {"unobscured"}), guess = interval_at(attack, {"group_only"});
  if (!unobscured || !guess) return std::nullopt;
  return Interval{guess->mean - unobscured->mean, guess->low - unobscured->high,
                  guess->high - unobscured->low};
}

/// Of differences of errors: "0.1 years", "3 percentage points".
class GainText {
 public:
  explicit GainText(const Json& facts)
      : share_(text_at(facts, {"audit", "error_kind"}) == "share"),
        unit_(share_ ? " percentage points" : " " + text_at(facts, {"audit", "secret_unit"})) {
    if (unit_ == " ") unit_.clear();
  }
  std::string number(double gain) const { return figure_text(share_ ? 100 * gain : gain); }
  std::string one(double gain) const { return number(gain) + unit_; }
  std::string interval(const Interval& gain) const {
    return fmt::format("{} (95 % interval {} to {})", one(gain.mean), number(gain.low), number(gain.high));
  }
  std::string what() const { return share_ ? "more often right" : "closer"; }

 private:
  bool share_;
  std::string unit_;
};

std::string on_true_features(const TrainedAttack& attack, const GainText& text) {
  return attack.gain_on_true && attack.gain_on_true->low > 0
             ? fmt::format("; on true features it would be {}", text.one(attack.gain_on_true->mean))
             : "; even on true features it has no clear gain, so it shows nothing here";
}

}  // namespace

std::vector<TrainedAttack> trained_attacks(const Json& facts) {
  std::vector<TrainedAttack> attacks;
  for (const Json& attack : objects_at(facts, {"audit", "attacks"})) {
    const std::string scenario = text_at(attack, {"scenario"});
    attacks.push_back({.name = text_at(attack, {"attacker"}, "unnamed attacker") +
                               (scenario.empty() ? "" : ", scenario " + scenario),
                       .knows_part = scenario.find("known") != scenario.npos,
                       .gain = interval_at(attack, {"advantage"}),
                       .gain_on_true = gain_on_true_features(attack)});
  }
  return attacks;
}

Figure gain_figure(const Json& facts, const std::string& title, std::vector<TrainedAttack> attacks) {
  std::erase_if(attacks, [](const TrainedAttack& attack) { return !attack.gain; });
  if (attacks.empty()) return {title, "not measured", "No attacker was trained on this release.", false};
  const TrainedAttack& strongest =
      *std::ranges::max_element(attacks, {}, [](const TrainedAttack& attack) { return attack.gain->mean; });
  const GainText text(facts);
  return {title, strongest.gains() ? text.one(strongest.gain->mean) : "none measured",
          fmt::format("{} the guess from the {} alone. The strongest, {}: {}{}.",
                      strongest.gains() ? text.what() + " than" : "over", group_word(facts), strongest.name,
                      text.interval(*strongest.gain), on_true_features(strongest, text))};
}

Figure trained_figure(const Json& facts) {
  return gain_figure(facts, "Gain of the strongest trained attacker", trained_attacks(facts));
}

// --- the informed attacker

std::optional<PairText> named_right(const Json& facts) {
  const auto named = number_at(facts, {"audit", "informed", "named"});
  const auto by_group = number_at(facts, {"audit", "informed", "group_only_named"});
  if (!named || !by_group) return std::nullopt;
  return pair_text(100 * *named, 100 * *by_group, is_true_at(facts, {"shared"}) ? 0 : 1);
}

Figure informed_figure(const Json& facts) {
  const std::string title = fmt::format("Exact {} named by an informed attacker", secret_name(facts));
  const auto right = named_right(facts);
  if (!right) return {title, "not measured", "It takes the mechanism, which was not given.", false};
  return {title, right->one + " %",
          fmt::format("of the people, against {} % by the {} alone. This attacker knows all rows, all "
                      "secrets and how the "
                      "draws are made, but not which row is the target's: no attacker who sees only this "
                      "release names "
                      "more on average.{}",
                      right->other, group_word(facts),
                      is_true_at(facts, {"data", "joined"})
                          ? " Exact values that were joined before the search count as one."
                          : "")};
}

// --- somebody who knows a few entries

namespace {

std::string percent_at(const Json& facts, std::initializer_list<const char*> keys) {
  const auto share = number_at(facts, keys);
  return share ? share_text(*share, 1) : "an unknown share";
}

double own_rows_found(const Json& tried) { return number_at(tried, {"own_row", "mean"}).value_or(-1); }

}  // namespace

Figure known_entries_figure(const Json& facts) {
  const std::string title = "Own row found by a few known entries";
  const std::vector<Json> tried = objects_at(facts, {"audit", "known_entries", "of"});
  const auto worst = std::ranges::max_element(tried, {}, own_rows_found);
  if (worst == tried.end() || own_rows_found(*worst) < 0)
    return {title, "not measured", "No such attacker was tried.", false};
  std::string text =
      fmt::format("of the people: exactly their own true row is found by somebody who knows {} of theirs.",
                  counted(std::llround(number_at(*worst, {"known"}).value_or(0)), "entry", "entries"));
  if (number_at(*worst, {"rest_true", "mean"}))
    text += fmt::format(
        " Of the other entries of the row that fits best {} are true of the person, against {} of a "
        "random row of the group.",
        percent_at(*worst, {"rest_true", "mean"}), percent_at(*worst, {"rest_true_random", "mean"}));
  return {title, percent_at(*worst, {"own_row", "mean"}), text};
}

}  // namespace hyobscure::report
