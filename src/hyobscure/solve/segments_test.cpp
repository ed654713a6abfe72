#include "hyobscure/solve/segments.h"

#include <gtest/gtest.h>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/random_census.h"

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
