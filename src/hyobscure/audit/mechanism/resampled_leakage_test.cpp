#include "hyobscure/audit/mechanism/resampled_leakage.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/base/parallel.h"
#include "hyobscure/base/test_folder.h"
#include "hyobscure/census/kmeans.h"
#include "hyobscure/data/read/read.h"
#include "hyobscure/data/synth/synth.h"
#include "hyobscure/obscure/fit/fit.h"

namespace hyobscure::audit {
namespace {

/// 300 synthetic people and what a method makes of them.
class ResampledLeakageTest : public testing::Test {
 protected:
  void fit(const std::string& method) {
    data::synthesise({.people = 300, .dependence = 0.9, .items = 40, .entries = 15}, folder_ / method, false);
    const data::Spec spec =
        data::read_spec(folder_ / method / "spec.toml", {{"method.seed", "3"},
                                                         {"method.name", method},
                                                         {"channel.clusters", "4"},
                                                         {"channel.budget_share", "0.5"}});
    data::Engine engine({.folder = spec.folder}, {});
    people_ = data::read_people(engine, spec).people;
    mechanism_ = obscure::fit(people_, spec);
    clusters_ = census::assign(mechanism_.clusters, people_.features);
  }
  ResampledLeakage found() const {
    return resampled_leakage(obscure::Signals(mechanism_, people_, clusters_), people_, Key::from_seed(1));
  }

  TestFolder folder_;
  data::People people_;
  obscure::Mechanism mechanism_;
  std::vector<std::uint32_t> clusters_;
};

TEST_F(ResampledLeakageTest, OfThePeopleCountedIsThatOfTheMechanism) {
  for (const std::string method : {"xobf", "fine", "random"}) {
    fit(method);
    const ResampledLeakage leakage = found();
    EXPECT_NEAR(leakage.bits, mechanism_.figures.leakage.total, 1e-9) << method;
    EXPECT_LT(leakage.low, leakage.bits);
    EXPECT_GT(leakage.high, leakage.bits);
    EXPECT_LE(leakage.as_it_is_low, leakage.as_it_is_median);
    EXPECT_LE(leakage.as_it_is_median, leakage.as_it_is_high);
  }
}

/// Where everybody publishes the own row, the release tells the secret, of any people: its entropy.
TEST_F(ResampledLeakageTest, OfOwnRowsIsTheEntropyOfTheSecretOfWhoeverIsDrawn) {
  fit("xobf");
  for (obscure::Channel& channel : mechanism_.channels) channel.retain = 1;
  std::vector<double> people_of(people_.values.size(), 0);
  for (const std::uint32_t secret : people_.secrets) people_of[secret] += 1;
  // The bootstrap of a plug-in entropy is below it by about (values - 1) / (2 people ln 2), and as wide as
  // the deviation of -log2 p over the square root of people.
  double entropy = 0, square = 0;
  for (const double count : people_of) {
    const double p = count / 300;
    entropy -= p > 0 ? p * std::log2(p) : 0;
    square += p > 0 ? p * std::log2(p) * std::log2(p) : 0;
  }
  const double below = static_cast<double>(people_.values.size() - 1) / (600 * std::log(2.0));
  const double half = 1.96 * std::sqrt((square - entropy * entropy) / 300);
  const ResampledLeakage leakage = found();
  EXPECT_NEAR(leakage.bits, entropy, 1e-9);
  EXPECT_NEAR(leakage.as_it_is_median, entropy - below, 0.5 * below);
  EXPECT_NEAR((leakage.high - leakage.low) / 2, half, 0.3 * half);
}

TEST_F(ResampledLeakageTest, IsTheSameForAnyNumberOfThreads) {
  fit("fine");
  const ResampledLeakage all = found();
  const ThreadLimit one(1);
  const ResampledLeakage alone = found();
  EXPECT_EQ(all.low, alone.low);
  EXPECT_EQ(all.as_it_is_high, alone.as_it_is_high);
}

}  // namespace
}  // namespace hyobscure::audit
