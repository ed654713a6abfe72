#include "hyobscure/obscure/leakage/recomputed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hyobscure/base/error.h"
#include "hyobscure/census/distance.h"

namespace hyobscure::obscure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Twelve people of six values in two groups and three clusters; the second group also in two kept columns.
class RecomputedTest : public testing::Test {
 protected:
  static constexpr int kPeople = 12, kPool = 6;

  RecomputedTest() {
    people_.features.columns = 5;
    for (std::uint32_t u = 0; u < kPeople; ++u) {
      people_.ids.push_back(fmt::format("p{:02}", u));
      people_.secrets.push_back(u < 3 ? 0 : u % 6);
      people_.features.append_row({std::vector<std::uint32_t>{u % 4, 4}, std::vector{1.0 + u % 3, 2.0}});
      clusters_.push_back(u % 3);
    }
    for (int y = 0; y < 6; ++y)
      people_.values.push_back({.low = 20.0 + y, .high = 20.0 + y, .centre = 20.0 + y});
    mechanism_.distance = "euclidean";
    mechanism_.people = kPeople;
    mechanism_.limits = {2, 8, 2, 3, false};
    mechanism_.clusters.centres = Eigen::MatrixXd::Zero(3, 5);
    for (int g = 0; g < 2; ++g) {
      published::Group group{
          .label = g == 0 ? "20-22" : "23-25",
          .covers = {{.label = g == 0 ? "20-22" : "23-25", .low = 20.0 + 3 * g, .high = 22.0 + 3 * g}},
          .values = 3,
          .members = {3 * g, 3 * g + 1, 3 * g + 2}};
      for (std::uint32_t u = 0; u < kPeople; ++u)
        if (people_.secrets[u] / 3 == static_cast<std::uint32_t>(g)) members_[g].push_back(u);
      group.people = static_cast<std::int64_t>(members_[g].size());
      mechanism_.groups.push_back(group);
    }
  }

  /// O(v | u) of a pool, by place in it; what the draws are said to do, written out.
  using Probability = std::function<double(int g, std::size_t u, std::size_t v)>;

  Mechanism with(const Channel& channel) const {
    Mechanism mechanism = mechanism_;
    for (const auto& members : members_) {
      mechanism.channels.push_back(channel);
      mechanism.channels.back().people = static_cast<std::int64_t>(members.size());
    }
    return mechanism;
  }

  std::size_t cluster(int g, std::size_t place) const { return clusters_[members_[g][place]]; }
  double people_of_cluster(int g, std::size_t wanted) const {
    return static_cast<double>(
        std::ranges::count_if(members_[g], [&](std::uint32_t u) { return clusters_[u] == wanted; }));
  }

  /// Every figure from the table of people by donors.
  Recomputed by_table(const Probability& drawn, double retain) const {
    Eigen::MatrixXd shown = Eigen::MatrixXd::Zero(kPeople, 6);  // donor by secret
    Recomputed result{.leakage = 0,
                      .leakage_groups = 0,
                      .secret_entropy = 0,
                      .unprotected = kUnset,
                      .max_lift = 0,
                      .min_lift = 1,
                      .max_lift_of_population = 0,
                      .own_rows = 0,
                      .distance = {.value = 0}};
    for (int g = 0; g < 2; ++g)
      for (std::size_t u = 0; u < members_[g].size(); ++u)
        for (std::size_t v = 0; v < members_[g].size(); ++v) {
          const double p = ((1 - retain) * drawn(g, u, v) + (u == v ? retain : 0)) / kPeople;
          const std::uint32_t person = members_[g][u], donor = members_[g][v];
          shown(donor, people_.secrets[person]) += p;
          if (u == v) result.own_rows += p;
          result.distance.value +=
              p * census::distance_between(census::Distance::Euclidean, people_.features[person],
                                           people_.features[donor], 5);
        }
    const Eigen::RowVectorXd share = shown.colwise().sum();
    for (int y = 0; y < 6; ++y) {
      if (share[y] > 0) result.secret_entropy -= share[y] * std::log2(share[y]);
      for (int v = 0; v < kPeople; ++v)
        if (shown(v, y) > 0)
          result.leakage += shown(v, y) * std::log2(shown(v, y) / (shown.row(v).sum() * share[y]));
    }
    for (int g = 0; g < 2; ++g)
      for (const std::uint32_t v : members_[g])
        for (int y = 3 * g; y < 3 * g + 3; ++y) {
          const double p = static_cast<double>(members_[g].size()) / kPeople;
          const double posterior = shown(v, y) / shown.row(v).sum();
          result.max_lift = std::max(result.max_lift, posterior * p / share[y]);
          result.min_lift = std::min(result.min_lift, posterior * p / share[y]);
          result.max_lift_of_population = std::max(result.max_lift_of_population, posterior / share[y]);
        }
    for (const auto& members : members_) {
      const double p = static_cast<double>(members.size()) / kPeople;
      result.leakage_groups -= p * std::log2(p);
    }
    return result;
  }

  void expect_as_by_table(const Channel& channel, const Probability& drawn) const {
    for (const double retain : {0.0, 0.25}) {
      Channel retaining = channel;
      retaining.retain = retain;
      const Recomputed expected = by_table(drawn, retain),
                       found = recompute(with(retaining), people_, clusters_);
      EXPECT_NEAR(found.leakage, expected.leakage, 1e-12);
      EXPECT_NEAR(found.leakage_groups, expected.leakage_groups, 1e-12);
      EXPECT_NEAR(found.secret_entropy, expected.secret_entropy, 1e-12);
      EXPECT_NEAR(found.max_lift, expected.max_lift, 1e-12);
      EXPECT_NEAR(found.min_lift, expected.min_lift, 1e-12);
      EXPECT_NEAR(found.max_lift_of_population, expected.max_lift_of_population, 1e-12);
      EXPECT_NEAR(found.own_rows, expected.own_rows, 1e-12);
      EXPECT_NEAR(found.distance.value, expected.distance.value, 1e-12);
      EXPECT_EQ(found.distance.error, 0);
    }
  }

  static Channel cells() {
    return {.draw = CellDraw{
                {0, 1, 2}, {2, 2, 2}, Eigen::MatrixXd{{0.5, 0.25, 0.25}, {0, 1, 0}, {0.125, 0.125, 0.75}}}};
  }

  /// A mechanism that says of itself what it does.
  Mechanism truthful() const {
    Mechanism mechanism = with(cells());
    const Recomputed found = recompute(mechanism, people_, clusters_);
    Leakage& leakage = mechanism.figures.leakage;
    leakage.total = found.leakage;
    leakage.groups = found.leakage_groups;
    leakage.features = found.leakage - found.leakage_groups;
    leakage.secret_entropy = found.secret_entropy;
    leakage.unprotected = found.unprotected;
    mechanism.figures.lift = {.highest = found.max_lift,
                              .lowest = found.min_lift,
                              .highest_of_population = found.max_lift_of_population};
    mechanism.figures.own_rows = found.own_rows;
    mechanism.figures.distance = found.distance.value;
    return mechanism;
  }

  std::vector<std::string> untrue(const std::function<void(Mechanism&)>& edit) const {
    Mechanism mechanism = truthful();
    edit(mechanism);
    return untrue_statements(mechanism, people_, clusters_);
  }

  data::People people_;
  std::vector<std::uint32_t> clusters_;
  std::vector<std::uint32_t> members_[2];
  Mechanism mechanism_;
};

TEST_F(RecomputedTest, CellsAreAsByTheTable) {
  const Eigen::MatrixXd rows = cells().cells()->probabilities;
  expect_as_by_table(cells(), [&](int g, std::size_t u, std::size_t v) {
    return rows(static_cast<Eigen::Index>(cluster(g, u)), static_cast<Eigen::Index>(cluster(g, v))) /
           people_of_cluster(g, cluster(g, v));
  });
}

TEST_F(RecomputedTest, OthersAreAsByTheTable) {
  expect_as_by_table({.draw = OtherDraw{}}, [&](int g, std::size_t u, std::size_t v) {
    return u == v ? 0.0 : 1.0 / static_cast<double>(members_[g].size() - 1);
  });
}

TEST_F(RecomputedTest, NearDonorsAreAsByTheTable) {
  const auto closeness = [&](int g, std::size_t u, std::size_t v) {
    return std::exp(-2 * census::distance_between(census::Distance::Jaccard, people_.features[members_[g][u]],
                                                  people_.features[members_[g][v]], 5));
  };
  const auto drawn = [&](int g, std::size_t u, std::size_t v) {
    double all = 0;
    for (std::size_t w = 0; w < members_[g].size(); ++w) all += closeness(g, u, w);
    return closeness(g, u, v) / all;
  };
  // distances are kept with 24 bits
  const Recomputed expected = by_table(drawn, 0),
                   found = recompute(with({.draw = NearDraw{.decay = 2.0}}), people_, clusters_);
  EXPECT_NEAR(found.leakage, expected.leakage, 1e-6);
  EXPECT_NEAR(found.max_lift, expected.max_lift, 1e-6);
  EXPECT_NEAR(found.min_lift, expected.min_lift, 1e-6);
  EXPECT_NEAR(found.own_rows, expected.own_rows, 1e-6);
  EXPECT_NEAR(found.distance.value, expected.distance.value, 1e-6);
}

TEST_F(RecomputedTest, ListsOfPeopleAreAsByTheTable) {
  const auto drawn = [](int, std::size_t u, std::size_t v) {
    return v == u ? 0.25 : v == (u + 1) % kPool ? 0.5 : v == (u + 3) % kPool ? 0.25 : 0.0;
  };
  PersonDraw draw;
  for (std::size_t u = 0; u < kPool; ++u) {
    for (std::size_t v = 0; v < kPool; ++v)
      if (drawn(0, u, v) > 0) {
        draw.donors.push_back(static_cast<std::uint32_t>(v));
        draw.probabilities.push_back(drawn(0, u, v));
      }
    draw.starts.push_back(draw.donors.size());
  }
  ASSERT_EQ(members_[0].size(), static_cast<std::size_t>(kPool));
  ASSERT_EQ(members_[1].size(), static_cast<std::size_t>(kPool));
  expect_as_by_table({.draw = draw}, drawn);
}

TEST_F(RecomputedTest, UnprotectedFeaturesAreThoseOfEverybodysOwnRow) {
  // Own rows always, by lists: what rows reveal is all that there is to know of the people of a group.
  const Recomputed own = recompute(with({.retain = 1, .draw = OtherDraw{}}), people_, clusters_);
  EXPECT_NEAR(own.leakage, own.secret_entropy, 1e-12);
  EXPECT_NEAR(own.unprotected, own.secret_entropy - own.leakage_groups, 1e-12);
  EXPECT_EQ(own.own_rows, 1);
  EXPECT_EQ(own.distance.value, 0);
  // Rows of cells reveal their cluster: an identity reveals as much as is unprotected.
  const Recomputed cell = recompute(
      with({.draw = CellDraw{{0, 1, 2}, {2, 2, 2}, Eigen::MatrixXd::Identity(3, 3)}}), people_, clusters_);
  EXPECT_NEAR(cell.unprotected, cell.leakage - cell.leakage_groups, 1e-12);
}

TEST_F(RecomputedTest, ATruthfulMechanismIsAccepted) {
  EXPECT_THAT(untrue([](Mechanism&) {}), IsEmpty());
}

TEST_F(RecomputedTest, EveryFigureThatWasEditedIsNamed) {
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.leakage.total = 0; }),
              ElementsAre(HasSubstr("leakage_bits = 0, and its channels give")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.leakage.groups += 1e-5; }),
              ElementsAre(HasSubstr("leakage_groups_bits")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.leakage.features = kUnset; }),
              ElementsAre(HasSubstr("leakage_features_bits = nothing")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.leakage.unprotected *= 2; }),
              ElementsAre(HasSubstr("leakage_unprotected_bits")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.leakage.secret_entropy += 1; }),
              ElementsAre(HasSubstr("secret_entropy_bits")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.lift.highest = 1; }),
              ElementsAre(HasSubstr("max_lift = 1")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.lift.lowest = 1; }),
              ElementsAre(HasSubstr("min_lift = 1")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.lift.highest_of_population += 1e-3; }),
              ElementsAre(HasSubstr("max_lift_of_population")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.own_rows = 0; }), ElementsAre(HasSubstr("own_rows")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.figures.distance /= 2; }), ElementsAre(HasSubstr("distance")));
}

TEST_F(RecomputedTest, AChannelThatWasEditedNoLongerFitsTheFigures) {
  EXPECT_THAT(untrue([](Mechanism& m) {
                for (Channel& channel : m.channels) channel.retain = 1;
              }),
              testing::Contains(HasSubstr("leakage_bits")));
  EXPECT_THAT(untrue([](Mechanism& m) { m.channels[1].cells()->probabilities.setIdentity(); }),
              testing::Contains(HasSubstr("leakage_bits")));
}

TEST_F(RecomputedTest, GroupsThatWereEditedAreNamed) {
  EXPECT_THAT(untrue([](Mechanism& m) { m.groups[0].people += 1; }),
              ElementsAre("it says 7 people are in 20-22, and 6 are."));
}

TEST_F(RecomputedTest, PeopleFromWhoseClusterNobodyDrawsAreToldInsteadOfFigures) {
  EXPECT_THAT(untrue([](Mechanism& m) {
                m.channels[1].cells()->clusters = {0, 1, 3};
                m.clusters.centres = Eigen::MatrixXd::Zero(4, 5);
              }),
              ElementsAre(HasSubstr("from whose cluster nobody draws")));
}

TEST_F(RecomputedTest, RefusesWithTheFirstThatDiffer) {
  Mechanism mechanism = truthful();
  EXPECT_NO_THROW(refuse_untrue(mechanism, people_, clusters_));
  mechanism.figures = {};
  mechanism.source = "m.json";
  try {
    refuse_untrue(mechanism, people_, clusters_);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("m.json"));
    EXPECT_THAT(error.what(), HasSubstr("leakage_bits = nothing"));
    EXPECT_THAT(error.what(), HasSubstr("and 7 more"));
  }
}

/// 4,000 people in one group, whose donors are too many pairs to go through.
TEST(RecomputedDistance, OfManyPeopleIsWithinItsErrorOfTheTruth) {
  data::People people;
  constexpr std::uint32_t kMany = 4000;
  people.features.columns = 2;
  for (std::uint32_t u = 0; u < kMany; ++u) {
    people.ids.push_back(fmt::format("p{:04}", u));
    people.secrets.push_back(u % 2);
    people.features.append_row({std::vector<std::uint32_t>{0}, std::vector{1.0 + u % 10}});
  }
  people.values = {{.low = 1, .high = 1, .centre = 1}, {.low = 2, .high = 2, .centre = 2}};
  Mechanism mechanism;
  mechanism.distance = "euclidean";
  mechanism.clusters.centres = Eigen::MatrixXd::Zero(1, 2);
  mechanism.groups = {{.label = "1-2",
                       .covers = {{.label = "1-2", .low = 1, .high = 2}},
                       .people = kMany,
                       .values = 2,
                       .members = {0, 1}}};
  mechanism.channels = {{.people = kMany, .retain = 0.5, .draw = OtherDraw{}}};
  const std::vector<std::uint32_t> clusters(kMany, 0);
  const Recomputed found = recompute(mechanism, people, clusters);
  // |a - b| of two digits is 3.3 on average, among others by kMany / (kMany - 1) more; half of it is drawn.
  const double truth = 0.5 * 3.3 * kMany / (kMany - 1);
  EXPECT_GT(found.distance.error, 0);
  EXPECT_LT(found.distance.error, 0.2);
  EXPECT_NEAR(found.distance.value, truth, found.distance.error);  // by chance wrong once in 1e11 times
}

}  // namespace
}  // namespace hyobscure::obscure
