#include "hyobscure/obscure/leakage/signals.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/leakage/accounting.h"

namespace hyobscure::obscure {
namespace {

/// Twelve people of six values in two groups and three clusters.
class SignalsTest : public testing::Test {
 protected:
  SignalsTest() {
    people_.features.columns = 5;
    for (std::uint32_t u = 0; u < 12; ++u) {
      people_.ids.push_back(fmt::format("p{:02}", u));
      people_.secrets.push_back(u % 6);
      people_.features.append_row({std::vector<std::uint32_t>{u % 4, 4}, std::vector{1.0 + u % 3, 2.0}});
      clusters_.push_back(u % 3);
    }
    for (int y = 0; y < 6; ++y)
      people_.values.push_back({.low = 1.0 * y, .high = 1.0 * y, .centre = 1.0 * y});
    mechanism_.groups = {{.label = "0-2", .covers = {}, .people = 6, .values = 3, .members = {0, 1, 2}},
                         {.label = "3-5", .covers = {}, .people = 6, .values = 3, .members = {3, 4, 5}}};
    mechanism_.clusters.centres = Eigen::MatrixXd::Zero(3, 5);
  }

  Mechanism with(const Channel& first, const Channel& second) const {
    Mechanism mechanism = mechanism_;
    mechanism.channels = {first, second};
    for (Channel& channel : mechanism.channels) channel.people = 6;
    return mechanism;
  }
  Mechanism with(const Channel& channel) const { return with(channel, channel); }
  Signals signals(const Mechanism& mechanism) const { return {mechanism, people_, clusters_}; }

  static Channel own_rows(double retain = 0) {
    PersonDraw draw;
    for (std::uint32_t u = 0; u < 6; ++u) {
      draw.donors.push_back(u);
      draw.probabilities.push_back(1);
      draw.starts.push_back(u + 1);
    }
    return {.retain = retain, .draw = draw};
  }

  /// Each person one of two neighbours in a ring.
  static Channel ring(double first) {
    PersonDraw draw;
    for (std::uint32_t u = 0; u < 6; ++u) {
      draw.donors.insert(draw.donors.end(), {(u + 1) % 6, (u + 2) % 6});
      draw.probabilities.insert(draw.probabilities.end(), {first, 1 - first});
      draw.starts.push_back(draw.donors.size());
    }
    return {.draw = draw};
  }

  static Channel cells(double retain = 0) {
    return {.retain = retain,
            .draw = CellDraw{
                {0, 1, 2}, {2, 2, 2}, Eigen::MatrixXd{{0.5, 0.25, 0.25}, {0, 1, 0}, {0.125, 0.125, 0.75}}}};
  }

  /// I(Y; G, V1, V2) from the table over all pairs of donors.
  double by_enumeration(const Mechanism& first, const Mechanism& second) const {
    const Signals one = signals(first), two = signals(second);
    std::map<std::array<std::uint32_t, 4>, std::map<std::uint32_t, double>> joint;
    for (std::uint32_t u = 0; u < 12; ++u)
      for (const Signal& a : one.of(u))
        for (const Signal& b : two.of(u))
          joint[{one.strata().pool_of_person[u], a.id, two.strata().pool_of_person[u], b.id}]
               [people_.secrets[u]] += a.probability * b.probability / 12;
    double bits = std::log2(6.0);
    for (const auto& [shown, by_value] : joint) {
      double all = 0;
      for (const auto& [value, weight] : by_value) all += weight;
      for (const auto& [value, weight] : by_value) bits += weight * std::log2(weight / all);
    }
    return bits;
  }

  data::People people_;
  std::vector<std::uint32_t> clusters_;
  Mechanism mechanism_;
};

TEST_F(SignalsTest, OfEveryKindOfDrawSumToOneAndAscend) {
  for (const Channel& channel : {cells(), cells(0.25), own_rows(), ring(0.75), Channel{.draw = OtherDraw{}},
                                 Channel{.retain = 0.5, .draw = OtherDraw{}},
                                 Channel{.draw = NearDraw{.decay = 2.0}}, Channel{.draw = NearDraw{}}}) {
    const Mechanism mechanism = with(channel);
    const Signals all = signals(mechanism);
    for (std::uint32_t u = 0; u < 12; ++u) {
      const auto of_u = all.of(u);
      double sum = 0;
      for (std::size_t i = 0; i < of_u.size(); ++i) {
        sum += of_u[i].probability;
        if (i > 0) {
          EXPECT_LT(of_u[i - 1].id, of_u[i].id);
        }
        EXPECT_LT(of_u[i].id, all.ids());
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_LE(of_u.size(), all.most(u));
    }
  }
}

TEST_F(SignalsTest, DonorsAreNumberedAsThePeopleAre) {
  const Mechanism mechanism = with(ring(0.75));
  // Person 3 is the first of the second group: 3 4 5 9 10 11.
  const auto of_first = signals(mechanism).of(3);
  ASSERT_EQ(of_first.size(), 2u);
  EXPECT_EQ(of_first[0].id, 4u);
  EXPECT_DOUBLE_EQ(of_first[0].probability, 0.75);
  EXPECT_EQ(of_first[1].id, 5u);
}

TEST_F(SignalsTest, OneReleaseComposesToTheLeakageThatIsAccountedFor) {
  const Pools groups = pools_by_group(people_, solve::Partition{{0, 3, 6}});
  for (const Channel& channel :
       {cells(), cells(0.25), ring(0.75), Channel{.retain = 0.5, .draw = OtherDraw{}},
        Channel{.draw = NearDraw{.decay = 2.0}}}) {
    const Mechanism mechanism = with(channel);
    std::vector<Signals> one;
    one.push_back(signals(mechanism));
    const Composition composed = compose(people_, one);
    const double features = account({.people = people_,
                                     .cluster_of_person = clusters_,
                                     .clusters = 3,
                                     .strata = groups,
                                     .pools = groups,
                                     .channels = mechanism.channels},
                                    0, Key::from_seed(1))
                                .people;
    EXPECT_TRUE(composed.exact);
    EXPECT_NEAR(composed.bits, 1 + features, 1e-12);  // two groups of equal size leak one bit
  }
}

TEST_F(SignalsTest, TwoReleasesComposeAsTheTableOfAllPairsSays) {
  const std::vector<Mechanism> mechanisms = {with(ring(0.75)), with(cells(), ring(0.5)),
                                             with(Channel{.draw = NearDraw{.decay = 2.0}}),
                                             with(cells(0.25))};
  for (const Mechanism& first : mechanisms)
    for (const Mechanism& second : mechanisms) {
      std::vector<Signals> both;
      both.push_back(signals(first));
      both.push_back(signals(second));
      const Composition composed = compose(people_, both);
      EXPECT_TRUE(composed.exact);
      EXPECT_NEAR(composed.bits, by_enumeration(first, second), 1e-12);
    }
}

TEST_F(SignalsTest, OtherGroupsOfASecondReleaseTellMore) {
  const Channel anybody{.draw = OtherDraw{}};
  const Mechanism first = with(anybody);
  Mechanism second = with(anybody);
  second.groups[0].people = 4, second.groups[1].people = 8, second.groups[0].members = {0, 1},
  second.groups[1].members = {2, 3, 4, 5};
  second.channels[0].people = 4, second.channels[1].people = 8;
  std::vector<Signals> both;
  both.push_back(signals(first));
  both.push_back(signals(second));
  // The groups alone: values 0-1, 2, 3-5.
  const double groups = -(1.0 / 3 * std::log2(1.0 / 3) + 1.0 / 6 * std::log2(1.0 / 6) + 0.5 * std::log2(0.5));
  EXPECT_GT(compose(people_, both).bits, groups);
}

TEST_F(SignalsTest, ManyReleasesOfARingTellEverythingAndNeverMore) {
  const Mechanism mechanism = with(ring(0.5));
  std::vector<Signals> releases;
  double before = 0;
  for (int r = 0; r < 8; ++r) {
    releases.push_back(signals(mechanism));
    const Composition composed = compose(people_, releases);
    EXPECT_TRUE(composed.exact);
    EXPECT_GE(composed.bits, before - 1e-12);
    EXPECT_LE(composed.bits, std::log2(6.0));
    before = composed.bits;
  }
  EXPECT_GT(before, std::log2(6.0) - 0.05);
}

TEST_F(SignalsTest, TooManyCombinationsAreBoundedByAllThereIsToTell) {
  const Mechanism mechanism = with(ring(0.5));
  std::vector<Signals> releases;
  for (int r = 0; r < 22; ++r) releases.push_back(signals(mechanism));  // 12 * 2^22 combinations
  const Composition composed = compose(people_, releases);
  EXPECT_FALSE(composed.exact);
  EXPECT_NEAR(composed.bits, std::log2(6.0), 1e-12);
}

TEST_F(SignalsTest, OtherPeopleAreRefused) {
  Mechanism mechanism = with(ring(0.5));
  mechanism.channels[0].people = 7;
  EXPECT_THROW(signals(mechanism), InputError);
}

}  // namespace
}  // namespace hyobscure::obscure
