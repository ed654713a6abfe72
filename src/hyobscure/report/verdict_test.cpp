#include "hyobscure/report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hyobscure/report/derived_facts.h"
#include "hyobscure/report/static_page.h"

namespace hyobscure::report {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> sentences(const Json& facts, const char* list) {
  return verdict_of(facts).at(list).get<std::vector<std::string>>();
}

Json interval(double mean, double half) {
  return {{"mean", mean}, {"low", mean - half}, {"high", mean + half}};
}

Json attack(double advantage, double half, double on_true_features) {
  return {{"attacker", "random forest"},
          {"scenario", "I"},
          {"advantage", interval(advantage, half)},
          {"unobscured_advantage", interval(on_true_features, 0.1)}};
}

Json use(double published, double unobscured, double none) {
  return {{"name", "rating prediction"},
          {"measure", "RMSE"},
          {"better", "lower"},
          {"published", interval(published, 0.001)},
          {"unobscured", interval(unobscured, 0.001)},
          {"baseline", interval(none, 0.001)}};
}

/// A release that nothing speaks against.
Json good() {
  Json facts = Json::parse(R"({
    "data": {"people": 600, "secret": "age", "secret_kind": "ordered"},
    "release": {"rows": "composed", "seeded": false, "earlier_draws": 0, "own_rows": 0, "shortfalls": []},
    "checks": [{"what": "files are whole", "passed": true}, {"what": "groups are", "passed": true}],
    "leakage": {"features": 0.01, "null": 0.02, "null_deviation": 0.001},
    "audit": {"secret_unit": "years", "informed": {"named": 0.2412, "group_only_named": 0.2412}}})");
  facts["audit"]["attacks"] = Json::array({attack(0, 0.1, 0.8)});
  facts["audit"]["utilities"] = Json::array({use(0.88, 0.87, 0.92)});
  return facts;
}

TEST(Verdict, OfAReleaseThatNothingSpeaksAgainstAllPasses) {
  const Json verdict = verdict_of(good());
  EXPECT_EQ(verdict["headline"], "No check speaks against it.");
  EXPECT_THAT(verdict["failed"], IsEmpty());
  EXPECT_THAT(verdict["open"], IsEmpty());
  EXPECT_THAT(verdict["not_measured"], IsEmpty());
  EXPECT_THAT(
      sentences(good(), "passes"),
      ElementsAre(
          "All 2 checks of the release passed.",
          "What the features leak beyond the groups is no more than chance explains.",
          "1 trained attacker has no measurable gain over the guess from the age range alone.",
          "An informed attacker names the exact age no more often than the age range alone gives it."));
}

TEST(Verdict, WhatSpeaksAgainstPublishingIsNamed) {
  Json facts = good();
  facts["checks"][1]["passed"] = false;
  facts["checks"][1]["detail"] = "4 people are elsewhere";
  facts["release"]["seeded"] = true;
  EXPECT_THAT(sentences(facts, "failed"), ElementsAre("Failed: groups are (4 people are elsewhere).",
                                                      HasSubstr("must not be published")));
  EXPECT_THAT(verdict_of(facts)["headline"].get<std::string>(), HasSubstr("2 points are against publishing"));
  EXPECT_THAT(sentences(facts, "passes"), Contains("1 of 2 checks of the release passed."));
}

TEST(Verdict, ANoteOfACheckIsOpenAndACheckThatWasNotMadeIsNotMeasured) {
  Json facts = good();
  facts["checks"][0] = {{"what", "no group is one value"}, {"passed", false}, {"warning", true}};
  facts["checks"][1]["passed"] = nullptr;
  EXPECT_THAT(sentences(facts, "failed"), IsEmpty());
  EXPECT_THAT(sentences(facts, "open"), ElementsAre("Does not hold: no group is one value."));
  EXPECT_THAT(sentences(facts, "not_measured"), ElementsAre("Could not be checked: groups are."));
}

TEST(Verdict, OfManyFailedChecksTheFirstFewAreNamedAndTheOthersCounted) {
  Json facts = good();
  for (int i = 0; i < 9; ++i) facts["checks"].push_back({{"what", "a check"}, {"passed", false}});
  EXPECT_THAT(sentences(facts, "failed"), AllOf(SizeIs(6), Contains("4 more are listed below.")));
}

TEST(Verdict, OwnRowsEarlierDrawsShortfallsAndSmallPoolsAreOpen) {
  Json facts = good();
  facts["release"]["own_rows"] = 0.19;
  facts["release"]["earlier_draws"] = 2;
  facts["release"]["shortfalls"] = {"Budget is left."};
  facts["constraints"] = {{"people", {60, 300}}, {"smallest_pool", 7}};
  EXPECT_THAT(sentences(facts, "open"),
              ElementsAre(AllOf(HasSubstr("Budget is left."), HasSubstr("accepted this leakage")),
                          HasSubstr("2 times before"), HasSubstr("19 % of the people"),
                          HasSubstr("has 7 people, fewer than the 60")));
}

TEST(Verdict, RowsOfDonorsAreOpenForTheyAreTrueRowsOfTheirOwners) {
  Json facts = good();
  facts["release"]["rows"] = "donor";
  EXPECT_THAT(sentences(facts, "open"), ElementsAre(HasSubstr("a true row of somebody")));
  facts["release"].erase("rows");  // a program that knew no others
  EXPECT_THAT(sentences(facts, "open"), SizeIs(1));
}

TEST(Verdict, AttacksThatNobodyTriedAreNamedAndTheSilenceOfThePublisherIsCounted) {
  Json facts = good();
  facts["evidence"]["questions"] = Json::parse(R"([
    {"key": "matching", "state": "not measured", "question": "Can a row be matched?"},
    {"key": "trained_attackers", "state": "not measured", "question": "What do models infer?"},
    {"key": "harm", "state": "not stated", "question": "What harm?"},
    {"key": "approver", "state": "stated", "question": "Who approved?"}])");
  EXPECT_THAT(sentences(facts, "not_measured"), ElementsAre("Can a row be matched?"));
  EXPECT_THAT(sentences(facts, "not_stated"), ElementsAre(HasSubstr("1 of 2 questions")));
  EXPECT_THAT(verdict_of(facts)["headline"].get<std::string>(), HasSubstr("1 point is not measured"));
}

TEST(Verdict, OfFilesThatWereNotCheckedItDoesNotSayThatNothingSpeaksAgainstThem) {
  Json facts = good();
  facts.erase("checks");
  EXPECT_THAT(verdict_of(facts)["headline"].get<std::string>(), HasSubstr("The files were not checked."));
}

TEST(Verdict, LeakageAboveChanceIsOpen) {
  Json facts = good();
  facts["leakage"]["features"] = 0.0221;
  EXPECT_THAT(sentences(facts, "open"), ElementsAre(HasSubstr("chance alone would show")));
  facts["leakage"]["features"] = 0.0219;  // within two standard deviations
  EXPECT_THAT(sentences(facts, "open"), IsEmpty());
}

TEST(Verdict, AnAttackerGainsHasNoGainOrShowsNothing) {
  Json facts = good();
  facts["audit"]["attacks"] = {attack(0.5, 0.1, 0.8), attack(0.05, 0.1, 0.8), attack(0.05, 0.1, 0.05)};
  EXPECT_THAT(sentences(facts, "open"), Contains(HasSubstr("1 of 3 trained attackers gains over")));
  EXPECT_THAT(sentences(facts, "passes"),
              Contains(HasSubstr("1 of 3 trained attackers has no measurable gain")));
  EXPECT_THAT(sentences(facts, "not_measured"), Contains(HasSubstr("neither danger nor protection")));
  const Json figure = verdict_of(facts)["figures"][1];
  EXPECT_EQ(figure["figure"], "0.5 years");
  EXPECT_THAT(figure["text"].get<std::string>(),
              AllOf(HasSubstr("closer than the guess from the age range alone"),
                    HasSubstr("random forest, scenario I: 0.5 years (95 % interval 0.4 to 0.6)"),
                    HasSubstr("on true features it would be 0.8 years")));
}

TEST(Verdict, HowOftenTheInformedAttackerIsRightStandsBesideTheGroupAlone) {
  Json facts = good();
  facts["audit"]["informed"]["named"] = 0.24121;  // the same to a decimal, and to two
  Json figure = verdict_of(facts)["figures"][0];
  EXPECT_EQ(figure["figure"], "24.121 %");
  EXPECT_THAT(figure["text"].get<std::string>(), HasSubstr("against 24.120 % by the age range alone"));
  facts["audit"]["informed"]["named"] = 0.31;
  EXPECT_EQ(verdict_of(facts)["figures"][0]["figure"], "31.0 %");
  EXPECT_THAT(sentences(facts, "open"), ElementsAre(HasSubstr("of 31.0 % of the people")));
  facts["audit"].erase("informed");
  EXPECT_EQ(verdict_of(facts)["figures"][0]["figure"], "not measured");
}

TEST(Verdict, AUseLosesAPartOfWhatTrueFeaturesGiveOverNone) {
  Json facts = good();
  EXPECT_EQ(verdict_of(facts)["figures"][2]["figure"], "20 %");  // 0.01 of 0.05
  facts["audit"]["utilities"].push_back(use(0.95, 0.87, 0.92));
  EXPECT_EQ(verdict_of(facts)["figures"][2]["figure"], "all");
  EXPECT_THAT(sentences(facts, "open"),
              ElementsAre(HasSubstr("no better with the release than with no features")));
}

TEST(Verdict, AUseThatNoFeaturesServeAsWellCannotTell) {
  Json facts = good();
  facts["audit"]["utilities"] = {use(0.9, 0.9, 0.9)};
  EXPECT_EQ(verdict_of(facts)["figures"][2]["figure"], "cannot tell");
  EXPECT_THAT(sentences(facts, "not_measured"), ElementsAre(HasSubstr("cannot show a loss")));
  // The paired gain decides where there is one.
  facts["audit"]["utilities"][0]["gain_unobscured"] = interval(0.02, 0.01);
  EXPECT_EQ(verdict_of(facts)["figures"][2]["figure"], "nothing");
}

TEST(Verdict, SharesOfWrongGuessesAreGainsInPercentagePoints) {
  Json facts = good();
  facts["audit"]["error_kind"] = "share";
  facts["audit"]["attacks"] = {attack(0.03, 0.01, 0.8)};
  EXPECT_EQ(verdict_of(facts)["figures"][1]["figure"], "3 percentage points");
}

TEST(Verdict, OfNothingNothingIsMeasured) {
  for (const char* text : {"{}", R"({"audit": null, "checks": 3, "leakage": []})"}) {
    const Json verdict = verdict_of(Json::parse(text));
    EXPECT_THAT(verdict["passes"], IsEmpty());
    EXPECT_THAT(verdict["not_measured"], SizeIs(4)) << "checks, attackers, the informed one, uses";
  }
}

TEST(Verdict, OfAComparisonHasTheRecommendedMethodAndNothingOfARelease) {
  const Json verdict = verdict_of(Json::parse(
      R"({"comparison": {"headline": "3 methods.", "recommended": {"method": "fine", "why": "It leaks least."}}})"));
  EXPECT_EQ(verdict["headline"], "3 methods.");
  EXPECT_THAT(verdict["not_measured"], IsEmpty());
  ASSERT_THAT(verdict["figures"], SizeIs(1));
  EXPECT_EQ(verdict["figures"][0]["figure"], "fine");
}

// --- the page without scripts

/// Every member of the facts, in turn, absent, null or of another kind.
void damage(const Json& facts, const std::function<void(const Json&)>& look) {
  const Json flat = facts.flatten();
  for (const auto& [pointer, value] : flat.items())
    for (const Json& other :
         {Json(nullptr), Json("text"), Json(7), Json(true), Json::array({1, nullptr}), Json::object()}) {
      Json damaged = facts;
      damaged[Json::json_pointer(pointer)] = other;
      look(damaged);
      // And all that it stands in.
      Json::json_pointer above(pointer);
      while (!above.parent_pointer().empty()) {
        above = above.parent_pointer();
        Json more = facts;
        more[above] = other;
        look(more);
      }
    }
}

TEST(StaticPage, AnyFactMayBeMissingOrOfAnotherKind) {
  int looked_at = 0;
  damage(good(), [&](Json facts) {
    add_derived_facts(facts);
    EXPECT_THAT(static_page(facts), HasSubstr("May this be published?"));
    ++looked_at;
  });
  EXPECT_GT(looked_at, 200);
}

TEST(StaticPage, FailedChecksStandFirst) {
  Json facts = good();
  facts["checks"].push_back({{"what", "the last one"}, {"passed", false}});
  const std::string page = static_page(facts);
  EXPECT_LT(page.find("the last one"), page.find("files are whole"));
}

}  // namespace
}  // namespace hyobscure::report
