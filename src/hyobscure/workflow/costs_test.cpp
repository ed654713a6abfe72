#include "hyobscure/workflow/costs.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

namespace hyobscure::workflow {
namespace {

using Costs = std::map<std::string, obscure::CommandCost>;

/// People of whom only the number counts, 100 entries each, in two groups.
class CommandCosts : public testing::Test {
 protected:
  static Costs of(std::size_t people, const MeasuredWork& measured = {.reading_seconds = 1},
                  const data::Spec& spec = fine()) {
    data::People some;
    some.ids.resize(people);
    some.secrets.resize(people);
    some.features.starts.assign(people + 1, 0);
    some.features.items.resize(100 * people);
    some.features.starts.back() = some.features.items.size();
    obscure::Inspection inspection;
    inspection.census_seconds = 1;
    inspection.channel_seconds = 0.5;
    inspection.preview.emplace();
    published::Group half;
    half.people = static_cast<std::int64_t>(people) / 2;
    inspection.preview->groups.assign(2, half);
    Costs costs;
    for (const obscure::CommandCost& cost : command_costs(some, spec, inspection, measured))
      costs[cost.command] = cost;
    return costs;
  }

  static data::Spec fine() { return named("fine"); }
  static data::Spec named(const std::string& method) {
    data::Spec spec;
    spec.method.name = method;
    return spec;
  }
};

TEST_F(CommandCosts, OfTwiceThePeopleAreTwiceAsHighUntilTheAuditSamples) {
  const Costs some = of(40'000), more = of(80'000);
  EXPECT_NEAR(more.at("fit").seconds - 2, 2 * (some.at("fit").seconds - 2), 1e-9);
  EXPECT_NEAR(more.at("publish").seconds - 1, 2 * (some.at("publish").seconds - 1), 1e-9);
  EXPECT_LT(more.at("audit").seconds, 1.1 * some.at("audit").seconds);  // it draws a release of all
  EXPECT_GT(some.at("audit").seconds, 2 * of(5000).at("audit").seconds);
  EXPECT_GT(more.at("fit").memory_bytes, some.at("fit").memory_bytes + 40'000 * 100 * 12);  // rows alone
}

TEST_F(CommandCosts, FollowTheSpeedOfTheMachine) {
  const double slow = of(40'000, {.machine_speed = 1}).at("fit").seconds,
               quick = of(40'000, {.machine_speed = 4}).at("fit").seconds;
  EXPECT_NEAR(slow - 1, 4 * (quick - 1), 1e-9);  // the census was measured
  EXPECT_GT(machine_speed(), 0.01);
  EXPECT_LT(machine_speed(), 1e4);
}

TEST_F(CommandCosts, OfMethodsThatComparePeopleGrowWithPairsThoseOfClustersWithNothing) {
  const MeasuredWork reading{.reading_seconds = 1};
  EXPECT_EQ(of(80'000, reading, named("exact")).at("fit").seconds, 2.5);
  EXPECT_NEAR(of(80'000, reading, named("dp")).at("fit").seconds - 2,
              4 * (of(40'000, reading, named("dp")).at("fit").seconds - 2), 1e-6);
}

TEST_F(CommandCosts, NameTheSettingToChangeWhereTheyAreHigh) {
  EXPECT_EQ(of(1000).at("fit").advice, "");
  EXPECT_THAT(of(2'000'000).at("fit").advice, testing::HasSubstr("method.name = \"exact\""));
  data::Spec many = fine();
  many.audit.people = 1'000'000;
  EXPECT_THAT(of(1'000'000, {.reading_seconds = 1}, many).at("audit").advice,
              testing::HasSubstr("audit.people"));
}

}  // namespace
}  // namespace hyobscure::workflow
