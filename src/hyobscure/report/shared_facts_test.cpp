#include "hyobscure/report/shared_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyobscure::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kSpec = R"([people]
file = "/home/carla/secret-project/clinic.csv.gz"
id = "id"
secret = "age"
[events]
query = "SELECT * FROM '/home/carla/visits.parquet'"
person = "id"
item = "film"
[groups]
people = [60, 400]
values = [4, 20]
[channel]
budget = 0.4
[method]
seed = 7
[release]
ledger = "/home/carla/ledger.json"
[context]
approver = "The \"board\""
)";

data::Spec spec(const std::string& text = kSpec) {
  return data::parse_spec(text, "spec.toml", "/home/carla");
}

published::Manifest manifest() {
  published::Manifest manifest;
  manifest.leakage = {.leakage = 1.9, .leakage_groups = 1.7, .leakage_added = 0.2, .distance = 0.5};
  return manifest;
}

Json private_facts() {
  return Json::parse(R"({
    "format": 1, "program": "hyobscure 9", "made": "2026-11-19", "title": "Release",
    "data": {"people": 600, "secret": "age", "secret_kind": "ordered", "values": 51, "cells_filled": 3},
    "release": {"ids": "replace", "own_rows": 0.1873, "shortfalls": ["They leak 0.0808 bits."], "earlier_draws": 0},
    "checks": [{"what": "leakage is possible", "passed": true, "detail": "H(Y) = 5.3165 bits"}],
    "groups": [{"label": "32 or less", "people": 291, "values": 15}],
    "histogram": [{"value": 23, "people": 1}], "channel": {"pools": []}, "map": {}, "plane": {}, "history": [],
    "frontier": [], "tradeoff": [], "gap_bits": 0.0001, "budget": 0.373479,
    "leakage": {"total": 1.78191823, "groups": 1.70113, "secret_entropy": 5.31651},
    "lift": {"highest": 4.0612, "lowest": 0.291, "values": [{"value": 23, "people": 1}]},
    "audit": {"error": "mean absolute error", "repetitions": 4,
              "attacks": [{"attacker": "linear model", "scenario": "I", "tested_people": 301,
                           "advantage": {"mean": 0.012345, "low": 0.001234, "high": 0.0234},
                           "group_only": {"mean": 3.22347}}],
              "informed": {"error": 3.1512, "group_only": 3.2234, "named": 0.1921, "group_only_named": 0.1199},
              "utilities": [{"name": "rating", "published": {"mean": 0.879123}}]},
    "settings": [{"key": "people.file", "value": "/home/carla/secret-project/clinic.csv.gz"}],
    "context": {"approver": "The board"}, "limits": ["A limit."]})");
}

Json shared() { return shared_facts(private_facts(), spec(), manifest()); }

TEST(SharedFacts, HaveNothingFinerThanTheGroupsAndNoSectionThatNobodyThoughtOf) {
  Json facts = private_facts();
  facts["something_new"] = "a cell";
  const Json found = shared_facts(facts, spec(), manifest());
  for (const char* key : {"made", "histogram", "channel", "map", "plane", "history", "frontier", "tradeoff",
                          "gap_bits", "budget", "something_new"})
    EXPECT_FALSE(found.contains(key)) << key;
  EXPECT_FALSE(found["data"].contains("values"));
  EXPECT_FALSE(found["groups"][0].contains("values"));
  EXPECT_FALSE(found["lift"].contains("values"));
  EXPECT_FALSE(found["checks"][0].contains("detail"));
  EXPECT_FALSE(found["release"].contains("shortfalls"));
  EXPECT_EQ(found["checks"][0]["passed"], true);
  EXPECT_EQ(found["context"]["approver"], "The board");
}

TEST(SharedFacts, ExactFiguresAreCoarseAndFavourTheAttacker) {
  const Json found = shared();
  EXPECT_EQ(found["leakage"], Json({{"total", 1.9}, {"groups", 1.7}, {"features", 0.2}}));
  EXPECT_EQ(found["distance"], 0.5);
  EXPECT_EQ(found["lift"]["highest"], 4.1);
  EXPECT_EQ(found["lift"]["lowest"], 0.29);
  EXPECT_EQ(found["release"]["own_rows"], 0.19);
  const Json& informed = found["audit"]["informed"];
  EXPECT_EQ(informed["named"], 0.2);
  EXPECT_EQ(informed["group_only_named"], 0.11);
  EXPECT_EQ(informed["error"], 3.1);
  EXPECT_EQ(informed["group_only"], 3.3);
}

TEST(SharedFacts, AttacksHaveTwoDigitsAndTheirSignAndUsesFour) {
  const Json found = shared();
  EXPECT_EQ(found["audit"]["attacks"][0]["advantage"],
            Json({{"mean", 0.012}, {"low", 0.0012}, {"high", 0.023}}));
  EXPECT_EQ(found["audit"]["attacks"][0]["group_only"]["mean"], 3.2);
  EXPECT_EQ(found["audit"]["attacks"][0]["tested_people"], 301);
  EXPECT_EQ(found["audit"]["utilities"][0]["published"]["mean"], 0.8791);
}

TEST(SharedFacts, NoSentenceSaysMoreThanTheFigures) {
  const std::string text = shared().dump();
  for (const char* fine : {"5.3165", "1.7819", "19.2", "18.7", "0.0808", "0.373", "carla", "SELECT"})
    EXPECT_THAT(text, Not(HasSubstr(fine)));
  EXPECT_THAT(shared()["notice"].get<std::string>(), HasSubstr("not for the public"));
  EXPECT_THAT(shared()["verdict"]["figures"][0]["text"].get<std::string>(), HasSubstr("against 11 %"));
}

TEST(SharedSpec, CanBeReadAndNamesNoPlaceOfTheMachine) {
  const std::string text = shared_spec(spec());
  EXPECT_THAT(text, AllOf(Not(HasSubstr("carla")), Not(HasSubstr("secret-project")), Not(HasSubstr("SELECT")),
                          Not(HasSubstr("seed =")), Not(HasSubstr("ledger ="))));
  const data::Spec read = data::parse_spec(text, "spec.toml", ".");
  EXPECT_EQ(read.people.source.file, "people.csv.gz");
  EXPECT_EQ(read.events.source.file, "events.csv");
  EXPECT_EQ(read.channel.budget, 0.4);
  EXPECT_EQ(read.context.approver, "The \"board\"");
  EXPECT_FALSE(read.method.seed);
  EXPECT_EQ(shared_spec(read), text) << "there is nothing more to take away";
}

TEST(SharedSpec, ThatThereIsNoLedgerIsNoPlace) {
  EXPECT_THAT(shared_spec(spec("[people]\nfile = \"a.csv\"\nid = \"i\"\nsecret = \"s\"\nfeatures = [\"f\"]\n"
                               "[release]\nledger = \"none\"\n")),
              HasSubstr("ledger = \"none\""));
}

}  // namespace
}  // namespace hyobscure::report
