#include "hyobscure/base/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hyobscure {
namespace {

/// What a user would be told.
struct Told {
  std::vector<std::string> stages;
  std::vector<double> done;  ///< of the whole
  double total = 0;
  Progress progress{[this](std::string_view stage, double, double) { stages.emplace_back(stage); }, nullptr,
                    [this](double at, double all) {
                      done.push_back(at);
                      total = all;
                    }};
};

TEST(PlannedWork, TellsItsPredictionBeforeItBegins) {
  Told told;
  const PlannedWork plan(told.progress, {3, 5});
  EXPECT_EQ(told.done, std::vector<double>{0});
  EXPECT_EQ(told.total, 8);
}

TEST(PlannedWork, MovesByTheSharesOfItsStagesAndNeverBack) {
  Told told;
  PlannedWork plan(told.progress, {3, 5});
  const Progress first = plan.stage(0);
  first.report("reading", 1, 4);
  EXPECT_EQ(told.done.back(), 0.75);
  first.report("sorting", 0, 10);  // another part of the same stage begins
  EXPECT_EQ(told.done.back(), 0.75);
  plan.stage(1).report("solving", 1, 2);
  EXPECT_EQ(told.done.back(), 5.5);
  plan.finish();
  EXPECT_EQ(told.done.back(), 8);
  EXPECT_EQ(told.stages, (std::vector<std::string>{"reading", "sorting", "solving"}));
}

TEST(PlannedWork, OfPlannedWorkMovesByItsParts) {
  Told told;
  PlannedWork plan(told.progress, {10, 10});
  const Progress first = plan.stage(0);
  PlannedWork inner(first, {1, 3});  // in another measure: only shares count
  inner.stage(0).report("a", 1, 1);
  EXPECT_EQ(told.done.back(), 2.5);
  inner.stage(1).report("b", 1, 3);
  EXPECT_EQ(told.done.back(), 5);
  EXPECT_EQ(told.total, 20);
}

TEST(PlannedWork, WithoutATotalSaysNothingOfTheWhole) {
  Told told;
  PlannedWork plan(told.progress, {4});
  plan.stage(0).report("working", 7, 0);
  EXPECT_EQ(told.done.back(), 0);
}

}  // namespace
}  // namespace hyobscure
