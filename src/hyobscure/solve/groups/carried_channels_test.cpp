#include "hyobscure/solve/groups/carried_channels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/test_scene.h"

namespace hyobscure::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(CarriedChannels, AChannelCarriedToItsOwnGroupStaysAsItIs) {
  const auto scene = random_scene(4);
  const auto segment = scene.tables.segment(scene.partition.first(1), scene.partition.end(1));
  const MatrixXd carried = carried_channel(scene.channels.channels[1], scene.channels.clusters[1],
                                           segment.joint.rowwise().sum(), segment);
  EXPECT_TRUE(carried.isApprox(scene.channels.channels[1], 1e-12));
}

TEST(CarriedChannels, NewClustersTakeTheOutputsOfTheGroupAndLostOnesAreDropped) {
  const MatrixXd channel{{0.5, 0.5, 0}, {0, 1, 0}, {0, 0, 1}};  // clusters 0, 2, 4
  const SegmentTables::Segment segment{
      .joint = MatrixXd::Ones(4, 1) / 4,
      .distance = MatrixXd{{0, 1, 2, 3}, {1, 0, 1, 2}, {2, 1, 0, 1}, {3, 2, 0.5, 1}},
      .clusters = {0, 1, 2, 4}};
  const VectorXd before{{0.5, 0.25, 0.25}};
  const MatrixXd all = carried_channel(channel, {0, 2, 4}, before, segment);
  EXPECT_TRUE(all.row(0).isApprox(Eigen::RowVector4d(0.5, 0, 0.5, 0)));
  EXPECT_TRUE(all.row(1).isApprox(Eigen::RowVector4d(0.25, 0, 0.5, 0.25)));

  const SegmentTables::Segment smaller{
      .joint = MatrixXd::Ones(2, 1) / 4, .distance = MatrixXd{{2, 1}, {1, 0}}, .clusters = {0, 1}};
  const MatrixXd left = carried_channel(channel, {0, 2, 4}, before, smaller);
  EXPECT_TRUE(left.row(0).isApprox(Eigen::RowVector2d(1, 0)));
  EXPECT_TRUE(left.row(1).isApprox(Eigen::RowVector2d(1, 0)));
  const MatrixXd lost = carried_channel(channel, {2, 4, 5}, before, smaller);
  EXPECT_TRUE(lost.row(0).isApprox(Eigen::RowVector2d(0, 1)));  // nothing left: the nearest
}

/// p_g I(Y; C'|g) with probabilities inside the group, as a textbook has it.
double leakage_by_definition(const MatrixXd& joint, const MatrixXd& channel) {
  const double people = joint.sum();
  const MatrixXd published = channel.transpose() * joint / people;  // P(c', y | g)
  double sum = 0;
  for (Eigen::Index c = 0; c < published.rows(); ++c)
    for (Eigen::Index y = 0; y < published.cols(); ++y)
      if (published(c, y) > 0)
        sum +=
            published(c, y) * std::log(published(c, y) / (published.row(c).sum() * published.col(y).sum()));
  return people * sum;
}

TEST(CarriedChannels, CostIsWhatTheCarriedChannelLeaksAndMoves) {
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Scene scene = random_scene(seed);
    const CarriedChannels features(scene.tables, scene.partition, scene.channels, Objective::Conditional);
    const CarriedChannels total(scene.tables, scene.partition, scene.channels, Objective::Total);
    for (int g = 0; g < scene.partition.groups(); ++g)
      for (int first = 0; first < scene.values.count(); first += 3) {
        const auto segment = scene.tables.segment(first, std::min(first + 5, scene.values.count()));
        const auto index = static_cast<std::size_t>(g);
        const VectorXd before = scene.tables.group(scene.partition, g).joint.rowwise().sum();
        const MatrixXd channel =
            carried_channel(scene.channels.channels[index], scene.channels.clusters[index], before, segment);
        EXPECT_GE(channel.minCoeff(), 0);
        EXPECT_LE((channel.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
        const Cost cost = features.cost(g, segment);
        EXPECT_NEAR(cost.leakage, leakage_by_definition(segment.joint, channel), 1e-12);
        double distance = 0;
        for (Eigen::Index c = 0; c < channel.rows(); ++c)
          for (Eigen::Index to = 0; to < channel.cols(); ++to)
            distance += segment.joint.row(c).sum() * channel(c, to) * segment.distance(c, to);
        EXPECT_NEAR(cost.distance, distance, 1e-12);
        // I(Y; C', G) has the group's share of H(G) besides.
        const double share = segment.joint.sum();
        EXPECT_NEAR(total.cost(g, segment).leakage, cost.leakage - share * std::log(share), 1e-12);
        EXPECT_NEAR(total.cost(g, segment).distance, distance, 1e-12);
      }
  }
}

TEST(CarriedChannels, TheRulesOfAcceptance) {
  const Cost now{.leakage = 1, .distance = 2};
  const BoundarySearchSettings paper{.acceptance = Acceptance::Paper};
  EXPECT_TRUE(acceptable(now, {.leakage = 0.9, .distance = 1.9}, paper));
  EXPECT_FALSE(acceptable(now, {.leakage = 0.9, .distance = 2}, paper));
  EXPECT_FALSE(acceptable(now, {.leakage = 1, .distance = 1.9}, paper));
  EXPECT_FALSE(acceptable(now, {.leakage = 1 - 1e-13, .distance = 1.9}, paper)) << "a drop by rounding";
  const BoundarySearchSettings budget{.acceptance = Acceptance::Budget, .budget = 2.5};
  EXPECT_TRUE(acceptable(now, {.leakage = 0.9, .distance = 2.5}, budget));
  EXPECT_FALSE(acceptable(now, {.leakage = 0.9, .distance = 2.6}, budget));
  EXPECT_FALSE(acceptable(now, {.leakage = 1.1, .distance = 1}, budget));
}

TEST(CarriedChannels, RefuseAChannelThatDoesNotKnowAClusterOfItsGroup) {
  Scene scene = random_scene(2);
  EXPECT_NO_THROW(validate(scene.partition, scene.channels, {}));
  auto& clusters = scene.channels.clusters[0];
  auto& channel = scene.channels.channels[0];
  ASSERT_GE(clusters.size(), 2U);
  clusters.pop_back();
  EXPECT_THROW(validate(scene.partition, scene.channels, {}), InputError) << "a row too many";
  channel = MatrixXd::Identity(channel.rows() - 1, channel.cols() - 1);
  EXPECT_NO_THROW(validate(scene.partition, scene.channels, {}));
  EXPECT_THROW(CarriedChannels(scene.tables, scene.partition, scene.channels, Objective::Total), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
