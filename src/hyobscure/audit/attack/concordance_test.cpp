#include "hyobscure/audit/attack/concordance.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace hyobscure::audit {
namespace {

/// Of pairs of different truths, those in order; each person counts so often.
double share_in_order(const std::vector<double>& scores, const std::vector<std::uint32_t>& truths,
                      const std::vector<double>& weights) {
  double won = 0, all = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (truths[a] <= truths[b]) continue;
      const double weight = weights[a] * weights[b];
      won += weight * (scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0);
      all += weight;
    }
  return won / all;
}

TEST(Concordance, AndItsInfluencesAreThoseOfTheDefinition) {
  std::mt19937 random(1);
  for (const unsigned values : {2U, 5U, 40U}) {
    std::vector<double> scores, weights(60, 1);
    std::vector<std::uint32_t> truths, people(60);
    std::iota(people.begin(), people.end(), 0U);
    for (int n = 0; n < 60; ++n) {
      truths.push_back(static_cast<std::uint32_t>(random() % values) * 3);
      scores.push_back(static_cast<double>(truths.back() + random() % 9) / 2);
    }
    const TrialFigure found = concordance(people, scores, truths);
    EXPECT_NEAR(found.value, share_in_order(scores, truths, weights), 1e-12);
    double sum = 0;
    for (std::size_t u = 0; u < 60; ++u) {
      constexpr double kStep = 1e-6;
      std::vector<double> more = weights, less = weights;
      more[u] += kStep;
      less[u] -= kStep;
      const double slope =
          (share_in_order(scores, truths, more) - share_in_order(scores, truths, less)) / (2 * kStep);
      EXPECT_NEAR(found.influences[u], slope, 1e-8);
      sum += found.influences[u];
    }
    EXPECT_NEAR(sum, 0, 1e-12);
  }
}

TEST(Concordance, IsOneHalfWhereThereIsNoOrder) {
  const std::vector<std::uint32_t> people = {4, 7, 9};
  EXPECT_EQ(concordance(people, std::vector<double>{1, 2, 3}, std::vector<std::uint32_t>{5, 5, 5}).value,
            0.5);
  EXPECT_EQ(concordance(people, std::vector<double>{2, 2, 2}, std::vector<std::uint32_t>{1, 5, 6}).value,
            0.5);
  EXPECT_EQ(concordance(people, std::vector<double>{1, 2, 3}, std::vector<std::uint32_t>{1, 5, 6}).value, 1);
}

}  // namespace
}  // namespace hyobscure::audit
