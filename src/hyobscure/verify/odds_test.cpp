#include "hyobscure/verify/odds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hyobscure::verify {
namespace {

double choose(int n, int k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

// Against the exact tails of the hypergeometric distribution.
TEST(Odds, NoBlockIsMoreSurprisingThanItIsUnlikely) {
  for (const int all : {12, 40})
    for (int marked = 1; marked < all; marked += 3)
      for (int drawn = 1; drawn < all; drawn += 3) {
        const auto probability = [&](int found) {
          if (found > marked || drawn - found > all - marked || found > drawn || found < 0) return 0.0;
          return choose(marked, found) * choose(all - marked, drawn - found) / choose(all, drawn);
        };
        for (int found = 0; found <= std::min(marked, drawn); ++found) {
          if (drawn - found > all - marked) continue;
          double above = 0, below = 0;
          for (int x = 0; x <= drawn; ++x) (x >= found ? above : below) += probability(x);
          below += probability(found);
          const bool many = found * all >= marked * drawn;
          EXPECT_LE(many ? above : below, std::exp(-surprise_in_block(all, marked, drawn, found)) + 1e-12)
              << all << ' ' << marked << ' ' << drawn << ' ' << found;
        }
      }
}

// Against the exact tail of the binomial distribution, p = 0.3.
TEST(Odds, ASumIsFurtherOffThanItsRadiusNoMoreOftenThanStated) {
  constexpr int n = 60;
  constexpr double p = 0.3;
  for (const double odds : {0.1, 0.01, 1e-4}) {
    const double most = p + hoeffding_radius(n, n, odds);
    double above = 0;
    for (int x = 0; x <= n; ++x)
      if (x > most * n) above += choose(n, x) * std::pow(p, x) * std::pow(1 - p, n - x);
    EXPECT_LE(above, odds);
    EXPECT_GT(most, p);
  }
}

TEST(Odds, CoinsThatAreTheSameDoNotDiverge) {
  EXPECT_EQ(coin_divergence(0.4, 0.4), 0);
  EXPECT_NEAR(coin_divergence(1, 0.5), std::log(2), 1e-15);
  EXPECT_NEAR(coin_divergence(0, 0.5), std::log(2), 1e-15);
}

}  // namespace
}  // namespace hyobscure::verify
