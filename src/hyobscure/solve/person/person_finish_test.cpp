#include "hyobscure/solve/person/person_finish.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

std::vector<float> floats_of(const Support& support, const Eigen::MatrixXd& channel) {
  std::vector<float> values;
  for (std::size_t u = 0; u < support.people_count(); ++u)
    for (std::size_t pair = support.starts[u]; pair < support.starts[u + 1]; ++pair)
      values.push_back(static_cast<float>(channel(at(u), support.donors[pair])));
  return values;
}

TEST(PersonFinish, AccountsAreThoseOfTheDefinition) {
  for (const PersonTerms& terms : terms_of_all_kinds()) {
    SCOPED_TRACE(name_of(terms));
    const OwnedPool owned = pool_with_model(1, 12, 3);
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1, .tolerance = 1e-3};
    const Support support = support_of_all_pairs(task);
    std::mt19937 rng(2);
    const SparseChannel channel =
        finish_channel(task, support, floats_of(support, channel_within(task, rng)));
    const Eigen::MatrixXd full = dense(channel);
    EXPECT_LE((full.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    if (terms.balanced) {
      EXPECT_LE((full.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
    }
    const double distance = distance_of_channel(owned.pool, support, channel);
    EXPECT_NEAR(distance, full.cwiseProduct(owned.distance).sum(), 1e-12);
    EXPECT_NEAR(leakage_of_channel(task, channel) + distance, value_by_definition(task, owned.distance, full),
                1e-11);
  }
}

TEST(PersonFinish, LeavesOutWhatDoesNotMatterButNeverAWholeRow) {
  const OwnedPool owned = solve::random_pool(3, 4, 2);
  const PersonTerms terms{.balanced = false};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1, .tolerance = 4e-6};
  const Support support = support_of_all_pairs(task);
  const Eigen::MatrixXd values = (Eigen::MatrixXd(4, 4) << 0.5, 0.5, 1e-8, 1e-9,  //
                                  1, 1e-30, 1e-30, 1e-30,                         //
                                  2e-7, 0.4, 0.6, 1e-30,                          //
                                  1e-9, 1e-9, 1e-9, 1e-9)
                                     .finished();
  const Eigen::MatrixXd result = dense(finish_channel(task, support, floats_of(support, values)));
  const Eigen::MatrixXi kept = (result.array() > 0).cast<int>();
  EXPECT_EQ(kept, (Eigen::MatrixXi(4, 4) << 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1).finished());
  // with a tolerance of 1e-3, 2e-7 does not matter either
  const PoolTask rough{.pool = owned.pool, .terms = terms, .multiplier = 1, .tolerance = 4e-3};
  EXPECT_EQ(dense(finish_channel(rough, support, floats_of(support, values)))(2, 0), 0);
}

TEST(PersonFinish, RepairsColumnsThatNoScalingOfItsPatternReaches) {
  // Everybody takes donor 0 or 1 almost surely: columns 2 .. 5 have next to nothing.
  const OwnedPool owned = solve::random_pool(4, 6, 2);
  const PersonTerms terms{.balanced = true, .self_donor = true};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1, .tolerance = 1e-3};
  const Support support = support_of_all_pairs(task);
  Eigen::MatrixXd values = Eigen::MatrixXd::Constant(6, 6, 1e-30);
  for (Eigen::Index u = 0; u < 6; ++u) values(u, u == 0 ? 1 : 0) = 1;
  const Eigen::MatrixXd result = dense(finish_channel(task, support, floats_of(support, values)));
  EXPECT_LE((result.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_LE((result.colwise().sum().array() - 1).abs().maxCoeff(), 1e-9);
  EXPECT_GE(result.minCoeff(), 0);
}

}  // namespace
}  // namespace hyobscure::solve
