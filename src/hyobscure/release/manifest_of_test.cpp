#include "hyobscure/release/manifest_of.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hyobscure::release {
namespace {

obscure::Mechanism mechanism_of_two_groups() {
  obscure::Mechanism mechanism;
  mechanism.method = "exact";
  mechanism.groups = {
      {.label = "18-24", .covers = {{.label = "18-24"}}, .people = 30'000, .values = 5, .members = {0, 1}},
      {.label = "25-40", .covers = {{.label = "25-40"}}, .people = 90'000, .values = 9, .members = {2}}};
  mechanism.key = Key::from_seed(1);
  mechanism.figures.leakage.groups = -(0.25 * std::log2(0.25) + 0.75 * std::log2(0.75));
  mechanism.figures.leakage.total = mechanism.figures.leakage.groups + 0.0123456789;
  mechanism.figures.distance = 0.1234567891234;
  return mechanism;
}

TEST(ManifestOf, SaysWhichPeopleGroupsHoldAndNotWhichValues) {
  const published::Manifest manifest = manifest_of(mechanism_of_two_groups(), {});
  ASSERT_EQ(manifest.groups.size(), 2u);
  EXPECT_EQ(manifest.groups[1].people, 90'000);
  EXPECT_EQ(manifest.groups[1].label, "25-40");
  for (const published::Group& group : manifest.groups) {
    EXPECT_TRUE(group.members.empty());
    EXPECT_EQ(group.values, 0);
  }
}

TEST(ManifestOf, LeakageIsRoundedUpAndNeverShowsAllDigits) {
  const obscure::Mechanism mechanism = mechanism_of_two_groups();
  const auto& figures = mechanism.figures;
  const published::ManifestLeakage leakage = published_leakage(mechanism.groups, figures);
  EXPECT_GE(leakage.leakage_groups, figures.leakage.groups - 1e-12);
  EXPECT_NEAR(leakage.leakage_groups, figures.leakage.groups, 1e-4);
  EXPECT_GE(leakage.leakage_groups + leakage.leakage_added, figures.leakage.total);
  EXPECT_GE(leakage.leakage, figures.leakage.total);
  EXPECT_LT(leakage.leakage, figures.leakage.total + 0.1);
  EXPECT_GE(leakage.distance, figures.distance);
  EXPECT_NE(leakage.leakage_added, figures.leakage.total - leakage.leakage_groups);
  EXPECT_NE(leakage.distance, figures.distance);
}

TEST(ManifestOf, NamesTheDrawsWithoutTheKey) {
  obscure::Mechanism mechanism = mechanism_of_two_groups();
  const std::string draw = manifest_of(mechanism, {}).draw;
  EXPECT_EQ(manifest_of(mechanism, {}).draw, draw);
  EXPECT_EQ(draw.find(mechanism.key.text()), std::string::npos);
  EXPECT_EQ(mechanism.key.text().find(draw), std::string::npos);
  mechanism.key = Key::from_seed(2);
  EXPECT_NE(manifest_of(mechanism, {}).draw, draw);
}

TEST(ManifestOf, SaysThatALeakageWasAcceptedWhereThereIsAShortfall) {
  obscure::Mechanism mechanism = mechanism_of_two_groups();
  mechanism.most_own_rows = 0.5;
  mechanism.figures.own_rows = 0.4;
  EXPECT_FALSE(manifest_of(mechanism, {}).accepted_leakage);
  mechanism.figures.own_rows = 0.6;
  EXPECT_TRUE(manifest_of(mechanism, {}).accepted_leakage);
}

}  // namespace
}  // namespace hyobscure::release
