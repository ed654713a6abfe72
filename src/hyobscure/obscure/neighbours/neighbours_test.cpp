#include "hyobscure/obscure/neighbours/neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/census/test_data.h"

namespace hyobscure::obscure {
namespace {

using data::SparseRows;
using Positions = std::vector<std::uint32_t>;
using Neighbours = std::vector<Positions>;

const std::vector<census::Distance> kAll = {census::Distance::JensenShannon,
                                            census::Distance::SquaredEuclidean, census::Distance::Euclidean,
                                            census::Distance::Jaccard, census::Distance::Hamming};

Positions everybody(const SparseRows& rows) {
  Positions members(rows.size());
  std::iota(members.begin(), members.end(), 0U);
  return members;
}

// By the definition, sorted; ties by position.
std::vector<std::pair<double, std::uint32_t>> true_neighbours(census::Distance distance,
                                                              const SparseRows& rows,
                                                              const Positions& members, std::size_t i) {
  std::vector<std::pair<double, std::uint32_t>> result;
  for (std::uint32_t j = 0; j < members.size(); ++j)
    if (j != i)
      result.emplace_back(
          census::distance_between(distance, rows[members[i]], rows[members[j]], rows.columns), j);
  std::sort(result.begin(), result.end());
  return result;
}

double recall(census::Distance distance, const SparseRows& rows, const Neighbours& found, std::size_t most,
              std::size_t probes) {
  const Positions members = everybody(rows);
  double hits = 0;
  for (std::size_t p = 0; p < probes; ++p) {
    const std::size_t i = p * rows.size() / probes;
    const auto truth = true_neighbours(distance, rows, members, i);
    for (const std::uint32_t j : found[i])
      hits +=
          census::distance_between(distance, rows[i], rows[j], rows.columns) <= truth[most - 1].first ? 1 : 0;
  }
  return hits / static_cast<double>(probes * most);
}

// People on a curved line: each of 60 items is liked around its own place. Neighbours on the line are near.
SparseRows people_on_a_line(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<std::vector<double>> dense;
  for (std::size_t r = 0; r < count; ++r) {
    const double place = 60 * unit(random);
    std::vector<double> row(60, 0);
    for (std::size_t item = 0; item < row.size(); ++item) {
      const double away = std::abs(place - static_cast<double>(item) - 0.5);
      if (away < 4) row[item] = 5 - away + 0.05 * unit(random);
    }
    dense.push_back(row);
  }
  return census::sparse(dense);
}

TEST(Neighbours, SmallPoolsGetTheTrueNeighboursWhateverTheDistance) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const SparseRows rows = census::skewed_rows(seed, 120, 25);
    const Positions members = everybody(rows);
    for (const census::Distance distance : kAll) {
      const Neighbours found = nearest_rows(distance, rows, members, {.neighbours = 7}, Key::from_seed(1));
      for (std::size_t i = 0; i < members.size(); ++i) {
        const auto truth = true_neighbours(distance, rows, members, i);
        ASSERT_EQ(found[i].size(), 7U);
        for (std::size_t n = 0; n < 7; ++n)
          ASSERT_EQ(found[i][n], truth[n].second)
              << "seed " << seed << ", distance " << static_cast<int>(distance) << ", row " << i;
      }
    }
  }
}

TEST(Neighbours, PositionsAreThoseOfTheMembersNotOfTheRows) {
  const SparseRows rows = census::skewed_rows(4, 90, 20);
  const Positions members = {80, 3, 41, 42, 17, 66};
  const Neighbours found =
      nearest_rows(census::Distance::JensenShannon, rows, members, {.neighbours = 3}, Key::from_seed(1));
  ASSERT_EQ(found.size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto truth = true_neighbours(census::Distance::JensenShannon, rows, members, i);
    EXPECT_THAT(found[i], testing::ElementsAre(truth[0].second, truth[1].second, truth[2].second));
  }
}

TEST(Neighbours, PoolsSmallerThanTheWishGiveEverybodyElse) {
  const SparseRows rows = census::skewed_rows(5, 4, 10);
  const Neighbours found =
      nearest_rows(census::Distance::Euclidean, rows, everybody(rows), {.neighbours = 20}, Key::from_seed(1));
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::set<std::uint32_t>(found[i].begin(), found[i].end()).size(), 3U);
  EXPECT_TRUE(
      nearest_rows(census::Distance::Euclidean, rows, Positions{2}, {}, Key::from_seed(1)).front().empty());
  EXPECT_TRUE(nearest_rows(census::Distance::Euclidean, rows, {}, {}, Key::from_seed(1)).empty());
}

TEST(Neighbours, ForestFindsMostOfTheTrueNeighbours) {
  const SparseRows rows = people_on_a_line(6, kExactPool + 500);
  for (const census::Distance distance : {census::Distance::JensenShannon, census::Distance::Euclidean}) {
    const NeighbourSettings settings{.neighbours = 10, .trees = 6, .leaf = 60};
    const Neighbours found = nearest_rows(distance, rows, everybody(rows), settings, Key::from_seed(1));
    EXPECT_GT(recall(distance, rows, found, 10, 40), 0.8) << static_cast<int>(distance);
  }
}

TEST(Neighbours, ForestListsAreSortedByTheTrueDistanceWithoutRepeatsAndWithoutTheRowItself) {
  const SparseRows rows = census::skewed_rows(7, kExactPool + 300, 12);
  for (const census::Distance distance : kAll) {
    const NeighbourSettings settings{.neighbours = 8, .trees = 3, .leaf = 30};
    const Neighbours found = nearest_rows(distance, rows, everybody(rows), settings, Key::from_seed(2));
    for (std::uint32_t i = 0; i < found.size(); i += 7) {
      ASSERT_EQ(found[i].size(), 8U);
      EXPECT_THAT(found[i], testing::Not(testing::Contains(i)));
      EXPECT_EQ(std::set<std::uint32_t>(found[i].begin(), found[i].end()).size(), 8U);
      const auto to = [&](std::uint32_t j) {
        return census::distance_between(distance, rows[i], rows[j], rows.columns);
      };
      EXPECT_TRUE(std::is_sorted(found[i].begin(), found[i].end(),
                                 [&](std::uint32_t a, std::uint32_t b) { return to(a) < to(b); }))
          << "distance " << static_cast<int>(distance) << ", row " << i;
    }
  }
}

TEST(Neighbours, ThreadsDoNotChangeTheForest) {
  const SparseRows rows = people_on_a_line(8, kExactPool + 200);
  const NeighbourSettings settings{.neighbours = 5, .trees = 4, .leaf = 40};
  Neighbours by_threads[2];
  for (int threads = 1; threads <= 2; ++threads) {
    const ThreadLimit limit(threads);
    by_threads[threads - 1] =
        nearest_rows(census::Distance::JensenShannon, rows, everybody(rows), settings, Key::from_seed(3));
  }
  EXPECT_EQ(by_threads[0], by_threads[1]);
  EXPECT_NE(by_threads[0], nearest_rows(census::Distance::JensenShannon, rows, everybody(rows), settings,
                                        Key::from_seed(4)));
}

TEST(Neighbours, ManyCopiesOfOneRowAreNeighboursOfEachOther) {
  const SparseRows one = census::sparse({{1, 2, 0, 3}});
  SparseRows rows = one;
  for (std::size_t n = 0; n < kExactPool + 50; ++n) rows.append_row(one[0]);
  const Neighbours found = nearest_rows(census::Distance::JensenShannon, rows, everybody(rows),
                                        {.neighbours = 4, .trees = 2, .leaf = 20}, Key::from_seed(5));
  for (const Positions& list : found) EXPECT_EQ(list.size(), 4U);
}

TEST(Neighbours, RefusesSettingsAndRowsThatMakeNoSense) {
  const SparseRows rows = census::sparse({{1, 0}, {0, 1}});
  const Positions members = everybody(rows);
  const Key key = Key::from_seed(1);
  const auto find = [&](census::Distance distance, const SparseRows& data,
                        const NeighbourSettings& settings) {
    return nearest_rows(distance, data, members, settings, key);
  };
  EXPECT_THROW((void)find(census::Distance::Euclidean, rows, {.neighbours = 0}), InputError);
  EXPECT_THROW((void)find(census::Distance::Euclidean, rows, {.trees = 0}), InputError);
  EXPECT_THROW((void)find(census::Distance::Euclidean, rows, {.leaf = 1}), InputError);
  EXPECT_THROW((void)find(census::Distance::JensenShannon, census::sparse({{1, 0}, {0, 0}}), {}), InputError);
}

TEST(Neighbours, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  const SparseRows rows = people_on_a_line(9, kExactPool + 1);
  EXPECT_THROW((void)nearest_rows(census::Distance::JensenShannon, rows, everybody(rows), {},
                                  Key::from_seed(1), Progress({}, &stop)),
               Stopped);
}

}  // namespace
}  // namespace hyobscure::obscure
