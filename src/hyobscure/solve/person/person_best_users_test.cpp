#include "hyobscure/solve/person/person_best_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "hyobscure/solve/person/test_pools.h"

namespace hyobscure::solve {
namespace {

using testing::ElementsAre;

/// Scores with many ties: the case in which the order of arrival could show.
RowMatrixXf coarse_scores(Eigen::Index people, unsigned seed) {
  std::mt19937 rng(seed);
  return RowMatrixXf::NullaryExpr(people, people, [&] { return 0.5F * static_cast<float>(rng() % 5); });
}

TEST(PersonBestUsers, BatchesHoldEverybodyOnceByValue) {
  const OwnedPool owned = random_pool(3, 100, 3);
  std::set<std::uint32_t> seen;
  std::size_t last_value = 0;
  for (const Batch& batch : batches_by_value(owned.pool)) {
    EXPECT_GE(batch.value, last_value);
    last_value = batch.value;
    EXPECT_LE(batch.people.size(), kRowsAtOnce);
    EXPECT_FALSE(batch.people.empty());
    for (const std::uint32_t u : batch.people) {
      EXPECT_EQ(owned.pool.value_of_person[u], batch.value);
      EXPECT_TRUE(seen.insert(u).second);
    }
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(PersonBestUsers, SlicesFollowEachOtherAndFitTheTable) {
  OwnedPool owned = random_pool(3, 120, 9);
  for (std::uint32_t& value : owned.pool.value_of_person)
    if (value == 4) value = 5;  // a value that nobody has
  const std::vector<Batch> batches = batches_by_value(owned.pool);
  for (const std::size_t values_at_once : {1, 2, 3, 20}) {
    std::size_t next = 0;
    for (const Slice& slice : slices(batches, 120, values_at_once * 120)) {
      EXPECT_EQ(slice.begin, next);
      next = slice.end;
      EXPECT_LE(slice.values, values_at_once);
      for (std::size_t b = slice.begin; b < slice.end; ++b) {
        EXPECT_GE(batches[b].value, slice.first_value);
        EXPECT_LT(batches[b].value, slice.first_value + slice.values);
      }
    }
    EXPECT_EQ(next, batches.size());
  }
  EXPECT_FALSE(slices(batches, 120, 1).empty()) << "a table too small for one value holds one all the same";
}

TEST(PersonBestUsers, AreTheTwoOfTheHighestScoreAndTiesGoToTheFirst) {
  const OwnedPool owned = random_pool(5, 90, 3);
  const RowMatrixXf scores = coarse_scores(90, 11);
  const std::vector<Batch> batches = batches_by_value(owned.pool);
  const auto scores_of = [&](const Batch& batch, RowMatrixXf& to) {
    for (std::size_t k = 0; k < batch.people.size(); ++k) to.row(at(k)) = scores.row(batch.people[k]);
  };
  for (const Slice& slice : slices(batches, 90, 2 * 90)) {
    const BestUsers best = find_best_users(batches, slice, 90, scores_of);
    for (std::size_t y = slice.first_value; y < slice.first_value + slice.values; ++y)
      for (std::uint32_t j = 0; j < 90; ++j) {
        std::vector<std::pair<float, std::uint32_t>> users;  // by falling score, then by number
        for (std::uint32_t u = 0; u < 90; ++u)
          if (owned.pool.value_of_person[u] == y) users.emplace_back(-scores(u, j), u);
        std::ranges::sort(users);
        const BestUsers::Two& two = best.of_value(y)[j];
        ASSERT_GE(users.size(), 2U);
        EXPECT_EQ(two.first, -users[0].first);
        EXPECT_EQ(two.first_user, users[0].second);
        EXPECT_EQ(two.second, -users[1].first);
        EXPECT_EQ(two.second_user, users[1].second);
        EXPECT_GE(two.best(), static_cast<double>(two.first));
      }
  }
}

TEST(PersonBestUsers, DoNotDependOnTheOrderOfArrival) {
  const std::vector<std::pair<float, std::uint32_t>> arrivals = {{1, 5}, {2, 9}, {2, 3}, {2, 7}, {0, 1}};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  do {
    BestUsers::Two two;
    for (const std::size_t k : order) two.add(arrivals[k].first, arrivals[k].second);
    EXPECT_EQ(two.first_user, 3U);
    EXPECT_EQ(two.second_user, 7U);
  } while (std::ranges::next_permutation(order).found);
}

TEST(PersonBestUsers, OneselfIsInfinitelyFarWhereNobodyIsTheirOwnDonor) {
  const OwnedPool owned = random_pool(2, 20, 2);
  const Batch batch{.value = 0, .people = {0, 4, 19}};
  for (const bool own : {true, false}) {
    const PersonTerms terms{.self_donor = own};
    RowMatrixXf distances;
    load_distances({.pool = owned.pool, .terms = terms}, batch, distances);
    for (std::size_t k = 0; k < batch.people.size(); ++k)
      for (std::uint32_t j = 0; j < 20; ++j) {
        const std::uint32_t u = batch.people[k];
        if (u == j && !own)
          EXPECT_EQ(distances(at(k), j), std::numeric_limits<float>::infinity());
        else
          EXPECT_EQ(distances(at(k), j), static_cast<float>(owned.distance(u, j)));
      }
  }
}

TEST(PersonBestUsers, NearestDonorsAreKeptAndTiesGoToTheFirst) {
  std::vector<Donor> row = {{7, 2}, {3, 1}, {9, 2}, {1, 2}, {4, 5}};
  const auto donors = [&] {
    std::set<std::uint32_t> all;
    for (const Donor& donor : row) all.insert(donor.donor);
    return all;
  };
  keep_nearest(row, 9);
  EXPECT_EQ(row.size(), 5U);
  keep_nearest(row, 3);
  EXPECT_THAT(donors(), ElementsAre(1, 3, 7));
}

TEST(PersonBestUsers, NearestOfARowAreThoseOfASortedRow) {
  std::mt19937 rng(4);
  for (const std::size_t count : {1, 5, 20, 70}) {
    std::vector<float> distances(60);
    for (float& distance : distances) distance = static_cast<float>(rng() % 9);  // many ties
    distances[17] = std::numeric_limits<float>::infinity();
    std::vector<std::pair<float, std::uint32_t>> sorted;
    for (std::uint32_t j = 0; j < 60; ++j)
      if (std::isfinite(distances[j])) sorted.emplace_back(distances[j], j);
    std::ranges::sort(sorted);
    sorted.resize(std::min(count, sorted.size()));
    std::set<std::pair<float, std::uint32_t>> found;
    for (const Donor& donor : nearest_of_row(distances, count)) found.emplace(donor.distance, donor.donor);
    EXPECT_TRUE(std::ranges::equal(found, sorted)) << count;
  }
}

TEST(PersonBestUsers, DonorsOfAUserAreThoseThatHaveThemAmongTheTwoBest) {
  std::vector<BestUsers::Two> best(5);
  for (const std::size_t j : {0, 2, 3}) best[j].add(1, 8);
  best[3].add(2, 1);
  best[3].add(2, 5);  // 8 is third now
  best[4].add(1, 8);
  const Batch batch{.value = 0, .people = {5, 8}};
  RowMatrixXf distances(2, 5);
  distances << 1, 1, 1, 1, 1,  //
      1, 1, std::numeric_limits<float>::infinity(), 1, 3;
  const auto donors = [&](auto wanted) {
    std::vector<std::vector<std::uint32_t>> numbers;
    for (const auto& row : donors_with_users(best.data(), batch, distances, wanted)) {
      numbers.emplace_back();
      for (const Donor& donor : row) numbers.back().push_back(donor.donor);
    }
    return numbers;
  };
  using testing::IsEmpty;
  EXPECT_THAT(donors([](std::size_t) { return true; }), ElementsAre(ElementsAre(3), ElementsAre(0, 4)));
  EXPECT_THAT(donors([](std::size_t j) { return j == 1; }), ElementsAre(IsEmpty(), IsEmpty()));
}

}  // namespace
}  // namespace hyobscure::solve
