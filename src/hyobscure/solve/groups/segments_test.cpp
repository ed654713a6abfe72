#include "hyobscure/solve/groups/segments.h"

#include <gtest/gtest.h>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/groups/test_census.h"

namespace hyobscure::solve {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(SegmentTables, AgreeWithSumsOverPeople) {
  const auto census = random_census(1, {.people = 60, .clusters = 4, .values = 7});
  const auto tables = census.tables();
  EXPECT_EQ(tables.total(), 60);
  for (int first = 0; first < 7; ++first)
    for (int end = first + 1; end <= 7; ++end) {
      const auto segment = tables.segment(first, end);
      EXPECT_EQ(tables.distinct_values(first, end), end - first);
      EXPECT_NEAR(segment.joint.sum() * 60, tables.people(first, end), 1e-12);
      for (std::size_t i = 0; i < segment.clusters.size(); ++i)
        for (std::size_t j = 0; j < segment.clusters.size(); ++j) {
          const double mean = census.mean_distance(first, end, segment.clusters[i], segment.clusters[j]);
          EXPECT_NEAR(segment.distance(static_cast<int>(i), static_cast<int>(j)), mean, 1e-12);
        }
    }
}

TEST(SegmentTables, OfAnyValuesAgreeWithSumsOverPeople) {
  const auto census = random_census(4, {.people = 80, .clusters = 3, .values = 8});
  const auto tables = census.tables();
  const std::vector<int> order = {5, 2, 7, 0, 1, 6, 3, 4};
  const auto reordered = tables.reordered(order);
  for (const std::vector<int>& values : {std::vector{0, 1, 2, 5, 7}, {3}, {1, 2, 3, 4}, {0, 2, 4, 6}}) {
    RandomCensus some = census;
    std::erase_if(some.people, [&](const auto& person) {
      return std::ranges::find(values, person.value) == values.end();
    });
    const auto group = tables.group(values);
    EXPECT_NEAR(group.joint.sum() * 80, static_cast<double>(some.people.size()), 1e-12);
    for (std::size_t i = 0; i < group.clusters.size(); ++i)
      for (std::size_t j = 0; j < group.clusters.size(); ++j)
        EXPECT_NEAR(group.distance(static_cast<int>(i), static_cast<int>(j)),
                    some.mean_distance(0, 8, group.clusters[i], group.clusters[j]), 1e-11);
  }
  for (int first = 0; first < 8; ++first)
    for (int end = first + 1; end <= 8; ++end) {
      std::vector<int> values(order.begin() + first, order.begin() + end);
      std::ranges::sort(values);
      const auto segment = reordered.segment(first, end), group = tables.group(values);
      EXPECT_EQ(segment.clusters, group.clusters);
      EXPECT_TRUE(segment.distance.isApprox(group.distance, 1e-10));
      EXPECT_EQ(reordered.distinct_values(first, end), end - first);
    }
}

TEST(SegmentTables, LeaveOutClustersThatAreEmptyInTheSegment) {
  const SegmentTables tables(MatrixXd{{2, 0, 1}, {0, 3, 0}}, VectorXd::Ones(3), MatrixXd::Ones(6, 6));
  EXPECT_EQ(tables.segment(0, 1).clusters, std::vector<int>{0});
  EXPECT_EQ(tables.segment(1, 2).clusters, std::vector<int>{1});
  EXPECT_EQ(tables.segment(0, 2).clusters, (std::vector<int>{0, 1}));
}

TEST(SegmentTables, PartitionsBecomeChannelProblems) {
  const auto tables = random_census(2, {.people = 50, .clusters = 3, .values = 6}).tables();
  const auto [problem, clusters] = problem_of(tables, {{0, 2, 6}});
  ASSERT_EQ(problem.joints.size(), 2u);
  EXPECT_EQ(problem.joints[1], tables.segment(2, 6).joint);
  EXPECT_EQ(clusters[0], tables.segment(0, 2).clusters);
  EXPECT_NEAR(problem.joints[0].sum() + problem.joints[1].sum(), 1, 1e-12);
}

TEST(SegmentTables, RefuseTablesThatDoNotFit) {
  EXPECT_THROW(SegmentTables(MatrixXd::Ones(2, 2), VectorXd::Ones(2), MatrixXd::Ones(3, 3)), InputError);
  EXPECT_THROW(SegmentTables(MatrixXd::Ones(2, 2), VectorXd::Ones(3), MatrixXd::Ones(4, 4)), InputError);
  EXPECT_THROW(SegmentTables(MatrixXd::Zero(2, 2), VectorXd::Ones(2), MatrixXd::Ones(4, 4)), InputError);
}

}  // namespace
}  // namespace hyobscure::solve
