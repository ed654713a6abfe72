#include "hyobscure/audit/attack/informed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_channel(std::mt19937& random, Index people) {
  std::gamma_distribution<double> gamma(0.5);
  MatrixXd channel = MatrixXd::NullaryExpr(people, people, [&] { return gamma(random) + 1e-9; });
  for (Index u = 0; u < people; ++u) channel.row(u) /= channel.row(u).sum();
  return channel;
}

// Tries every guess for every signal, person by person.
double enumerated(const MatrixXd& channel, const std::vector<std::uint32_t>& value_of,
                  const std::vector<double>& numbers, bool ordered, bool with_signal) {
  const Index people = channel.rows();
  const auto cost = [&](std::uint32_t guess, std::uint32_t truth) {
    return ordered ? std::abs(numbers[guess] - numbers[truth]) : guess == truth ? 0.0 : 1.0;
  };
  double total = 0;
  for (Index signal = 0; signal < (with_signal ? people : 1); ++signal) {
    double least = INFINITY;
    for (std::uint32_t guess = 0; guess < numbers.size(); ++guess) {
      double sum = 0;
      for (Index u = 0; u < people; ++u)
        sum += (with_signal ? channel(u, signal) : 1) / static_cast<double>(people) *
               cost(guess, value_of[static_cast<std::size_t>(u)]);
      least = std::min(least, sum);
    }
    total += least;
  }
  return total;
}

MatrixXd joint_of(const MatrixXd& channel, const std::vector<std::uint32_t>& value_of, Index values,
                  double share) {
  MatrixXd joint = MatrixXd::Zero(channel.cols(), values);
  for (Index u = 0; u < channel.rows(); ++u)
    joint.col(value_of[static_cast<std::size_t>(u)]) +=
        share / static_cast<double>(channel.rows()) * channel.row(u).transpose();
  return joint;
}

TEST(Informed, EqualsEnumerationOfAllGuesses) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const std::vector<double> numbers = {31, 20, 44, 23};  // need not ascend
    std::vector<SignalTable> pools;
    double error = 0, group_only = 0, wrong = 0, wrong_by_group = 0;
    const bool ordered = trial % 2 == 0;
    for (const double share : {0.3, 0.7}) {
      const MatrixXd channel = random_channel(random, 3 + trial % 3);
      std::vector<std::uint32_t> value_of(static_cast<std::size_t>(channel.rows()));
      for (auto& value : value_of) value = static_cast<std::uint32_t>(random() % 4);
      pools.push_back({joint_of(channel, value_of, 4, share).sparseView()});
      error += share * enumerated(channel, value_of, numbers, ordered, true);
      group_only += share * enumerated(channel, value_of, numbers, ordered, false);
      wrong += share * enumerated(channel, value_of, numbers, false, true);
      wrong_by_group += share * enumerated(channel, value_of, numbers, false, false);
    }
    const InformedErrors found =
        informed_attack(pools, ordered ? std::span<const double>(numbers) : std::span<const double>());
    EXPECT_NEAR(found.error, error, 1e-12);
    EXPECT_NEAR(found.group_only, group_only, 1e-12);
    EXPECT_NEAR(found.named, 1 - wrong, 1e-12);
    EXPECT_NEAR(found.group_only_named, 1 - wrong_by_group, 1e-12);
    EXPECT_GE(found.advantage(), -1e-12);
  }
}

// Every guess that the pool holds, for every signal, person by person.
TEST(Informed, DistanceEqualsEnumerationOfAllGuesses) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Place> places;
    for (int value = 0; value < 5; ++value)
      places.push_back({static_cast<double>(random() % 7), static_cast<double>(random() % 7)});
    std::vector<SignalTable> pools;
    double km = 0, group_only = 0;
    for (const double share : {0.4, 0.6}) {
      const MatrixXd channel = random_channel(random, 4);
      std::vector<std::uint32_t> value_of(4);
      for (auto& value : value_of) value = static_cast<std::uint32_t>(random() % 5);
      pools.push_back({joint_of(channel, value_of, 5, share).sparseView()});
      const auto least = [&](const VectorXd& chance) {
        double best = INFINITY;
        for (const std::uint32_t guess : value_of) {
          double sum = 0;
          for (Index u = 0; u < 4; ++u) {
            const Place &a = places[guess], &b = places[value_of[static_cast<std::size_t>(u)]];
            sum += chance(u) * std::hypot(a.east - b.east, a.north - b.north);
          }
          best = std::min(best, sum);
        }
        return best;
      };
      for (Index signal = 0; signal < 4; ++signal) km += share / 4 * least(channel.col(signal));
      group_only += share / 4 * least(VectorXd::Ones(4));
    }
    const InformedErrors found = informed_attack(pools, {}, places);
    EXPECT_NEAR(found.km, km, 1e-12);
    EXPECT_NEAR(found.group_only_km, group_only, 1e-12);
    EXPECT_TRUE(std::isnan(informed_attack(pools, {}).km));
  }
}

TEST(Informed, KnowsAllFromOnesOwnRowAndNothingFromTheSameRow) {
  const std::vector<std::uint32_t> value_of = {0, 1, 2, 2};
  const std::vector<double> numbers = {18, 20, 30};
  const std::vector<SignalTable> own = {{joint_of(MatrixXd::Identity(4, 4), value_of, 3, 1).sparseView()}};
  EXPECT_EQ(informed_attack(own, numbers).error, 0);
  MatrixXd same = MatrixXd::Zero(4, 4);
  same.col(1).setOnes();
  const std::vector<SignalTable> hidden = {{joint_of(same, value_of, 3, 1).sparseView()}};
  EXPECT_DOUBLE_EQ(informed_attack(hidden, numbers).advantage(), 0);
  EXPECT_DOUBLE_EQ(informed_attack(hidden, {}).error, 0.5);
}

TEST(Informed, RefusesTablesThatAreNoDistribution) {
  const std::vector<double> numbers = {1, 2};
  const auto refused = [&](const MatrixXd& joint) {
    const std::vector<SignalTable> pools = {{joint.sparseView()}};
    EXPECT_THROW((void)informed_attack(pools, numbers), InputError);
  };
  refused(MatrixXd::Constant(2, 2, 0.3));
  refused(MatrixXd{{1.5, -0.5}});
  refused(MatrixXd{{NAN, 0.5}});
  refused(MatrixXd::Constant(2, 3, 1.0 / 6));
  EXPECT_THROW((void)informed_attack({}, numbers), InputError);
}

// --- repeated releases

struct Releases {
  MatrixXd channel;
  std::vector<std::uint32_t> value_of;
  std::vector<double> numbers;

  std::vector<std::uint32_t> draw(int release) const {
    std::mt19937 random(static_cast<unsigned>(1000 + release));
    std::vector<std::uint32_t> donors;
    for (Index u = 0; u < channel.rows(); ++u) {
      const VectorXd row = channel.row(u).transpose();
      std::discrete_distribution<std::uint32_t> donor(row.begin(), row.end());
      donors.push_back(donor(random));
    }
    return donors;
  }
  std::vector<RepeatedErrors> attack(const RepeatedSettings& settings, bool ordered = true) const {
    ReleasedPool pool{.people = std::vector<std::uint32_t>(value_of.size()), .column = {}};
    std::iota(pool.people.begin(), pool.people.end(), 0U);
    pool.column = [&](std::uint32_t donor) -> VectorXd { return channel.col(donor); };
    return repeated_releases(
        value_of, static_cast<std::uint32_t>(numbers.size()),
        ordered ? std::span<const double>(numbers) : std::span<const double>(), {&pool, 1},
        [&](int r) { return draw(r); }, settings, Key::from_seed(1));
  }
};

Releases random_releases(unsigned seed, Index people) {
  std::mt19937 random(seed);
  Releases releases{.channel = random_channel(random, people), .value_of = {}, .numbers = {}};
  for (Index u = 0; u < people; ++u) releases.value_of.push_back(static_cast<std::uint32_t>(random() % 10));
  for (int value = 0; value < 10; ++value) releases.numbers.push_back(20 + value);
  return releases;
}

TEST(RepeatedReleases, FallToCertainty) {
  for (const bool ordered : {true, false}) {
    const auto found = random_releases(1, 60).attack({.releases = {1, 2, 5, 10, 60}}, ordered);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_LT(found[2].error.mean, found[0].error.mean);
    EXPECT_LT(found[3].error.mean, 0.5 * found[0].error.mean);
    EXPECT_EQ(found[4].error.mean, 0);
  }
}

TEST(RepeatedReleases, OneReleaseIsTheInformedAttackInTheMean) {
  // Means of 40 draws for 50 people: 2000 nearly independent errors with a deviation below 3, so 0.07 for the
  // mean; 0.3 is more than four of them, odds below 1e-4.
  const Releases base = random_releases(2, 50);
  const std::vector<SignalTable> pools = {{joint_of(base.channel, base.value_of, 10, 1).sparseView()}};
  const double exact = informed_attack(pools, base.numbers).error;
  double mean = 0;
  for (int draw = 0; draw < 40; ++draw) {
    ReleasedPool pool{.people = std::vector<std::uint32_t>(50), .column = {}};
    std::iota(pool.people.begin(), pool.people.end(), 0U);
    pool.column = [&](std::uint32_t donor) -> VectorXd { return base.channel.col(donor); };
    mean += repeated_releases(
                base.value_of, 10, base.numbers, {&pool, 1}, [&](int) { return base.draw(draw); },
                {.releases = {1}}, Key::from_seed(1))[0]
                .error.mean /
            40;
  }
  EXPECT_NEAR(mean, exact, 0.3);
}

TEST(RepeatedReleases, AreThePosteriorByBayesOnThreePeople) {
  // Donors 0 then 1 for everybody: weights of the people are products of two entries.
  const MatrixXd channel{{0.5, 0.3, 0.2}, {0.2, 0.5, 0.3}, {0.6, 0.2, 0.2}};  // products .15, .10, .12
  const std::vector<std::uint32_t> value_of = {0, 1, 1};
  const ReleasedPool pool{.people = {0, 1, 2},
                          .column = [&](std::uint32_t donor) -> VectorXd { return channel.col(donor); }};
  const std::vector<Place> places = {{0, 0}, {3, 4}};
  const auto found = repeated_releases(
      value_of, 2, {}, {&pool, 1},
      [](int r) { return std::vector<std::uint32_t>(3, static_cast<std::uint32_t>(r)); },
      {.releases = {1, 2}}, Key::from_seed(1), {}, places);
  // One release: .5 against .2 + .6, so value 1; two: .15 against .22, value 1. Person 0 is missed.
  EXPECT_NEAR(found[0].error.mean, 1.0 / 3, 1e-12);
  EXPECT_NEAR(found[1].error.mean, 1.0 / 3, 1e-12);
  ASSERT_TRUE(found[1].km);
  EXPECT_NEAR(found[1].km->mean, 5.0 / 3, 1e-12);
}

TEST(RepeatedReleases, OfTheSameRowForAllTellNothing) {
  Releases releases = random_releases(3, 40);
  releases.channel.setZero();
  releases.channel.col(7).setOnes();
  const auto found = releases.attack({});
  EXPECT_EQ(found.front().error.mean, found.back().error.mean);
}

TEST(RepeatedReleases, SampleAtMostSoManyPeopleWhateverTheThreads) {
  const Releases releases = random_releases(4, 80);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return releases.attack({.releases = {2}, .most_people = 30})[0].error;
  };
  const Estimate one = run(1), four = run(4);
  EXPECT_EQ(one.mean, four.mean);
  EXPECT_EQ(one.low, four.low);
  EXPECT_GT(one.high, one.low);
}

TEST(RepeatedReleases, RefuseDonorsThatTheChannelCannotGiveAndTooFewPeople) {
  Releases releases = random_releases(5, 10);
  ReleasedPool pool{.people = {0, 1, 2},
                    .column = [](std::uint32_t) -> VectorXd { return VectorXd::Zero(3); }};
  const auto run = [&](const RepeatedSettings& settings) {
    (void)repeated_releases(
        releases.value_of, 10, releases.numbers, {&pool, 1}, [&](int r) { return releases.draw(r); },
        settings, Key::from_seed(1));
  };
  EXPECT_THROW(run({}), InputError);
  pool.column = [](std::uint32_t) -> VectorXd { return VectorXd::Ones(3); };
  EXPECT_NO_THROW(run({}));
  EXPECT_THROW(run({.releases = {}}), InputError);
  EXPECT_THROW(run({.releases = {0, 1}}), InputError);
  pool.people = {4};
  EXPECT_THROW(run({}), InputError);
}

}  // namespace
}  // namespace hyobscure::audit
