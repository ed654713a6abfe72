#include "hyobscure/learn/learned_secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::learn {
namespace {

using data::SparseRows;
using Labels = std::vector<std::uint32_t>;

struct Sample {
  SparseRows features;
  Labels value_of_person;
  Labels group_of_person;
  std::uint32_t values;
};

constexpr std::size_t kItems = 12;

// Values are cut into groups of `values_a_group` neighbours. A person has the item value % 3 with probability
// `signal`, and others at random.
Sample make_sample(unsigned seed, std::size_t people, std::uint32_t values, std::uint32_t values_a_group,
                   double signal) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Sample sample{.features = {}, .value_of_person = {}, .group_of_person = {}, .values = values};
  std::vector<std::vector<double>> dense;
  for (std::size_t u = 0; u < people; ++u) {
    const auto value = static_cast<std::uint32_t>(random() % values);
    std::vector<double> row(kItems, 0);
    for (double& x : row)
      if (unit(random) < 0.3) x = 1 + std::floor(5 * unit(random));
    if (unit(random) < signal)
      for (std::size_t i = 0; i < 3; ++i) row[i] = i == value % 3 ? 5 : 0;
    dense.push_back(row);
    sample.value_of_person.push_back(value);
    sample.group_of_person.push_back(value / values_a_group);
  }
  sample.features = census::sparse(dense);
  return sample;
}

LearnedSecret learn(const Sample& sample, const LearnSettings& settings = {}) {
  return learn_secret(sample.features, sample.value_of_person, sample.values, sample.group_of_person,
                      settings, Key::from_seed(1));
}

TEST(LearnedSecret, FindsAPlantedSignal) {
  // Three values a group, each with its own item for 9 of 10 people: at best H(Y|X) is about 0.7 of 1.58
  // bits.
  const LearnedSecret learned = learn(make_sample(1, 1200, 6, 3, 0.9));
  EXPECT_NEAR(learned.prior_entropy_bits, std::log2(3), 0.02);
  EXPECT_LT(learned.cross_entropy_bits, 0.9);
  EXPECT_EQ(learned.models, 10);
  EXPECT_EQ(learned.people_by_group_only, 0U);
}

TEST(LearnedSecret, WithoutASignalThePosteriorStaysNearThePrior) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const LearnedSecret learned = learn(make_sample(seed, 900, 6, 3, 0));
    // Below the prior by chance: the mean log-loss of 900 people deviates by some 0.01 bits, 0.05 is five
    // times that. Above it by overfitting: the held-out people stop the boosting.
    EXPECT_GT(learned.cross_entropy_bits, learned.prior_entropy_bits - 0.05);
    EXPECT_LT(learned.cross_entropy_bits, learned.prior_entropy_bits + 0.1);
  }
}

TEST(LearnedSecret, RowsAreDistributionsOverTheValuesOfTheGroup) {
  const Sample sample = make_sample(3, 600, 8, 4, 0.5);
  const LearnedSecret learned = learn(sample, {.rounds = 10});
  ASSERT_EQ(learned.posterior.rows(), 600);
  ASSERT_EQ(learned.posterior.cols(), 8);
  for (Eigen::Index u = 0; u < 600; ++u) {
    EXPECT_NEAR(learned.posterior.row(u).sum(), 1, 1e-5);
    for (Eigen::Index v = 0; v < 8; ++v) {
      const bool inside = v / 4 == sample.group_of_person[static_cast<std::size_t>(u)];
      if (inside)
        EXPECT_GE(learned.posterior(u, v), 0.99 * kLeastProbability);
      else
        EXPECT_EQ(learned.posterior(u, v), 0);
    }
  }
}

TEST(LearnedSecret, CrossEntropyIsTheMeanLogLossOfThePosterior) {
  const Sample sample = make_sample(4, 300, 4, 2, 0.7);
  const LearnedSecret learned = learn(sample, {.rounds = 10});
  double bits = 0;
  for (std::size_t u = 0; u < 300; ++u)
    bits -= std::log2(learned.posterior(static_cast<Eigen::Index>(u), sample.value_of_person[u])) / 300;
  EXPECT_NEAR(learned.cross_entropy_bits, bits, 1e-5);
}

TEST(LearnedSecret, OnesOwnValueDoesNotEnterOnesOwnPosterior) {
  const Sample sample = make_sample(5, 300, 4, 4, 0.8);
  const LearnedSecret before = learn(sample, {.rounds = 15});
  for (const std::uint32_t u : {0U, 7U, 123U}) {
    Sample flipped = sample;
    flipped.value_of_person[u] = (flipped.value_of_person[u] + 1) % 4;
    const LearnedSecret after = learn(flipped, {.rounds = 15});
    EXPECT_EQ(after.posterior.row(u), before.posterior.row(u)) << "person " << u;
    // The value does enter the models of other people, otherwise this test would see nothing.
    EXPECT_NE(after.posterior, before.posterior);
  }
}

TEST(LearnedSecret, OnesOwnValueStaysOutWhereValuesAreJoined) {
  const Sample sample = make_sample(6, 400, 40, 40, 0.8);
  const LearnSettings settings{.rounds = 8, .most_classes = 5};
  const LearnedSecret before = learn(sample, settings);
  Sample flipped = sample;
  flipped.value_of_person[11] = (flipped.value_of_person[11] + 20) % 40;
  EXPECT_EQ(learn(flipped, settings).posterior.row(11), before.posterior.row(11));
}

TEST(LearnedSecret, JoinedValuesShareTheirClassByFrequency) {
  // One item tells the lower half of 40 values from the upper; inside a half nothing is known.
  std::mt19937 random(7);
  Sample sample{.features = {}, .value_of_person = {}, .group_of_person = {}, .values = 40};
  std::vector<std::vector<double>> dense;
  for (std::size_t u = 0; u < 1000; ++u) {
    const auto value = static_cast<std::uint32_t>(std::min(random() % 40, random() % 40));
    dense.push_back({value < 12 ? 1.0 : 0.0, 1.0, static_cast<double>(random() % 3)});
    sample.value_of_person.push_back(value);
    sample.group_of_person.push_back(0);
  }
  sample.features = census::sparse(dense);
  const LearnedSecret learned = learn(sample, {.most_classes = 4});
  const auto sum_below = [&](Eigen::Index u) { return learned.posterior.row(u).head(12).sum(); };
  double right = 0;
  for (Eigen::Index u = 0; u < 1000; ++u)
    right += (sum_below(u) > 0.5F) == (sample.value_of_person[static_cast<std::size_t>(u)] < 12) ? 1 : 0;
  EXPECT_GT(right, 900);
  EXPECT_LT(learned.cross_entropy_bits, learned.prior_entropy_bits - 0.5);
  // Value 0 is about 1.9 times as frequent as value 20; both are somewhere inside a class.
  EXPECT_GT(learned.posterior.col(0).sum(), learned.posterior.col(20).sum());
}

TEST(LearnedSecret, GroupsTooSmallToLearnFromGetTheirDistribution) {
  Sample sample = make_sample(8, 400, 4, 4, 0.8);
  for (std::size_t u = 0; u < 40; ++u) sample.group_of_person[u] = 1;
  for (std::size_t u = 40; u < 120; ++u) {  // large enough, but of one value
    sample.group_of_person[u] = 3;
    sample.value_of_person[u] = 2;
  }
  const LearnedSecret learned = learn(sample, {.rounds = 5});
  EXPECT_EQ(learned.people_by_group_only, 120U);
  EXPECT_EQ(learned.models, 5);
  double zeros = 0;
  for (std::size_t u = 0; u < 40; ++u) zeros += sample.value_of_person[u] == 0 ? 1 : 0;
  for (Eigen::Index u = 0; u < 40; ++u) EXPECT_NEAR(learned.posterior(u, 0), zeros / 40, 1e-6);
  for (Eigen::Index u = 40; u < 120; ++u) EXPECT_EQ(learned.posterior(u, 2), 1);
}

TEST(LearnedSecret, ThreadsDoNotChangeTheResult) {
  const Sample sample = make_sample(9, 500, 6, 3, 0.6);
  LearnedSecret by_threads[2];
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    by_threads[threads - 1] = learn(sample, {.rounds = 15});
  }
  EXPECT_EQ(by_threads[0].posterior, by_threads[1].posterior);
  EXPECT_EQ(by_threads[0].cross_entropy_bits, by_threads[1].cross_entropy_bits);
}

TEST(LearnedSecret, RefusesSettingsOutOfRange) {
  const Sample sample = make_sample(10, 60, 4, 4, 0.5);
  for (const LearnSettings& settings :
       {LearnSettings{.folds = 1}, LearnSettings{.rounds = 0}, LearnSettings{.depth = 0},
        LearnSettings{.rate = 0}, LearnSettings{.most_classes = 1}})
    EXPECT_THROW((void)learn(sample, settings), InputError);
}

TEST(LearnedSecret, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const Sample sample = make_sample(11, 200, 4, 4, 0.5);
  EXPECT_THROW((void)learn_secret(sample.features, sample.value_of_person, sample.values,
                                  sample.group_of_person, {}, Key::from_seed(1), Progress({}, &stop)),
               Stopped);
}

}  // namespace
}  // namespace hyobscure::learn
