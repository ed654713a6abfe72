#include "hyobscure/audit/attack/shadow.h"

#include <gtest/gtest.h>

#include <map>

#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/trial.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

const AttackSettings kQuickShadow{
    .repetitions = 5, .trees = 25, .boosting = {.most_rounds = 25, .patience = 5}};
using People = std::span<const std::uint32_t>;
using Donors = std::vector<std::uint32_t>;

Donors everybody(const Sample& sample) { return own_rows(sample.value_of_person.size()); }

// A random member of the group whose value is the next one of the group: hides every true row, and gives the
// secret away to anyone who knows the rule.
Donors next_value(const Sample& sample, People people, const Key& key, std::uint32_t values_a_group) {
  std::map<std::uint32_t, Donors> of_value;
  for (const std::uint32_t u : people) of_value[sample.value_of_person[u]].push_back(u);
  RandomStream random(key);
  Donors donors;
  for (const std::uint32_t u : people) {
    const std::uint32_t value = sample.value_of_person[u], group = sample.group_of_person[u];
    const Donors& others = of_value[group * values_a_group + (value + 1) % values_a_group];
    donors.push_back(others[random.below(others.size())]);
  }
  return donors;
}

Donors random_member(const Sample& sample, People people, const Key& key) {
  std::map<std::uint32_t, Donors> members;
  for (const std::uint32_t u : people) members[sample.group_of_person[u]].push_back(u);
  RandomStream random(key);
  Donors donors;
  for (const std::uint32_t u : people) {
    const Donors& group = members[sample.group_of_person[u]];
    donors.push_back(group[random.below(group.size())]);
  }
  return donors;
}

std::vector<AttackResult> run(const Sample& sample, const MechanismOn& mechanism) {
  const auto published = [&](int r) {
    return Publication{
        .rows = sample.features,
        .row_of_person = mechanism(everybody(sample), Key::from_seed(100 + static_cast<std::uint64_t>(r)))};
  };
  return shadow_attack(sample.targets(), published, mechanism, kQuickShadow, Key::from_seed(1));
}

TEST(Shadow, SeesThroughAMechanismThatPublishesOnesOwnRow) {
  const Sample sample = planted_people(1, 400, 12, 4, 0.9, true);
  for (const AttackResult& found :
       run(sample, [](People people, const Key&) { return Donors(people.begin(), people.end()); })) {
    EXPECT_EQ(found.scenario, Scenario::Shadow);
    EXPECT_TRUE(found.error.advantage.above_zero());
    EXPECT_EQ(found.error.attack.mean, found.error.unobscured.mean);
  }
}

TEST(Shadow, LearnsARuleThatFoolsAModelThatLearnsFromTrueRows) {
  const Sample sample = planted_people(2, 400, 8, 4, 0.95, true);
  const MechanismOn mechanism = [&](People people, const Key& key) {
    return next_value(sample, people, key, 4);
  };
  const auto shadow = run(sample, mechanism);
  const auto from_true_rows = attack(
      sample.targets(),
      [&](int r) {
        return Publication{
            .rows = sample.features,
            .row_of_person = mechanism(everybody(sample), Key::from_seed(static_cast<std::uint64_t>(r)))};
      },
      Scenario::I, kQuickShadow, Key::from_seed(1));
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_TRUE(shadow[a].error.advantage.above_zero());
    EXPECT_FALSE(from_true_rows[a].error.advantage.above_zero());
  }
}

// Odds of a false alarm: below 1/40 for each of the four intervals.
TEST(Shadow, FindsNothingInRandomMembersOfTheGroup) {
  for (const bool ordered : {true, false}) {
    const Sample sample = planted_people(3, 400, 12, 4, 0.9, ordered);
    for (const AttackResult& found :
         run(sample, [&](People people, const Key& key) { return random_member(sample, people, key); })) {
      EXPECT_FALSE(found.error.advantage.above_zero());
      EXPECT_TRUE(found.error.unobscured_advantage.above_zero());
    }
  }
}

TEST(Shadow, DoesNotDependOnTheNumberOfThreads) {
  const Sample sample = planted_people(4, 100, 6, 3, 0.9, true);
  const auto error = [&](int threads) {
    const ThreadLimit limit(threads);
    const auto found =
        run(sample, [&](People people, const Key& key) { return random_member(sample, people, key); });
    return std::pair(found[0].error.attack.mean, found[1].error.attack.mean);
  };
  EXPECT_EQ(error(1), error(4));
}

TEST(Shadow, RefusesDonorsWhoAreNotTheAttackersPeople) {
  const Sample sample = planted_people(5, 60, 6, 3, 0.9, true);
  EXPECT_THROW((void)run(sample, [](People people, const Key&) { return Donors(people.size(), 60); }),
               InputError);
  EXPECT_THROW((void)run(sample, [](People, const Key&) { return Donors{}; }), InputError);
}

}  // namespace
}  // namespace hyobscure::audit
