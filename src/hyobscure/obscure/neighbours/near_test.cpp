#include "hyobscure/obscure/neighbours/near.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace hyobscure::obscure {
namespace {

std::vector<double> probabilities_of(const NearDraw& draw, const std::vector<float>& distances,
                                     std::size_t self) {
  std::vector<double> probabilities(distances.size());
  near_probabilities(draw, distances, self, probabilities);
  return probabilities;
}

TEST(Near, DecayGivesEachExpOfItsDistanceOneselfIncluded) {
  const auto p = probabilities_of({.decay = 2}, {0.0F, 0.5F, 1.0F}, 0);
  EXPECT_NEAR(p[0] / p[1], std::exp(1.0), 1e-12);
  EXPECT_NEAR(p[1] / p[2], std::exp(1.0), 1e-12);
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
  EXPECT_GT(p[0], 0) << "oneself is among the donors";
}

TEST(Near, SimilarityIsOneLessTheDistanceOneselfExcluded) {
  const auto p = probabilities_of({}, {0.25F, 0.0F, 0.75F, 1.0F}, 1);
  EXPECT_EQ(p[1], 0);
  EXPECT_NEAR(p[0], 0.75, 1e-12);
  EXPECT_NEAR(p[2], 0.25, 1e-12);
  EXPECT_EQ(p[3], 0);
}

TEST(Near, NobodySimilarMeansAnyoneElseAndNobodyElseMeansOneself) {
  const auto p = probabilities_of({}, {1.0F, 1.0F, 0.0F}, 2);
  EXPECT_EQ(p, (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(probabilities_of({}, {0.0F}, 0), std::vector<double>{1});
  // So much decay that every weight is 0 in a double.
  EXPECT_EQ(probabilities_of({.decay = 1e6}, {1.0F, 1.0F, 1.0F}, 0), (std::vector<double>{0, 0.5, 0.5}));
}

}  // namespace
}  // namespace hyobscure::obscure
