#include "hyobscure/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "hyobscure/base/error.h"

namespace hyobscure {
namespace {

TEST(Key, SystemKeysDiffer) { EXPECT_NE(Key::from_system(), Key::from_system()); }

TEST(Key, SeedsAndPurposesGiveDifferentKeysAndTheSameOneAgain) {
  std::set<std::string> keys;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    keys.insert(Key::from_seed(seed).text());
    keys.insert(Key::from_seed(seed).derive("draws").text());
  }
  EXPECT_EQ(keys.size(), 200u);
  EXPECT_EQ(Key::from_seed(7), Key::from_seed(7));
}

TEST(Key, SurvivesBeingWrittenDown) {
  const Key key = Key::from_system();
  EXPECT_EQ(Key::from_text(key.text()), key);
}

TEST(Key, RefusesTextThatIsNoKey) {
  EXPECT_THROW((void)Key::from_text("abc"), InputError);
  EXPECT_THROW((void)Key::from_text(std::string(64, 'g')), InputError);
  EXPECT_THROW((void)Key::from_text(std::string(66, 'a')), InputError);
}

TEST(NamedDraws, DependOnTheKeyAndTheNameOnly) {
  const NamedDraws draws(Key::from_seed(1));
  const auto again = NamedDraws(Key::from_seed(1)).bits("ann");
  EXPECT_EQ(draws.bits("ann").first, again.first);
  EXPECT_EQ(draws.bits("ann").second, again.second);
  EXPECT_NE(draws.bits("ann").first, draws.bits("anna").first);
  EXPECT_NE(draws.bits("ann").first, NamedDraws(Key::from_seed(2)).bits("ann").first);
}

// A published release must be reproducible by later versions: these bits may never change.
TEST(NamedDraws, AreFixedForAllTime) {
  const auto bits = NamedDraws(Key::from_seed(1)).bits("ann");
  const auto stream = RandomStream(Key::from_seed(1))();
  EXPECT_EQ(bits.first, 8097658332506248969ull);
  EXPECT_EQ(bits.second, 936710402313020519ull);
  EXPECT_EQ(stream, 2414859661068389325ull);
}

// Chi-squared over 64 bins, 63 degrees of freedom: above 125.6 with probability 1e-5. The seed is fixed, so a
// failure means a change, not bad luck.
double chi_squared(const std::vector<int>& bins, double expected) {
  double sum = 0;
  for (const int count : bins) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(RandomStream, FillsTheUnitIntervalEvenly) {
  RandomStream stream(Key::from_seed(3));
  std::vector<int> uniform(64, 0), below(64, 0);
  for (int i = 0; i < 64'000; ++i) {
    uniform[static_cast<std::size_t>(stream.uniform() * 64)] += 1;
    below[stream.below(64)] += 1;
  }
  EXPECT_LT(chi_squared(uniform, 1000), 125.6);
  EXPECT_LT(chi_squared(below, 1000), 125.6);
}

TEST(RandomStream, NormalsHaveMeanZeroAndDeviationOne) {
  RandomStream stream(Key::from_seed(4));
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = stream.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));  // five standard errors: odds 6e-7
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
}

TEST(RandomStream, ScaleBelowReachesBothEndsAndNeverTheLimit) {
  EXPECT_EQ(scale_below(0, 10), 0u);
  EXPECT_EQ(scale_below(~std::uint64_t{0}, 10), 9u);
  EXPECT_LT(unit_interval(~std::uint64_t{0}), 1.0);
}

}  // namespace
}  // namespace hyobscure
