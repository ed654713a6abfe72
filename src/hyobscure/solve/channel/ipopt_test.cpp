#include <gtest/gtest.h>

#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/channel/test_problems.h"

#ifdef HYOBSCURE_HAS_IPOPT
#include "hyobscure/solve/channel/test_ipopt_oracle.h"
#endif

namespace hyobscure::solve {
namespace {

class IpoptOracle : public testing::TestWithParam<unsigned> {};

TEST_P(IpoptOracle, FindsTheSameLeakage) {
#ifdef HYOBSCURE_HAS_IPOPT
  const auto problem = random_problem(GetParam(), {.clusters = 7, .values = 4});
  const double budget = budget_at(problem, 0.15 * (GetParam() % 6 + 1));
  const IpoptAnswer other = solve_with_ipopt(problem.joints[0], problem.distances[0], budget);
  ASSERT_TRUE(other.solved);
  const double leakage = group_leakage(problem.joints[0], other.channel);
  const ChannelInfo info = solve_with_budget(problem, budget).info;
  EXPECT_NEAR(info.leakage_nats, leakage, 1e-6);
  EXPECT_LE(info.lower_bound_nats, leakage + 1e-8);  // Ipopt meets the budget up to its own tolerance
#else
  GTEST_SKIP() << "Ipopt was not found when the tests were configured: install coinor-libipopt-dev";
#endif
}

INSTANTIATE_TEST_SUITE_P(Seeds, IpoptOracle, testing::Range(40u, 45u));

}  // namespace
}  // namespace hyobscure::solve
