#include "hyobscure/obscure/fit/frontier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "hyobscure/base/error.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::obscure {
namespace {

class FrontierOfPeople : public testing::Test {
 protected:
  FrontierOfPeople() {
    data::synthesise({.people = 500, .dependence = 0.8, .items = 200, .entries = 30}, folder_ / "d", false);
    const data::Spec all = spec("exact");
    data::Engine engine({.folder = all.folder}, {});
    people_ = data::read_people(engine, all).people;
  }

  data::Spec spec(const std::string& method) const {
    return data::read_spec(folder_ / "d" / "spec.toml",
                           {{"method.name", method}, {"channel.budget_share", "0.3"}});
  }

  TestFolder folder_;
  data::People people_;
};

TEST_F(FrontierOfPeople, ExactIsAtOrBelowEveryMethodAtEveryBudgetWithAProof) {
  const Frontier exact = trace_frontier(people_, spec("exact"), census_of(people_, spec("exact")), 7);
  ASSERT_EQ(exact.points.size(), 7u);
  EXPECT_TRUE(exact.complete);
  for (const char* method : {"hyobscure", "xobf"}) {
    const Frontier other = trace_frontier(people_, spec(method), census_of(people_, spec(method)), 7);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(other.points[i].budget, exact.points[i].budget);
      EXPECT_LE(exact.points[i].leakage.total, other.points[i].leakage.total + 1e-8) << method << " " << i;
      EXPECT_LE(exact.points[i].joint_gap, 2e-8);
      EXPECT_TRUE(std::isnan(other.points[i].joint_gap));
    }
  }
}

TEST_F(FrontierOfPeople, MoreBudgetNeverLeaksMore) {
  for (const char* method : {"exact", "xobf"}) {
    const Frontier frontier = trace_frontier(people_, spec(method), census_of(people_, spec(method)), 9);
    for (std::size_t i = 1; i < frontier.points.size(); ++i)
      EXPECT_LE(frontier.points[i].leakage.total, frontier.points[i - 1].leakage.total + 2e-8) << method;
    for (const FrontierPoint& point : frontier.points) EXPECT_LE(point.distance, point.budget * (1 + 1e-9));
  }
}

TEST_F(FrontierOfPeople, EachPointIsWhatFitGivesForItsBudget) {
  for (const char* method : {"exact", "hyobscure", "xobf"}) {
    const Frontier frontier = trace_frontier(people_, spec(method), census_of(people_, spec(method)), 3);
    data::Spec one = spec(method);
    one.channel.budget_share.reset();
    one.channel.budget = frontier.points[1].budget;
    const Mechanism mechanism = fit(people_, one);
    EXPECT_NEAR(mechanism.figures.leakage.total, frontier.points[1].leakage.total, 1e-8) << method;
    EXPECT_EQ(mechanism.groups[0].label, frontier.points[1].groups[0]) << method;
  }
}

TEST_F(FrontierOfPeople, StoppedItKeepsThePointsItHas) {
  std::atomic<bool> stop{false};
  const Progress progress([&](std::string_view stage, double done,
                              double) { stop = stop || (stage == "tracing the frontier" && done >= 2); },
                          &stop);
  const Frontier frontier =
      trace_frontier(people_, spec("xobf"), census_of(people_, spec("xobf")), 9, progress);
  EXPECT_EQ(frontier.points.size(), 2u);
  EXPECT_FALSE(frontier.complete);
}

}  // namespace
}  // namespace hyobscure::obscure
