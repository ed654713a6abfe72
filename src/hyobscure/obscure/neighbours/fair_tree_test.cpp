#include "hyobscure/obscure/neighbours/fair_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "hyobscure/base/parallel.h"

namespace hyobscure::obscure {
namespace {

/// People along two directions; the first depends on the value, so that a cut that ignores values leaks.
struct Sample {
  data::SparseRows rows;
  std::vector<std::uint32_t> members, values;
  std::vector<double> first;  // the place along the first direction
};

Sample make_sample(unsigned seed, std::size_t people, std::uint32_t values) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Sample sample;
  sample.rows.columns = 6;
  for (std::size_t u = 0; u < people; ++u) {
    const auto value = static_cast<std::uint32_t>(random() % values);
    const double place = 2.0 * value + 5 * normal(random);
    for (std::uint32_t item = 0; item < 6; ++item) {
      sample.rows.items.push_back(item);
      sample.rows.values.push_back(100 + (item < 3 ? place : 0) + normal(random));
    }
    sample.rows.end_row();
    sample.members.push_back(static_cast<std::uint32_t>(u));
    sample.values.push_back(value);
    sample.first.push_back(place);
  }
  return sample;
}

std::vector<std::vector<std::uint32_t>> wards_of(const Sample& sample, std::uint32_t values, std::size_t most,
                                                 unsigned key = 1) {
  return fair_wards(census::Distance::Euclidean, sample.rows, sample.members, sample.values, values, most,
                    Key::from_seed(key));
}

TEST(FairTree, EverybodyIsInOneWardOfAtMostTheGivenSize) {
  const Sample sample = make_sample(1, 1000, 5);
  const auto wards = wards_of(sample, 5, 130);
  EXPECT_EQ(wards.size(), 8U);
  std::vector<std::uint32_t> all;
  for (const auto& ward : wards) {
    EXPECT_LE(ward.size(), 130U);
    EXPECT_TRUE(std::ranges::is_sorted(ward));
    all.insert(all.end(), ward.begin(), ward.end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, sample.members);
}

TEST(FairTree, EveryValueHasItsShareInEveryWardUpToRounding) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Sample sample = make_sample(seed, 777 + seed, 7);
    const auto wards = wards_of(sample, 7, 60, seed);
    // a tree of equal depth, since nodes of one depth differ by one person
    ASSERT_EQ(wards.size(), 16U);
    std::map<std::uint32_t, double> people;
    for (const std::uint32_t value : sample.values) people[value] += 1;
    for (const auto& ward : wards) {
      std::map<std::uint32_t, double> here;
      for (const std::uint32_t position : ward) here[sample.values[position]] += 1;
      for (const auto& [value, count] : people) {
        EXPECT_GE(here[value], std::floor(count / 16));
        EXPECT_LE(here[value], std::ceil(count / 16));
      }
      EXPECT_NEAR(static_cast<double>(ward.size()), static_cast<double>(sample.values.size()) / 16, 1);
    }
  }
}

TEST(FairTree, PeopleOfAWardAreAlike) {
  const Sample sample = make_sample(3, 2000, 4);
  const auto spread = [&](std::span<const std::uint32_t> people, std::uint32_t value) {
    double sum = 0, squares = 0, count = 0;
    for (const std::uint32_t u : people) {
      if (sample.values[u] != value) continue;
      sum += sample.first[u];
      squares += sample.first[u] * sample.first[u];
      count += 1;
    }
    return std::sqrt(squares / count - sum * sum / count / count);
  };
  double inside = 0;
  const auto wards = wards_of(sample, 4, 260);
  for (const auto& ward : wards) inside += spread(ward, 2) / static_cast<double>(wards.size());
  // eight wards along the one direction that matters: each an eighth of a normal distribution or so
  EXPECT_LT(inside, 0.5 * spread(sample.members, 2));
}

TEST(FairTree, DependsOnTheKeyAndNotOnThreads) {
  const Sample sample = make_sample(4, 3000, 6);
  std::vector<std::vector<std::uint32_t>> by_threads[2];
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    by_threads[threads - 1] = wards_of(sample, 6, 200);
  }
  EXPECT_EQ(by_threads[0], by_threads[1]);
  EXPECT_NE(by_threads[0], wards_of(sample, 6, 200, 2));
}

TEST(FairTree, RowsThatAreAllAlikeAreCutAllTheSame) {
  Sample sample = make_sample(5, 100, 3);
  data::SparseRows alike;
  alike.columns = 6;
  for (std::size_t u = 0; u < 100; ++u) {
    alike.items.push_back(2);
    alike.values.push_back(1);
    alike.end_row();
  }
  sample.rows = std::move(alike);
  const auto wards = wards_of(sample, 3, 30);
  ASSERT_EQ(wards.size(), 4U);
  for (const auto& ward : wards) EXPECT_EQ(ward.size(), 25U);
}

TEST(FairTree, APoolThatFitsIsOneWard) {
  const Sample sample = make_sample(6, 50, 3);
  EXPECT_EQ(wards_of(sample, 3, 50), (std::vector<std::vector<std::uint32_t>>{sample.members}));
}

}  // namespace
}  // namespace hyobscure::obscure
