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

/// With the posteriors written out, people x values.
struct Learned : LearnedSecret {
  Eigen::MatrixXd table;
};

Learned learn(const Sample& sample, const LearnSettings& settings = {}) {
  Learned learned{learn_secret(sample.features, sample.value_of_person, sample.values, sample.group_of_person,
                               settings, Key::from_seed(1)),
                  {}};
  learned.table.resize(static_cast<Eigen::Index>(sample.features.size()), sample.values);
  for (std::size_t u = 0; u < sample.features.size(); ++u)
    for (std::uint32_t v = 0; v < sample.values; ++v)
      learned.table(static_cast<Eigen::Index>(u), v) = learned.posterior(u, v);
  return learned;
}

TEST(LearnedSecret, FindsAPlantedSignal) {
  // Three values a group, each with its own item for 9 of 10 people: at best H(Y|X) is about 0.7 of 1.58
  // bits.
  const Learned learned = learn(make_sample(1, 1200, 6, 3, 0.9));
  EXPECT_NEAR(learned.prior_entropy_bits, std::log2(3), 0.02);
  EXPECT_LT(learned.cross_entropy_bits, 0.9);
  EXPECT_EQ(learned.models, 10);
  EXPECT_EQ(learned.people_by_group_only, 0U);
}

TEST(LearnedSecret, WithoutASignalThePosteriorStaysNearThePrior) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Learned learned = learn(make_sample(seed, 900, 6, 3, 0));
    // Below the prior by chance: the mean log-loss of 900 people deviates by some 0.01 bits, 0.05 is five
    // times that. Above it by overfitting: the held-out people stop the boosting.
    EXPECT_GT(learned.cross_entropy_bits, learned.prior_entropy_bits - 0.05);
    EXPECT_LT(learned.cross_entropy_bits, learned.prior_entropy_bits + 0.1);
  }
}

TEST(LearnedSecret, RowsAreDistributionsOverTheValuesOfTheGroup) {
  const Sample sample = make_sample(3, 600, 8, 4, 0.5);
  const Learned learned = learn(sample, {.rounds = 10});
  ASSERT_EQ(learned.table.rows(), 600);
  ASSERT_EQ(learned.table.cols(), 8);
  for (Eigen::Index u = 0; u < 600; ++u) {
    EXPECT_NEAR(learned.table.row(u).sum(), 1, 1e-5);
    for (Eigen::Index v = 0; v < 8; ++v) {
      const bool inside = v / 4 == sample.group_of_person[static_cast<std::size_t>(u)];
      if (inside)
        EXPECT_GE(learned.table(u, v), 0.1 * kLeastProbability);
      else
        EXPECT_EQ(learned.table(u, v), 0);
    }
  }
}

TEST(LearnedSecret, CrossEntropyIsTheMeanLogLossOfThePosterior) {
  const Sample sample = make_sample(4, 300, 4, 2, 0.7);
  const Learned learned = learn(sample, {.rounds = 10});
  double bits = 0;
  for (std::size_t u = 0; u < 300; ++u)
    bits -= std::log2(learned.table(static_cast<Eigen::Index>(u), sample.value_of_person[u])) / 300;
  EXPECT_NEAR(learned.cross_entropy_bits, bits, 1e-5);
}

TEST(LearnedSecret, OnesOwnValueDoesNotEnterOnesOwnPosterior) {
  const Sample sample = make_sample(5, 300, 4, 4, 0.8);
  const Learned before = learn(sample, {.rounds = 15});
  for (const std::uint32_t u : {0U, 7U, 123U}) {
    Sample flipped = sample;
    flipped.value_of_person[u] = (flipped.value_of_person[u] + 1) % 4;
    const Learned after = learn(flipped, {.rounds = 15});
    EXPECT_EQ(after.table.row(u), before.table.row(u)) << "person " << u;
    // The value does enter the models of other people, otherwise this test would see nothing.
    EXPECT_NE(after.table, before.table);
  }
}

TEST(LearnedSecret, OnesOwnValueStaysOutWhereValuesAreJoined) {
  const Sample sample = make_sample(6, 400, 40, 40, 0.8);
  const LearnSettings settings{.rounds = 8, .most_classes = 5};
  const Learned before = learn(sample, settings);
  Sample flipped = sample;
  flipped.value_of_person[11] = (flipped.value_of_person[11] + 20) % 40;
  EXPECT_EQ(learn(flipped, settings).table.row(11), before.table.row(11));
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
  const Learned learned = learn(sample, {.most_classes = 4});
  const auto sum_below = [&](Eigen::Index u) { return learned.table.row(u).head(12).sum(); };
  double right = 0;
  for (Eigen::Index u = 0; u < 1000; ++u)
    right += (sum_below(u) > 0.5F) == (sample.value_of_person[static_cast<std::size_t>(u)] < 12) ? 1 : 0;
  EXPECT_GT(right, 900);
  EXPECT_LT(learned.cross_entropy_bits, learned.prior_entropy_bits - 0.5);
  // Value 0 is about 1.9 times as frequent as value 20; both are somewhere inside a class.
  EXPECT_GT(learned.table.col(0).sum(), learned.table.col(20).sum());
}

TEST(LearnedSecret, APosteriorIsTheMixtureOfItsProfiles) {
  const Sample sample = make_sample(12, 500, 40, 20, 0.8);
  const Learned learned = learn(sample, {.rounds = 8, .most_classes = 5});
  ASSERT_EQ(learned.weights.cols(), 5);
  for (std::size_t u = 0; u < 500; ++u) {
    const GroupModel& model = learned.groups[sample.group_of_person[u]];
    const Eigen::RowVectorXd whole = learned.posterior(u);
    ASSERT_EQ(whole.size(), static_cast<Eigen::Index>(model.values.size()));
    EXPECT_NEAR(whole.sum(), 1, 1e-6);
    for (std::size_t v = 0; v < model.values.size(); ++v) {
      double mixed = 0;
      for (Eigen::Index k = 0; k < 5; ++k)
        mixed += static_cast<double>(learned.weights(static_cast<Eigen::Index>(u), k)) *
                 model.profiles(learned.block_of_person[u] * 5 + k, static_cast<Eigen::Index>(v));
      EXPECT_NEAR(whole(static_cast<Eigen::Index>(v)), mixed, 1e-12);
      EXPECT_NEAR(learned.posterior(u, model.values[v]), mixed, 1e-12);
    }
  }
}

TEST(LearnedSecret, ASampleOfThePeoplePredictsEverybody) {
  const Sample sample = make_sample(13, 3000, 6, 3, 0.9);
  const Learned learned = learn(sample, {.most_people = 300});
  EXPECT_LT(learned.cross_entropy_bits, 1.1);  // of 1.58; all training people come below 0.9
  // Of 3,000 people, 300 train each model: a value that changes outside of these changes nothing.
  Sample flipped = sample;
  std::size_t same = 0;
  for (const std::size_t u : {5U, 105U, 1005U, 2005U}) {
    flipped = sample;
    flipped.value_of_person[u] = 3 * (sample.value_of_person[u] / 3) + (sample.value_of_person[u] + 1) % 3;
    same += learn(flipped, {.most_people = 300}).weights == learned.weights ? 1 : 0;
  }
  EXPECT_GE(same, 1U);
}

TEST(LearnedSecret, GroupsTooSmallToLearnFromGetTheirDistribution) {
  Sample sample = make_sample(8, 400, 4, 4, 0.8);
  for (std::size_t u = 0; u < 40; ++u) sample.group_of_person[u] = 1;
  for (std::size_t u = 40; u < 120; ++u) {  // large enough, but of one value
    sample.group_of_person[u] = 3;
    sample.value_of_person[u] = 2;
  }
  const Learned learned = learn(sample, {.rounds = 5});
  EXPECT_EQ(learned.people_by_group_only, 120U);
  EXPECT_EQ(learned.models, 5);
  double zeros = 0;
  for (std::size_t u = 0; u < 40; ++u) zeros += sample.value_of_person[u] == 0 ? 1 : 0;
  for (Eigen::Index u = 0; u < 40; ++u) EXPECT_NEAR(learned.table(u, 0), zeros / 40, 1e-6);
  for (Eigen::Index u = 40; u < 120; ++u) EXPECT_EQ(learned.table(u, 2), 1);
}

TEST(LearnedSecret, ThreadsDoNotChangeTheResult) {
  const Sample sample = make_sample(9, 500, 6, 3, 0.6);
  Learned by_threads[2];
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    by_threads[threads - 1] = learn(sample, {.rounds = 15});
  }
  EXPECT_EQ(by_threads[0].table, by_threads[1].table);
  EXPECT_EQ(by_threads[0].cross_entropy_bits, by_threads[1].cross_entropy_bits);
}

TEST(LearnedSecret, RefusesSettingsOutOfRange) {
  const Sample sample = make_sample(10, 60, 4, 4, 0.5);
  for (const LearnSettings& settings :
       {LearnSettings{.folds = 1}, LearnSettings{.rounds = 0}, LearnSettings{.depth = 0},
        LearnSettings{.rate = 0}, LearnSettings{.columns = 0}, LearnSettings{.most_classes = 1},
        LearnSettings{.most_people = 1}, LearnSettings{.folds = 256}})
    EXPECT_THROW((void)learn(sample, settings), InputError);
}

TEST(LearnedSecret, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const Sample sample = make_sample(11, 200, 4, 4, 0.5);
  EXPECT_THROW((void)learn_secret(sample.features, sample.value_of_person, sample.values,
                                  sample.group_of_person, {}, Key::from_seed(1), Progress({}, &stop)),
               Stopped);
}

// Group 2 is too small to learn from.
TEST(LearnedSecret, GroupsAloneJoinToTheSameAnswer) {
  Sample sample = make_sample(11, 700, 9, 3, 0.6);
  int small = 0;
  for (std::uint32_t& group : sample.group_of_person)
    if (group == 2 && ++small > 30) group = 1;
  const LearnSettings settings{.rounds = 8};
  const LearnedSecret whole = learn_secret(sample.features, sample.value_of_person, sample.values,
                                           sample.group_of_person, settings, Key::from_seed(2));
  ASSERT_GT(whole.people_by_group_only, 0U);
  ASSERT_GT(whole.rounds, 0);
  std::vector<LearnedSecret> parts;
  for (std::uint32_t g = 0; g < 3; ++g) {
    SparseRows rows;
    rows.columns = sample.features.columns;
    Labels values, numbers;
    for (std::uint32_t u = 0; u < 700; ++u) {
      if (sample.group_of_person[u] != g) continue;
      rows.append_row(sample.features[u]);
      values.push_back(sample.value_of_person[u]);
      numbers.push_back(u);
    }
    parts.push_back(learn_secret(rows, values, sample.values, Labels(values.size(), 0), settings,
                                 Key::from_seed(2), {}, numbers));
  }
  const LearnedSecret joined = join_learned(parts, sample.value_of_person, sample.group_of_person);
  EXPECT_EQ(joined.weights, whole.weights);
  EXPECT_EQ(joined.block_of_person, whole.block_of_person);
  EXPECT_EQ(joined.group_of_person, whole.group_of_person);
  ASSERT_EQ(joined.groups.size(), whole.groups.size());
  for (std::size_t g = 0; g < whole.groups.size(); ++g) {
    EXPECT_EQ(joined.groups[g].values, whole.groups[g].values);
    EXPECT_EQ(joined.groups[g].profiles, whole.groups[g].profiles);
  }
  EXPECT_EQ(joined.gains, whole.gains);
  EXPECT_EQ(joined.gain_bits, whole.gain_bits);
  EXPECT_EQ(joined.gain_error_bits, whole.gain_error_bits);
  EXPECT_EQ(joined.prior_entropy_bits, whole.prior_entropy_bits);
  EXPECT_EQ(joined.cross_entropy_bits, whole.cross_entropy_bits);
  EXPECT_EQ(joined.mean_rounds, whole.mean_rounds);
  EXPECT_EQ(joined.people_by_group_only, whole.people_by_group_only);
}

}  // namespace
}  // namespace hyobscure::learn
