#include "hyobscure/audit/utility/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace hyobscure::audit {
namespace {

// The definition, for one order of the items.
double precision_of_order(const std::vector<std::size_t>& order, const std::vector<char>& relevant) {
  double sum = 0, found = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (relevant[order[place]] == 0) continue;
    found += 1;
    sum += found / static_cast<double>(place + 1);
  }
  return sum / found;
}

// The mean over all orders in which scores descend.
double precision_by_all_orders(const std::vector<double>& scores, const std::vector<char>& relevant) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double sum = 0, orders = 0;
  do {
    const bool descends = std::is_sorted(order.begin(), order.end(),
                                         [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    if (!descends) continue;
    sum += precision_of_order(order, relevant);
    orders += 1;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum / orders;
}

double area_by_pairs(const std::vector<double>& scores, const std::vector<char>& positive) {
  double won = 0, pairs = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (positive[a] == 0 || positive[b] != 0) continue;
      pairs += 1;
      won += scores[a] > scores[b] ? 1 : scores[a] == scores[b] ? 0.5 : 0;
    }
  return won / pairs;
}

TEST(AveragePrecision, IsTheMeanOverAllOrdersOfEqualScores) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<double> scores;
    std::vector<char> relevant;
    for (int i = 0; i < 7; ++i) {
      scores.push_back(static_cast<double>(random() % 4) - 1);
      relevant.push_back(i == 0 || random() % 2 == 0 ? 1 : 0);
    }
    EXPECT_NEAR(average_precision(scores, relevant), precision_by_all_orders(scores, relevant), 1e-12);
  }
}

TEST(AveragePrecision, HasKnownAnswers) {
  const std::vector<double> descending = {5, 4, 3, 2};
  EXPECT_EQ(average_precision(descending, std::vector<char>{1, 1, 0, 0}), 1);
  EXPECT_EQ(average_precision(descending, std::vector<char>{0, 0, 0, 1}), 0.25);
  EXPECT_EQ(average_precision(descending, std::vector<char>{1, 0, 0, 1}), 0.75);
  EXPECT_EQ(average_precision(std::vector<double>{7}, std::vector<char>{1}), 1);
}

TEST(AreaUnderCurve, IsTheShareOfPairsInOrder) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> scores;
    std::vector<char> positive = {1, 0};
    for (std::size_t i = 0; i < 2 + random() % 40; ++i)
      scores.push_back(static_cast<double>(random() % 6) - 2);
    while (positive.size() < scores.size()) positive.push_back(random() % 3 == 0 ? 1 : 0);
    EXPECT_NEAR(area_under_curve(scores, positive), area_by_pairs(scores, positive), 1e-14);
  }
}

TEST(AreaUnderCurve, HasKnownAnswers) {
  const std::vector<char> positive = {0, 1, 0, 1};
  EXPECT_EQ(area_under_curve(std::vector<double>{1, 2, 1, 3}, positive), 1);
  EXPECT_EQ(area_under_curve(std::vector<double>{3, 2, 3, 1}, positive), 0);
  EXPECT_EQ(area_under_curve(std::vector<double>{4, 4, 4, 4}, positive), 0.5);
}

TEST(SharesOfWonPairs, AreCountedPairByPairAndHaveTheAreaAsMeanOfBothKinds) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> scores;
    std::vector<char> positive = {1, 0};
    for (std::size_t i = 0; i < 2 + random() % 30; ++i) scores.push_back(static_cast<double>(random() % 6));
    while (positive.size() < scores.size()) positive.push_back(random() % 3 == 0 ? 1 : 0);
    const std::vector<double> shares = shares_of_won_pairs(scores, positive);
    double sums[2] = {0, 0}, counts[2] = {0, 0};
    for (std::size_t a = 0; a < scores.size(); ++a) {
      double won = 0, others = 0;
      for (std::size_t b = 0; b < scores.size(); ++b) {
        if (positive[a] == positive[b]) continue;
        const double up = positive[a] != 0 ? scores[a] - scores[b] : scores[b] - scores[a];
        won += up > 0 ? 1 : up == 0 ? 0.5 : 0;
        others += 1;
      }
      EXPECT_NEAR(shares[a], won / others, 1e-14);
      sums[static_cast<std::size_t>(positive[a])] += shares[a];
      counts[static_cast<std::size_t>(positive[a])] += 1;
    }
    for (const std::size_t kind : {0, 1})
      EXPECT_NEAR(sums[kind] / counts[kind], area_under_curve(scores, positive), 1e-12);
  }
}

}  // namespace
}  // namespace hyobscure::audit
