#include "hyobscure/obscure/mechanism/misfit.h"

#include <gtest/gtest.h>

#include <functional>

#include "hyobscure/base/error.h"

namespace hyobscure::obscure {
namespace {

/// Three people with the ages 20, 30 and 40, or with ages and jobs, and a mechanism of two groups for them.
struct Fitting {
  data::People people;
  Mechanism mechanism;
};

Fitting fitting(bool with_jobs) {
  Fitting made;
  made.people.ids = {"a", "b", "c"};
  made.people.secrets = {0, 1, 2};
  made.people.values.resize(3);
  made.people.features.columns = 4;
  made.mechanism.people = 3;
  made.mechanism.clusters.centres.resize(2, 4);
  published::Group first{
      .label = "20-30", .covers = {{.label = "20-30", .low = 20, .high = 30}}, .members = {0, 1}};
  published::Group second{.label = "40", .covers = {{.label = "40", .low = 40, .high = 40}}, .members = {2}};
  if (with_jobs) {
    data::SecretSpace& space = made.people.space.emplace();
    space.axes = {{.column = "age", .kind = data::AxisKind::Ordered, .values = {}},
                  {.column = "job", .kind = data::AxisKind::Categorical, .values = {}}};
    for (published::Group* group : {&first, &second}) group->covers.push_back({.label = "x", .names = {"x"}});
    second.combinations = {{"40", "x"}};
  }
  made.mechanism.groups = {first, second};
  made.mechanism.channels = {{.people = 2, .draw = OtherDraw{}}, {.people = 1, .draw = OtherDraw{}}};
  return made;
}

void expect_misfit(const Fitting& made, const std::string& why) {
  try {
    refuse_misfit(made.mechanism, made.people);
    ADD_FAILURE() << "accepted: " << why;
  } catch (const InputError& error) {
    EXPECT_EQ(error.problem(), "does not fit the people: it was made for other data, or edited") << why;
  }
}

TEST(Misfit, IsNoneOfAMechanismThatWasMadeForThePeople) {
  for (const bool with_jobs : {false, true}) {
    const Fitting made = fitting(with_jobs);
    EXPECT_NO_THROW(refuse_misfit(made.mechanism, made.people));
  }
}

TEST(Misfit, IsAnyOtherNumberOfPeopleValuesOrColumns) {
  for (const bool with_jobs : {false, true}) {
    Fitting made = fitting(with_jobs);
    made.mechanism.people = 4;
    expect_misfit(made, "people");
    made = fitting(with_jobs);
    made.people.values.resize(4);
    expect_misfit(made, "values");
    made = fitting(with_jobs);
    made.people.features.columns = 5;
    expect_misfit(made, "columns");
  }
}

TEST(Misfit, IsACoverOfAnotherKindOrNumberOfSecrets) {
  Fitting made = fitting(false);
  made.mechanism.groups[0].covers[0].names = {"x"};
  expect_misfit(made, "names where there are numbers");
  made = fitting(false);
  made.mechanism.groups[0].covers[0].cells = {{1, 2}};
  expect_misfit(made, "cells where there are numbers");
  made = fitting(true);
  made.mechanism.groups[1].covers.pop_back();
  expect_misfit(made, "a secret is missing");
  made = fitting(true);
  std::swap(made.mechanism.groups[0].covers[0], made.mechanism.groups[0].covers[1]);
  expect_misfit(made, "secrets in another order");
  made = fitting(true);
  made.mechanism.groups[1].combinations[0].pop_back();
  expect_misfit(made, "a combination of one secret");
}

TEST(Misfit, IsAChannelOfAnotherNumberOfPeople) {
  Fitting made = fitting(false);
  std::swap(made.mechanism.channels[0], made.mechanism.channels[1]);
  expect_misfit(made, "channels in another order");
  made = fitting(false);
  made.mechanism.groups[0].members = {0};
  made.mechanism.groups[1].members = {1, 2};
  expect_misfit(made, "a value in the next group");
  made = fitting(false);
  made.mechanism.channels.push_back({.people = 0, .draw = OtherDraw{}});
  expect_misfit(made, "a channel of nobody");
  made = fitting(false);
  made.people.kept = {0, 1, 0};  // three pools
  expect_misfit(made, "kept columns that it does not know");
}

TEST(Misfit, IsNoneOfOneChannelForAllGroups) {
  Fitting made = fitting(false);
  made.mechanism.within_groups = false;
  made.mechanism.channels = {{.people = 3, .draw = OtherDraw{}}};
  EXPECT_NO_THROW(refuse_misfit(made.mechanism, made.people));
}

}  // namespace
}  // namespace hyobscure::obscure
