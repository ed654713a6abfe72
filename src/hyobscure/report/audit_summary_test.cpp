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

}  // namespace
}  // namespace hyobscure::report
