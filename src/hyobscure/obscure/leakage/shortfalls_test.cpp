#include "hyobscure/obscure/leakage/shortfalls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyobscure::obscure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// As good as a careful publisher would expect, and close to every limit.
Mechanism careful() {
  Mechanism mechanism;
  mechanism.most_own_rows = 0.2;
  mechanism.figures.leakage.features = 0.20;
  mechanism.figures.leakage.random = 0.20;
  mechanism.figures.leakage.any_donor = 0.05;
  mechanism.figures.leakage.unprotected = 0.41;
  mechanism.figures.distance = 0.3;
  mechanism.figures.budget = 0.3;
  mechanism.figures.own_rows = 0.2;
  return mechanism;
}

TEST(Shortfalls, OfACarefulMechanismAreNone) { EXPECT_THAT(shortfalls(careful()), IsEmpty()); }

TEST(Shortfalls, UnspentBudgetCountsWhereAFartherDonorWouldLeakLess) {
  Mechanism mechanism = careful();
  mechanism.figures.distance = 0.299;
  EXPECT_THAT(shortfalls(mechanism), ElementsAre(HasSubstr("below the budget, 0.3: farther donors")));
  mechanism.figures.leakage.any_donor = 0.195;  // nothing worth having is left
  EXPECT_THAT(shortfalls(mechanism), IsEmpty());
  mechanism = careful();
  mechanism.figures.distance = 0.299;
  mechanism.parameter =
      Parameter{.name = "beta", .value = 1};  // a baseline cannot spend more than its knob can
  EXPECT_THAT(shortfalls(mechanism), IsEmpty());
}

TEST(Shortfalls, MoreThanRandomDonorsLeakIsOne) {
  Mechanism mechanism = careful();
  mechanism.figures.leakage.random = 0.19;
  EXPECT_THAT(shortfalls(mechanism), ElementsAre(HasSubstr("random donors at the same distance leak 0.190")));
  mechanism.figures.leakage.random = 0.1975;  // within the 2 % that sizes of pools make
  EXPECT_THAT(shortfalls(mechanism), IsEmpty());
  mechanism.figures.leakage.features = 0.0009;
  mechanism.figures.leakage.random = 0;  // within the rounding of a certificate
  EXPECT_THAT(shortfalls(mechanism), IsEmpty());
}

TEST(Shortfalls, MoreThanHalfOfUnprotectedFeaturesIsOneUnlessItIsNothing) {
  Mechanism mechanism = careful();
  mechanism.figures.leakage.unprotected = 0.39;
  EXPECT_THAT(shortfalls(mechanism), ElementsAre(HasSubstr("leak 51 % of what unprotected features would")));
  mechanism = careful();
  mechanism.figures.leakage.features = 0.009;
  mechanism.figures.leakage.unprotected = 0.009;
  EXPECT_THAT(shortfalls(mechanism), IsEmpty());
}

TEST(Shortfalls, OwnRowsCountAboveWhatThePublisherAccepts) {
  Mechanism mechanism = careful();
  mechanism.figures.own_rows = 0.25;
  EXPECT_THAT(shortfalls(mechanism),
              ElementsAre(HasSubstr("25 % of the people are expected to publish their own "
                                    "row, more than 20 %")));
}

TEST(Shortfalls, AreNamedTogether) {
  Mechanism mechanism = careful();
  mechanism.figures.distance = 0.1;
  mechanism.figures.leakage.random = 0.1;
  mechanism.figures.leakage.unprotected = 0.2;
  mechanism.figures.own_rows = 1;
  EXPECT_EQ(shortfalls(mechanism).size(), 4u);
}

}  // namespace
}  // namespace hyobscure::obscure
