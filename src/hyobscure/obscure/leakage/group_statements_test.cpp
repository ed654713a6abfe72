#include "hyobscure/obscure/leakage/group_statements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "hyobscure/obscure/groups/labels.h"
#include "hyobscure/obscure/groups/pools.h"

namespace hyobscure::obscure {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Twelve people of the ages 20 to 25 in two groups, who may also be told apart by a kept column.
data::People people_of_ages(bool keeps) {
  data::People people;
  for (std::uint32_t u = 0; u < 12; ++u) {
    people.ids.push_back("p" + std::to_string(100 + u));
    people.secrets.push_back(u % 6);
    if (keeps) people.kept.push_back(u < 7 ? 0 : 1);
  }
  people.kept_combinations = keeps ? 2 : 0;
  for (int y = 0; y < 6; ++y)
    people.values.push_back({.low = 20.0 + y, .high = 20.0 + y, .centre = 20.0 + y});
  return people;
}

/// Twelve people of six jobs.
data::People people_of_jobs() {
  data::People people = people_of_ages(false);
  data::SecretSpace& space = people.space.emplace();
  space.axes = {{.column = "job", .kind = data::AxisKind::Categorical, .values = {}}};
  for (std::uint32_t job = 0; job < 6; ++job) {
    space.axes[0].values.push_back({.name = "job " + std::to_string(job)});
    space.points.push_back({job});
    space.value_of_point.push_back(job);
  }
  return people;
}

Mechanism truthful_about(const data::People& people) {
  Mechanism mechanism;
  mechanism.groups = label_groups(people, solve::Partition::of({0, 0, 0, 1, 1, 1}), {});
  mechanism.limits = {.least_people = 2, .most_people = 8, .least_values = 2, .most_values = 3};
  if (!people.kept.empty()) {
    mechanism.smallest_pool = 2;
    mechanism.limits.for_pools = true;
  }
  return mechanism;
}

std::vector<std::string> untrue_after(const data::People& people,
                                      const std::function<void(Mechanism&)>& edit) {
  Mechanism mechanism = truthful_about(people);
  edit(mechanism);
  return untrue_of_groups(mechanism, people);
}

TEST(GroupStatements, OfATruthfulMechanismAreTrue) {
  for (const auto& people : {people_of_ages(false), people_of_ages(true), people_of_jobs()})
    EXPECT_THAT(untrue_after(people, [](Mechanism&) {}), IsEmpty());
}

TEST(GroupStatements, SizesThatWereEditedAreNamed) {
  const data::People people = people_of_ages(false);
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.groups[0].people += 1; }),
              ElementsAre("it says 7 people are in 22 or less, and 6 are."));
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.groups[1].values = 2; }),
              ElementsAre("it says 2 secrets are in 23 or more, and 3 are."));
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.limits.least_people = 7; }),
              ElementsAre(HasSubstr("22 or less has 6 people"), HasSubstr("23 or more has 6 people")));
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.limits.most_values = 2; }),
              ElementsAre(HasSubstr("22 or less has 3 secrets"), HasSubstr("23 or more has 3 secrets")));
}

TEST(GroupStatements, RangesThatWereMovedAreNamed) {
  const data::People people = people_of_ages(false);
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.groups[0].covers[0].high = 21; }),
              Contains("22 or less does not cover the secrets of its people."));
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.groups[0].covers[0].high = 23; }),
              Contains("22 or less covers secrets of people of other groups."));
  EXPECT_THAT(untrue_after(people,
                           [](Mechanism& m) {
                             published::Cover& cover = m.groups[1].covers[0];
                             cover.high = 40;  // true, and told by the label
                             m.groups[1].label = cover.label = "23-40";
                           }),
              IsEmpty());
}

TEST(GroupStatements, LabelsThatSaySomethingElseAreNamed) {
  for (const auto& people : {people_of_ages(false), people_of_jobs()}) {
    EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.groups[1].label = "everybody"; }),
                ElementsAre(HasSubstr("of group 2 is not that of its")));
    EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.groups[0].covers[0].label = "everybody"; }),
                ElementsAre(HasSubstr("of group 1 is not that of its")));
  }
  EXPECT_THAT(
      untrue_after(people_of_jobs(), [](Mechanism& m) { m.groups[0].covers[0].names.push_back("job 5"); }),
      ElementsAre(HasSubstr("the label or cover of group 1")));
}

TEST(GroupStatements, PoolsThatAreSmallerThanPromisedAreNamed) {
  const data::People people = people_of_ages(true);
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.smallest_pool = 5; }),
              ElementsAre("it says its smallest pool has 5 people, and it has 2."));
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.limits.least_people = 3; }),
              ElementsAre(HasSubstr("a pool has 2 people")));
  EXPECT_THAT(untrue_after(people, [](Mechanism& m) { m.limits.least_values = 3; }),
              ElementsAre(HasSubstr("a pool has 2 secrets")));
}

}  // namespace
}  // namespace hyobscure::obscure
