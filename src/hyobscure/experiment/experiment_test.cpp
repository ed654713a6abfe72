#include "hyobscure/experiment/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <atomic>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/experiment/experiment_rows.h"
#include "hyobscure/experiment/result_table.h"
#include "hyobscure/experiment/run_experiment.h"

namespace hyobscure::experiment {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSmall = R"([experiment]
kind  = "convergence"
title = "Rounds"
what  = "For this test."

[quick]
synthetic = { people = 120, items = 40, entries = 8 }
methods   = ["hyobscure"]
shares    = [0.5]

[quick.sweep]
"groups.count" = ["3", "90"]

[quick.set]
"channel.clusters" = "3"
)";

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

std::string refusal(const std::string& text) {
  const TestFolder folder;
  try {
    (void)read_experiment(folder.write("small.toml", text), true);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Experiment, ReadsTheSizeThatIsAskedFor) {
  const TestFolder folder;
  const Experiment experiment = read_experiment(folder.write("small.toml", kSmall), true);
  EXPECT_EQ(experiment.name, "small");
  EXPECT_EQ(experiment.kind, ExperimentKind::Convergence);
  EXPECT_EQ(experiment.synthetic->people, 120);
  EXPECT_EQ(experiment.steps(), 2u);
  EXPECT_THAT(experiment.step_texts(1), ElementsAre("90"));
  EXPECT_THROW((void)read_experiment(folder / "small.toml", false), InputError) << "it has no full size";
}

TEST(Experiment, UnknownKeysAreRefusedByName) {
  EXPECT_THAT(refusal(replaced(kSmall, "shares ", "share ")), HasSubstr("quick.share"));
  EXPECT_THAT(refusal(replaced(kSmall, "title", "titel")), HasSubstr("experiment.titel"));
  EXPECT_THAT(refusal(replaced(kSmall, "entries", "entrees")), HasSubstr("quick.synthetic.entrees"));
  EXPECT_THAT(refusal(replaced(kSmall, "groups.count", "groups.cuont")), HasSubstr("groups.cuont"));
  EXPECT_THAT(refusal(replaced(kSmall, "channel.clusters", "channel.cluster")), HasSubstr("channel.cluster"));
  EXPECT_THAT(refusal(replaced(kSmall, "convergence", "comparison")), HasSubstr("experiment.kind"));
}

TEST(Experiment, KeysOfASweepHaveAsManyValuesEach) {
  EXPECT_THAT(refusal(replaced(kSmall, "[quick.set]", "\"method.seed\" = [\"1\"]\n[quick.set]")),
              HasSubstr("change together"));
}

TEST(Experiment, MoreBudgetsLeaveRowsTheirMeaningAndOtherSettingsDoNot) {
  const TestFolder folder;
  const auto print = [&](const std::string& text) {
    return fingerprint(read_experiment(folder.write("small.toml", text), true));
  };
  EXPECT_EQ(print(kSmall), print(replaced(kSmall, "[0.5]", "[0.5, 0.7]")));
  EXPECT_NE(print(kSmall), print(replaced(kSmall, "clusters\" = \"3\"", "clusters\" = \"4\"")));
  EXPECT_NE(print(kSmall), print(replaced(kSmall, "people = 120", "people = 121")));
}

TEST(ResultTable, CellsSurviveCommasAndQuotes) {
  const std::vector<std::string> cells = {"[100, 200]", "", "a \"b\"", "plain"};
  EXPECT_EQ(csv_cells(csv_line(cells)), cells);
}

TEST(ResultTable, GoesOnWhereItStoppedAndRefusesOtherSettings) {
  const TestFolder folder;
  const std::vector<std::string> columns = {"method", "budget", "leakage"};
  ResultTable(folder / "t.csv", "t", "one", columns, 2).add({{"dp", "0.5", "1"}});
  ResultTable again(folder / "t.csv", "t", "one", columns, 2);
  EXPECT_TRUE(again.has({"dp", "0.5"}));
  EXPECT_FALSE(again.has({"dp", "0.6"}));
  again.add({{"dp", "0.6"}});
  EXPECT_EQ(ResultTable(folder / "t.csv", "t", "one", columns, 2).rows().size(), 2u);
  EXPECT_THROW(ResultTable(folder / "t.csv", "t", "two", columns, 2), InputError);
}

TEST(RunExperiment, WritesRowsReasonsAndComputesNothingTwice) {
  const TestFolder folder;
  const Experiment experiment = read_experiment(folder.write("small.toml", kSmall), true);
  const ExperimentPlaces places{.output = folder / "out"};
  const ExperimentOutcome first = run_experiment(experiment, places);
  EXPECT_EQ(first.computed, 2u);
  EXPECT_EQ(first.impossible, 1u) << "90 groups of 120 people";
  const std::string written = read_file(first.table);
  EXPECT_THAT(written, HasSubstr("no grouping meets the limits"));
  const ExperimentOutcome second = run_experiment(experiment, places);
  EXPECT_EQ(second.computed, 0u);
  EXPECT_EQ(second.kept, 2u);
  EXPECT_EQ(read_file(first.table), written);
}

TEST(RunExperiment, AStopLeavesWhatIsThereAndNoReason) {
  const TestFolder folder;
  const Experiment experiment = read_experiment(folder.write("small.toml", kSmall), true);
  std::atomic<bool> stop{false};
  const ExperimentOutcome cut = run_experiment(experiment, {.output = folder / "out"}, Progress({}, &stop),
                                               [&](const auto&, const auto&) { stop = true; });
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.computed, 1u);
  const ExperimentOutcome whole = run_experiment(experiment, {.output = folder / "whole"});
  const ExperimentOutcome rest = run_experiment(experiment, {.output = folder / "out"});
  EXPECT_EQ(rest.kept, 1u);
  EXPECT_EQ(read_file(rest.table), read_file(whole.table));
}

TEST(ExperimentRows, OnlyPlacesHaveColumnsOfKilometres) {
  audit::AuditedPoint point;
  EXPECT_EQ(trade_off_cells(point).size(), trade_off_columns(false).size());
  audit::AttackResult attack{.attacker = audit::Attacker::PaperBoosting,
                             .scenario = audit::Scenario::II,
                             .error = {},
                             .top5_error = {},
                             .km_error = audit::AttackErrors{}};
  attack.error.attack.mean = 0.5;
  attack.km_error->group_only.mean = 7.5;
  point.audit.attacks.push_back(attack);
  point.audit.informed = audit::InformedErrors{.km = 1.25};
  const Cells columns = trade_off_columns(true), cells = trade_off_cells(point);
  ASSERT_EQ(cells.size(), columns.size());
  const auto of = [&](const char* name) {
    return cells[static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin())];
  };
  EXPECT_EQ(of("boosting_II_error"), "0.5");
  EXPECT_EQ(of("boosting_II_km_group_only"), "7.5");
  EXPECT_EQ(of("boosting_II_top5_error"), "");
  EXPECT_EQ(of("forest_I_km_error"), "");
  EXPECT_EQ(of("informed_km"), "1.25");
  EXPECT_THAT(trade_off_columns(false), testing::Not(testing::Contains("informed_km")));
}

}  // namespace
}  // namespace hyobscure::experiment
