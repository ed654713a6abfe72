#include "hyobscure/report/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "hyobscure/data/spec/spec.h"
#include "hyobscure/report/static_page.h"

namespace hyobscure::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json known_facts() {
  return Json::parse(R"({
    "program": "hyobscure 9",
    "data": {"people": 600, "secret": "age", "secret_kind": "ordered", "features": 120, "kept": [],
             "left_out": [{"why": "no secret", "people": 3}]},
    "release": {"ids": "replace", "own_rows": 0.19, "earlier_draws": 0},
    "checks": [{"what": "files are whole", "passed": true}, {"what": "groups are", "passed": true}],
    "constraints": {"people": [60, 400], "values": [7, 18]},
    "leakage": {"total": 1.7819, "groups": 1.7011, "secret_entropy": 5.3165},
    "lift": {"highest": 4.06, "lowest": 0, "own_expected": 2.4},
    "audit": {"repetitions": 4, "secret_unit": "years",
              "attacks": [{"attacker": "linear model", "scenario": "I",
                           "advantage": {"mean": 0.01, "low": -0.1, "high": 0.12},
                           "unobscured_advantage": {"mean": 2, "low": 1.9, "high": 2.1}}],
              "informed": {"named": 0.192, "group_only_named": 0.118}}})");
}

Json question(const Json& facts, const std::string& key) {
  const Json evidence = evidence_of(facts);
  for (const Json& one : evidence.at("questions"))
    if (one.at("key") == key) return one;
  ADD_FAILURE() << "no question " << key;
  return {{"state", ""}, {"answer", ""}};
}

std::string state(const Json& facts, const std::string& key) { return question(facts, key).at("state"); }
std::string answer(const Json& facts, const std::string& key) { return question(facts, key).at("answer"); }

Json found_technique(const Json& facts, const std::string& name) {
  const Json evidence = evidence_of(facts);
  for (const Json& one : evidence.at("techniques"))
    if (one.at("name").get<std::string>().starts_with(name)) return one;
  ADD_FAILURE() << "no technique " << name;
  return {{"used", false}, {"how", ""}};
}

TEST(Evidence, IsOfAReleaseAndOfNothingElse) {
  EXPECT_TRUE(evidence_of(Json::object()).is_null());
  EXPECT_TRUE(evidence_of({{"comparison", {{"headline", "3 methods."}}}}).is_null());
  EXPECT_FALSE(evidence_of(known_facts()).is_null());
}

TEST(Evidence, EveryQuestionHasAKeyOfItsOwnAnAnswerAndAStateOfTheFive) {
  const std::set<std::string> states = {"answered", "stated", "open", "not measured", "not stated"};
  for (const Json& facts : {known_facts(), Json{{"release", Json::object()}}}) {
    std::set<std::string> keys;
    const Json evidence = evidence_of(facts);
    for (const Json& one : evidence.at("questions")) {
      EXPECT_TRUE(keys.insert(one.at("key")).second) << one;
      EXPECT_TRUE(states.contains(one.at("state"))) << one;
      EXPECT_TRUE(one.at("answer").get<std::string>().ends_with('.') || one.at("state") == "stated") << one;
      EXPECT_TRUE(one.at("question").get<std::string>().ends_with('?')) << one;
    }
  }
}

TEST(Evidence, EveryKeyOfTheContextIsAQuestionThatIsNotStatedUntilThePublisherStatesIt) {
  Json facts = known_facts();
  int keys = 0;
  for (const data::Setting& setting : data::settings()) {
    if (setting.section != "context") continue;
    ++keys;
    EXPECT_EQ(state(facts, setting.key), "not stated") << setting.key;
    EXPECT_THAT(answer(facts, setting.key), HasSubstr("context." + setting.key));
    facts["context"][setting.key] = "As we say";
    EXPECT_EQ(state(facts, setting.key), "stated") << setting.key;
    EXPECT_EQ(answer(facts, setting.key), "As we say");
  }
  EXPECT_EQ(keys, 13);
}

TEST(Evidence, FiguresAnswerAndWhatLeaksIsForTheReaderToJudge) {
  const Json facts = known_facts();
  EXPECT_EQ(state(facts, "average_risk"), "open");
  EXPECT_THAT(answer(facts, "average_risk"),
              AllOf(HasSubstr("1.7819 bits of 5.3165 bits"), HasSubstr("1.7011 bits of it")));
  EXPECT_THAT(
      answer(facts, "maximum_risk"),
      AllOf(HasSubstr("4.06 times as likely"), HasSubstr("rules some value out"), HasSubstr("2.4 times")));
  EXPECT_EQ(state(facts, "own_rows"), "open");
  EXPECT_EQ(question(facts, "own_rows").at("figure"), "19 %");
  EXPECT_EQ(state(facts, "informed_attacker"), "open");
  EXPECT_EQ(state(facts, "trained_attackers"), "answered");
  EXPECT_EQ(state(facts, "re_evaluation"), "answered");
  EXPECT_EQ(question(facts, "re_evaluation").at("figure"), "2 of 2");
  EXPECT_THAT(answer(facts, "privacy_models"), AllOf(HasSubstr("k = 60"), HasSubstr("l = 7"),
                                                     HasSubstr("No differential privacy is claimed")));
  EXPECT_THAT(answer(facts, "people"), HasSubstr("3 other people in the data were left out"));
}

TEST(Evidence, WhatTakesTheMechanismOrAnAuditIsNotMeasuredWithoutThem) {
  Json facts = known_facts();
  for (const char* part : {"leakage", "lift", "audit", "checks", "constraints"}) facts.erase(part);
  facts["release"] = {{"ids", "replace"}};
  for (const char* key : {"average_risk", "maximum_risk", "own_rows", "informed_attacker",
                          "trained_attackers", "adversarial_testing", "re_evaluation", "earlier_releases"})
    EXPECT_EQ(state(facts, key), "not measured") << key;
}

TEST(Evidence, AFailedCheckIsNoAnswerOfTheRelease) {
  Json facts = known_facts();
  facts["checks"][0]["passed"] = false;
  EXPECT_EQ(state(facts, "re_evaluation"), "open");
  EXPECT_EQ(question(facts, "re_evaluation").at("figure"), "1 of 2");
}

TEST(Evidence, AnAttackThatGainsIsOpenAndOneThatShowsNothingMeasuresNothing) {
  Json facts = known_facts();
  facts["audit"]["attacks"][0]["advantage"] = {{"mean", 0.5}, {"low", 0.4}, {"high", 0.6}};
  EXPECT_EQ(state(facts, "trained_attackers"), "open");
  facts["audit"]["attacks"][0]["advantage"] = {{"mean", 0.01}, {"low", -0.1}, {"high", 0.1}};
  facts["audit"]["attacks"][0]["unobscured_advantage"] = {{"mean", 0.01}, {"low", -0.1}, {"high", 0.1}};
  EXPECT_EQ(state(facts, "trained_attackers"), "not measured");
}

TEST(Evidence, AttacksOnRowsAnswerOnceTheyWereMadeWithTheirControls) {
  Json facts = known_facts();
  for (const char* key : {"known_entries", "matching", "known_part", "beyond_sample"})
    EXPECT_EQ(state(facts, key), "not measured") << key;
  facts["audit"]["known_entries"] = Json::parse(R"({"of": [
    {"known": 4, "own_row": {"mean": 0.34}, "rest_true": {"mean": 0.63}, "rest_true_random": {"mean": 0.07}},
    {"known": 8, "own_row": {"mean": 0.38}, "rest_true": {"mean": 0.7}, "rest_true_random": {"mean": 0.07}}]})");
  EXPECT_EQ(state(facts, "known_entries"), "open");
  EXPECT_EQ(question(facts, "known_entries").at("figure"), "38 %");
  EXPECT_THAT(answer(facts, "known_entries"),
              AllOf(HasSubstr("knows 8 entries of theirs"), HasSubstr("70 %"), HasSubstr("7.0 %")));
  for (Json& one : facts["audit"]["known_entries"]["of"]) one["own_row"]["mean"] = 0;
  EXPECT_EQ(state(facts, "known_entries"), "answered");
  facts["audit"]["known_entries"]["of"][0]["gain"] = {{"mean", 0.1}, {"low", 0.05}};
  EXPECT_EQ(state(facts, "known_entries"), "open") << "no row is found, and its rest is known all the same";

  facts["audit"]["matching"] = {
      {"auc", {{"mean", 0.61}}}, {"shuffled_auc", {{"mean", 0.52}}}, {"gain", {{"low", 0.04}}}};
  EXPECT_EQ(state(facts, "matching"), "open");
  EXPECT_THAT(answer(facts, "matching"), AllOf(HasSubstr("0.61"), HasSubstr("0.52")));
  facts["audit"]["matching"]["gain"]["low"] = -0.01;
  EXPECT_EQ(state(facts, "matching"), "answered");

  Json part = facts["audit"]["attacks"][0];
  part["scenario"] = "II (10 % known)";
  part["advantage"] = {{"mean", 2}, {"low", 1.8}, {"high", 2.2}};
  facts["audit"]["attacks"].push_back(part);
  EXPECT_EQ(state(facts, "known_part"), "open");
  EXPECT_EQ(question(facts, "known_part").at("figure"), "2 years");
  EXPECT_EQ(state(facts, "trained_attackers"), "answered") << "those trained on others have no part in it";

  facts["audit"]["beyond_the_sample"] = {{"covers", "It covers this."},
                                         {"leakage", {{"bits", 1.78}, {"low", 1.7}, {"high", 1.86}}}};
  EXPECT_EQ(state(facts, "beyond_sample"), "answered");
  EXPECT_THAT(answer(facts, "beyond_sample"),
              AllOf(HasSubstr("1.7 and 1.86 bits"), HasSubstr("It covers this.")));
}

TEST(Evidence, KeptIdsKeptColumnsAndAllowedOnesCanBeJoined) {
  Json facts = known_facts();
  EXPECT_EQ(state(facts, "ids"), "answered");
  facts["release"]["ids"] = "keep";
  EXPECT_EQ(state(facts, "ids"), "open");
  EXPECT_THAT(answer(facts, "ids"), HasSubstr("pseudonymous"));
  facts["release"]["ids"] = "drop";
  EXPECT_EQ(state(facts, "ids"), "answered");
  facts["data"]["kept"] = {"income", "region"};
  EXPECT_THAT(answer(facts, "ids"), HasSubstr("income, region"));
  facts["data"]["kept"] = Json::array();
  facts["settings"] = {{{"key", "people.allow_identifying"}, {"value", "[\"mail\"]"}, {"given", true}}};
  EXPECT_EQ(state(facts, "ids"), "open");
  EXPECT_THAT(answer(facts, "ids"), HasSubstr("mail"));
}

TEST(Evidence, WithoutALedgerNobodyKnowsOfEarlierReleases) {
  Json facts = known_facts();
  EXPECT_EQ(state(facts, "earlier_releases"), "answered");
  facts["release"]["earlier_draws"] = 1;
  EXPECT_EQ(state(facts, "earlier_releases"), "open");
  facts["release"]["earlier_draws"] = 0;
  facts["settings"] = {{{"key", "release.ledger"}, {"value", "\"none\""}, {"given", true}}};
  EXPECT_EQ(state(facts, "earlier_releases"), "not measured");
}

TEST(Evidence, TheHeadlineCountsTheGaps) {
  Json facts = known_facts();
  const Json evidence = evidence_of(facts);
  std::int64_t unmeasured = 0;
  for (const Json& one : evidence.at("questions")) unmeasured += one.at("state") == "not measured";
  EXPECT_EQ(evidence.at("headline"),
            fmt::format("{} of {} questions have no answer: 13 not stated by the publisher, {} not measured.",
                        13 + unmeasured, evidence.at("questions").size(), unmeasured));
}

TEST(Evidence, RowsOfDonorsArePermutedAndComposedOnesAreMadeOfEntries) {
  Json facts = known_facts();
  EXPECT_THAT(found_technique(facts, "Permutation").at("how").get<std::string>(), HasSubstr("Of whole rows"));
  EXPECT_THAT(answer(facts, "known_entries"), HasSubstr("a true row of somebody"));
  facts["release"]["rows"] = "composed";
  EXPECT_THAT(found_technique(facts, "Permutation").at("how").get<std::string>(),
              HasSubstr("Of single entries"));
  EXPECT_THAT(answer(facts, "known_entries"),
              AllOf(HasSubstr("nobody's own row"), Not(HasSubstr("true row"))));
}

TEST(Evidence, TechniquesThatWereNotUsedSayWhy) {
  Json facts = known_facts();
  EXPECT_EQ(found_technique(facts, "Suppression").at("used"), true);  // three people
  facts["data"].erase("left_out");
  EXPECT_EQ(found_technique(facts, "Suppression").at("used"), false);
  facts["release"]["ids"] = "drop";
  EXPECT_THAT(found_technique(facts, "Suppression").at("how").get<std::string>(), HasSubstr("ids"));
  EXPECT_EQ(found_technique(facts, "Pseudonymisation").at("used"), false);
  for (const char* name : {"Microaggregation", "Noise", "Sampling", "Synthetic"})
    EXPECT_EQ(found_technique(facts, name).at("used"), false) << name;
}

TEST(Evidence, ThePageWithoutScriptsHasEveryAnswer) {
  Json facts = known_facts();
  facts["context"]["approver"] = "<b>the board</b>";
  facts["evidence"] = evidence_of(facts);
  const std::string page = static_page(facts);
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;b&gt;the board&lt;/b&gt;"), Not(HasSubstr("<b>the board"))));
  for (const Json& one : facts["evidence"]["questions"])
    EXPECT_THAT(page, HasSubstr(one.at("question").get<std::string>()));
  EXPECT_LT(page.find("Without an answer"), page.find("All questions"));
}

}  // namespace
}  // namespace hyobscure::report
