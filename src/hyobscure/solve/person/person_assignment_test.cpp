#include "hyobscure/solve/person/person_assignment.h"

#include <gtest/gtest.h>

#include <random>

#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

TEST(PersonAssignment, IsTheCheapestPermutationAndItsPricesProveIt) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 rng(seed);
    std::uniform_int_distribution<int> cost_of(0, 9);  // with ties
    const Eigen::Index people = 1 + static_cast<Eigen::Index>(seed % 7);
    const Eigen::MatrixXd cost = Eigen::MatrixXd::NullaryExpr(people, people, [&] { return cost_of(rng); });
    const Assignment assignment = cheapest_assignment(cost);
    double sum = 0;
    for (Eigen::Index u = 0; u < people; ++u) sum += cost(u, assignment.donors[static_cast<std::size_t>(u)]);
    EXPECT_DOUBLE_EQ(sum, cheapest_permutation(cost));
    EXPECT_NEAR(assignment.person_prices.sum() + assignment.donor_prices.sum(), sum, 1e-12);
    for (Eigen::Index u = 0; u < people; ++u)
      for (Eigen::Index j = 0; j < people; ++j)
        EXPECT_LE(assignment.person_prices(u) + assignment.donor_prices(j), cost(u, j) + 1e-12);
  }
}

TEST(PersonAssignment, PricesProveLargeOnesToo) {
  // Too large to enumerate: feasible prices whose sum is the cost leave nothing cheaper.
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Eigen::MatrixXd cost = Eigen::MatrixXd::NullaryExpr(80, 80, [&] { return uniform(rng); });
  const Assignment assignment = cheapest_assignment(cost);
  double sum = 0;
  std::vector<int> used(80, 0);
  for (Eigen::Index u = 0; u < 80; ++u) {
    const std::uint32_t donor = assignment.donors[static_cast<std::size_t>(u)];
    sum += cost(u, donor);
    ++used[donor];
  }
  EXPECT_EQ(std::ranges::count(used, 1), 80);
  const Eigen::MatrixXd prices =
      assignment.person_prices.replicate(1, 80) + assignment.donor_prices.transpose().replicate(80, 1);
  EXPECT_GE((cost - prices).minCoeff(), -1e-12);
  EXPECT_NEAR(assignment.person_prices.sum() + assignment.donor_prices.sum(), sum, 1e-11);
}

TEST(PersonAssignment, OfEqualCostsIsAnyPermutation) {
  const Assignment assignment = cheapest_assignment(Eigen::MatrixXd::Constant(5, 5, 0.5));
  std::vector<std::uint32_t> donors = assignment.donors;
  std::ranges::sort(donors);
  EXPECT_EQ(donors, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(assignment.person_prices.sum() + assignment.donor_prices.sum(), 2.5);
}

}  // namespace
}  // namespace hyobscure::solve
