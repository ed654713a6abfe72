#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/summary.h"

namespace hyobscure::report {
namespace {

using testing::HasSubstr;
using testing::Not;

audit::AttackErrors errors(double attack) {
  const auto around = [](double mean) { return audit::Estimate{mean, mean - 0.01, mean + 0.01}; };
  return {.attack = around(attack),
          .unobscured = around(0.9 * attack),
          .group_only = around(attack + 0.5),
          .no_information = around(2 * attack),
          .advantage = around(0.5),
          .unobscured_advantage = around(0.6)};
}

audit::Audit audit_of(bool ordered, bool of_places) {
  audit::Audit audit;
  audit.repetitions = 3;
  audit.ordered = ordered;
  audit.attacks.push_back({.attacker = audit::Attacker::Forest,
                           .scenario = audit::Scenario::I,
                           .error = errors(0.25),
                           .top5_error = {},
                           .km_error = {}});
  audit.informed = audit::InformedErrors{.error = 0.2, .group_only = 0.75};
  audit.repeated.push_back({.releases = 2, .people = 900, .error = {0.125, 0.1, 0.15}});
  if (!of_places) return audit;
  audit.attacks[0].top5_error = errors(0.0625);
  audit.attacks[0].km_error = errors(3.5);
  audit.informed->km = 1.5;
  audit.informed->group_only_km = 4.5;
  audit.repeated[0].km = audit::Estimate{0.75, 0.7, 0.8};
  return audit;
}

data::Spec spec_of(const std::string& secret) {
  data::Spec spec;
  spec.people.secret = {{secret}};
  return spec;
}

/// Without the breaks of lines.
std::string prose(const std::string& text) {
  std::istringstream words(text);
  std::string joined;
  for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

TEST(AuditSummary, NoLineIsWiderThanTheScreen) {
  for (const bool of_places : {false, true}) {
    std::istringstream lines(audit_text(audit_of(false, of_places), spec_of("home")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

TEST(AuditSummary, OrderedSecretsHaveAMeanAbsoluteErrorAndNothingElse) {
  const std::string text = prose(audit_text(audit_of(true, false), spec_of("age")));
  EXPECT_THAT(text, HasSubstr("Attacks on \"age\": mean absolute error with its 95 % interval"));
  EXPECT_THAT(text, HasSubstr("not which row is the target's): error 0.200 (0.750 with the group alone)"));
  EXPECT_THAT(text, Not(HasSubstr("km")));
  const Json facts = audit_facts(audit_of(true, false));
  EXPECT_EQ(facts["error"], "mean absolute error");
  EXPECT_FALSE(facts.contains("error_kind"));
  EXPECT_FALSE(facts["attacks"][0].contains("km"));
  EXPECT_FALSE(facts["informed"].contains("km"));
}

TEST(AuditSummary, WhereNoGainIsMeasuredItSaysWhichWouldHaveBeen) {
  audit::Audit audit = audit_of(true, false);
  EXPECT_THAT(audit_text(audit, spec_of("age")), Not(HasSubstr("power")));
  audit.attacks[0].error.advantage = {0.1, -0.2, 0.4};
  audit.attacks[0].error.power = 0.437;
  const std::string text = prose(audit_text(audit, spec_of("age")));
  EXPECT_THAT(text, HasSubstr("no measurable gain (power 0.437)"));
  EXPECT_THAT(text, HasSubstr("would have been found nine times out of ten"));
  EXPECT_EQ(audit_facts(audit)["attacks"][0]["power"], 0.437);
  audit.attacks[0].error.power.reset();
  EXPECT_TRUE(audit_facts(audit)["attacks"][0]["power"].is_null());
}

TEST(AuditSummary, NamesHaveAShareOfWrongGuesses) {
  const std::string text = prose(audit_text(audit_of(false, false), spec_of("diagnosis")));
  EXPECT_THAT(text, HasSubstr("Attacks on \"diagnosis\": share of wrong guesses with its 95 % interval"));
  EXPECT_THAT(text, Not(HasSubstr("absolute error")));
  EXPECT_THAT(text, Not(HasSubstr("km")));
  EXPECT_THAT(text, HasSubstr("wrong for a share of 0.200 (0.750 with the group alone)"));
  EXPECT_EQ(audit_facts(audit_of(false, false))["error_kind"], "share");
}

TEST(AuditSummary, PlacesHaveKilometresAndFiveGuessesBeside) {
  const std::string text = prose(audit_text(audit_of(false, true), spec_of("home")));
  EXPECT_THAT(text, HasSubstr("Not among five guesses"));
  EXPECT_THAT(text, HasSubstr("3.500 [3.490, 3.510]"));
  EXPECT_THAT(text, HasSubstr("comes within 1.500 km on average (4.500 km with the group alone)"));
  EXPECT_THAT(text, HasSubstr("0.125 (0.750 km) after 2 releases"));
  const Json facts = audit_facts(audit_of(false, true));
  EXPECT_EQ(facts["attacks"][0]["km"]["published"]["mean"], 3.5);
  EXPECT_EQ(facts["attacks"][0]["top5"]["published"]["mean"], 0.0625);
  EXPECT_EQ(facts["informed"]["km"]["group_only"], 4.5);
  EXPECT_EQ(facts["informed"]["km"]["repeated"][0]["error"]["mean"], 0.75);
}

TEST(AuditSummary, ComparisonSaysItsMeasureAndThatOfTheNearestAttacker) {
  audit::TradeOff found;
  found.points.push_back({.method = "fine", .point = {}, .history = {}, .audit = audit_of(false, true)});
  audit::AttackResult nearer = found.points[0].audit.attacks[0];
  nearer.error = errors(0.5);  // wrong more often, and nearer all the same
  nearer.km_error = errors(2.5);
  found.points[0].audit.attacks.push_back(nearer);
  const std::string text = trade_off_text(found);
  EXPECT_THAT(text, HasSubstr("Attacks (share of wrong guesses, 95 % interval"));
  EXPECT_THAT(text, HasSubstr("2.500 [2.490, 2.510]"));
  EXPECT_THAT(text, HasSubstr("0.250 [0.240, 0.260]"));
  const std::string csv = trade_off_csv(found);
  EXPECT_THAT(csv, HasSubstr(",attack,random forest I,published_km,3.5,"));
  EXPECT_THAT(csv, HasSubstr(",attack,random forest I,advantage_top5,0.5,"));
  EXPECT_THAT(csv, HasSubstr(",attack,informed,published_km,1.5,"));
  found.points[0].audit = audit_of(true, false);
  EXPECT_THAT(trade_off_text(found), HasSubstr("Attacks (mean absolute error"));
  EXPECT_THAT(trade_off_text(found), Not(HasSubstr("km")));
}

audit::Audit audit_with_row_attacks() {
  const auto around = [](double mean) { return audit::Estimate{mean, mean - 0.01, mean + 0.01}; };
  audit::Audit audit = audit_of(true, false);
  audit::KnownEntries four{.known = 4,
                           .own_row = around(0.34),
                           .own_row_once = around(0.2),
                           .under_id = around(0.125),
                           .under_id_chance = 0.001,
                           .in_group = around(0.8),
                           .one_fits = around(0.4),
                           .one_fits_absent = around(0.05),
                           .rest_true = around(0.63),
                           .rest_true_random = around(0.07),
                           .rest_true_absent = {},
                           .rest_gain = around(0.56),
                           .rest_gain_resampled = around(0.56),
                           .secret = {}};
  four.secret = {around(4), around(5), around(7), around(2), around(1.5), around(3)};
  audit.known_entries = audit::KnownEntriesResult{.of = {four}, .repetitions = 3, .targets = 400};
  audit.matching = audit::MatchingResult{.auc = around(0.9),
                                         .rank = around(61),
                                         .nearest = around(0.15),
                                         .own_row = around(0.2),
                                         .shuffled_auc = around(0.55),
                                         .shuffled_nearest = around(0.01),
                                         .shuffled_own_row = around(0.02),
                                         .gain = around(0.35),
                                         .gain_resampled = around(0.35),
                                         .repetitions = 3,
                                         .targets = 150,
                                         .rows = 1802};
  audit.resampled = audit::ResampledLeakage{.bits = 1.9,
                                            .low = 1.8,
                                            .high = 2,
                                            .as_it_is_low = 2.4,
                                            .as_it_is_median = 2.5,
                                            .as_it_is_high = 2.6,
                                            .draws = 400};
  return audit;
}

TEST(AuditSummary, WhoLooksForARowIsShownBesideTheControls) {
  const std::string text = prose(audit_text(audit_with_row_attacks(), spec_of("age")));
  EXPECT_THAT(text, HasSubstr("(400 people in each repetition)"));
  EXPECT_THAT(text, HasSubstr("0.340 [0.330, 0.350]"));
  EXPECT_THAT(text, HasSubstr("finds exactly the person's own true row for 34 % of the people (20 % if only "
                              "rows published once count)"));
  EXPECT_THAT(text, HasSubstr("0.630 [0.620, 0.640] 0.070 - 0.560 [0.550, 0.570]"));
  EXPECT_THAT(text, HasSubstr("ranks 1,802 published rows"));
  EXPECT_THAT(text, HasSubstr("AUC 0.900 [0.890, 0.910] 0.550"));
  EXPECT_THAT(text, HasSubstr("leakage 1.900 [1.800, 2.000] bits"));
  EXPECT_THAT(text, HasSubstr("do not cover another population"));
  std::istringstream lines(audit_text(audit_with_row_attacks(), spec_of("age")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST(AuditSummary, WhereNoTrueRowIsFoundTheTextSaysHowSureThatIs) {
  audit::Audit audit = audit_with_row_attacks();
  audit.known_entries->of[0].own_row = {0, 0, 0.0095};
  const std::string text = prose(audit_text(audit, spec_of("age")));
  EXPECT_THAT(text,
              HasSubstr("Nobody's own true row was found: with 95 % confidence it is for at most 0.95 % of "
                        "the people."));
}

TEST(AuditSummary, FactsHaveRowAttacksAndWhatLiesBeyondTheSample) {
  const Json facts = audit_facts(audit_with_row_attacks());
  EXPECT_EQ(facts["known_entries"]["of"][0]["known"], 4);
  EXPECT_EQ(facts["known_entries"]["of"][0]["own_row"]["mean"], 0.34);
  EXPECT_TRUE(facts["known_entries"]["of"][0]["rest_true_absent"].is_null());
  EXPECT_EQ(facts["known_entries"]["of"][0]["secret"]["group"]["mean"], 5);
  EXPECT_EQ(facts["matching"]["rows"], 1802);
  EXPECT_EQ(facts["matching"]["shuffled_auc"]["mean"], 0.55);
  EXPECT_EQ(facts["beyond_the_sample"]["leakage"]["as_it_is"]["median"], 2.5);
  const Json without = audit_facts(audit_of(true, false));
  EXPECT_FALSE(without.contains("known_entries") || without.contains("matching"));
  EXPECT_FALSE(without["beyond_the_sample"].contains("leakage"));
  EXPECT_TRUE(without["beyond_the_sample"].contains("covers"));
}

TEST(AuditSummary, GainsThatOnlyTheOrderOfGuessesShowsAreNamed) {
  audit::Audit audit = audit_of(true, false);
  EXPECT_THAT(prose(audit_text(audit, spec_of("age"))), Not(HasSubstr("(AUC)")));
  audit.attacks[0].auc = errors(0.75);
  EXPECT_THAT(prose(audit_text(audit, spec_of("age"))),
              HasSubstr("gain in order: random forest, scenario I"));
  EXPECT_EQ(audit_facts(audit)["attacks"][0]["auc"]["published"]["mean"], 0.75);
  audit.attacks[0].auc->advantage = {0.01, -0.01, 0.03};
  EXPECT_THAT(prose(audit_text(audit, spec_of("age"))), Not(HasSubstr("gain in order")));
}

TEST(AuditSummary, AnAttackerWhoGainsMoreThanFromTrueFeaturesIsCalledSo) {
  audit::Audit audit = audit_of(true, false);
  audit.attacks[0].error.over_unobscured = {0.2, 0.1, 0.3};
  EXPECT_THAT(prose(audit_text(audit, spec_of("age"))), HasSubstr("gain, more than on true features"));
  EXPECT_TRUE(audit_facts(audit)["attacks"][0]["reveals_more"].get<bool>());
}

}  // namespace
}  // namespace hyobscure::report
