#include "hyobscure/solve/person/person_support.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "hyobscure/solve/person/person_start.h"
#include "hyobscure/solve/person/test_definitions.h"

namespace hyobscure::solve {
namespace {

TEST(PersonSupport, RowsColumnsAndCellsNameTheSamePairs) {
  const OwnedPool owned = solve::random_pool(1, 15, 4);
  const PersonTerms terms{.self_donor = false};
  const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
  // donor 7 is nobody's, so that a column is empty
  const auto has = [](std::size_t u, std::size_t j) { return j != 7 && (3 * u + 5 * j) % 4 < 2; };
  const Support support = support_of(task, has);
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t j = 0; j < 15; ++j)
    for (std::size_t c = support.column_cells[j]; c < support.column_cells[j + 1]; ++c) {
      if (c > support.column_cells[j]) {
        EXPECT_LT(support.cell_values[c - 1], support.cell_values[c]);
      }
      EXPECT_LT(support.cell_starts[c], support.cell_starts[c + 1]);
      for (std::size_t k = support.cell_starts[c]; k < support.cell_starts[c + 1]; ++k) {
        const std::uint32_t pair = support.by_column[k], u = support.people[k];
        EXPECT_EQ(support.donors[pair], j);
        EXPECT_EQ(support.cell_of_pair[pair], c);
        EXPECT_EQ(owned.pool.value_of_person[u], support.cell_values[c]);
        EXPECT_GE(pair, support.starts[u]);
        EXPECT_LT(pair, support.starts[u + 1]);
        EXPECT_EQ(static_cast<double>(support.distances[pair]), owned.distance(u, at(j)));
        pairs.emplace(u, j);
      }
    }
  std::set<std::pair<std::size_t, std::size_t>> expected;
  for (std::size_t u = 0; u < 15; ++u)
    for (std::size_t j = 0; j < 15; ++j)
      if (u != j && has(u, j)) expected.emplace(u, j);
  EXPECT_EQ(pairs, expected);
  EXPECT_EQ(support.pairs(), expected.size());
}

TEST(PersonSupport, TheRingCarriesABalancedChannelThroughEverybody) {
  for (const std::size_t people : {1u, 2u, 3u, 6u})
    for (const bool own : {false, true}) {
      const PersonTerms terms{.self_donor = own};
      std::vector<int> used(people, 0);
      for (std::size_t u = 0; u < people; ++u)
        for (const std::uint32_t j : ring_donors(terms, people, u)) {
          ++used[j];
          EXPECT_TRUE(own || people == 1 || j != u);
        }
      // each of the permutations uses every donor once
      const std::size_t others = own || people == 1 ? people : people - 1;
      for (const int count : used) EXPECT_EQ(count, std::min<int>(2, static_cast<int>(others)));
    }
}

TEST(PersonSupport, TidyRowsAscendWithoutRepetition) {
  DonorRows rows{{{3, 0.3f}, {1, 0.1f}, {3, 0.3f}}, {}, {{0, 0.5f}}};
  tidy_rows(rows);
  ASSERT_EQ(rows[0].size(), 2u);
  EXPECT_EQ(rows[0][0].donor, 1u);
  EXPECT_EQ(rows[0][1].donor, 3u);
  EXPECT_TRUE(rows[1].empty());
}

TEST(PersonStart, HoldsTheNearestDonorsAndTheTwoNearestUsersOfEachValue) {
  const OwnedPool owned = solve::random_pool(2, 60, 3);
  for (const bool own : {false, true}) {
    const PersonTerms terms{.balanced = true, .self_donor = own};
    const PoolTask task{.pool = owned.pool, .terms = terms, .multiplier = 1};
    const StartRows start = start_rows(task);
    EXPECT_EQ(start.nearest, nearest_allowed(task));
    for (std::size_t u = 0; u < 60; ++u) {
      std::set<std::uint32_t> expected;
      for (std::size_t j = 0; j < 60; ++j) {
        if (!is_allowed(owned.pool, terms, u, j)) continue;
        int nearer_donors = 0, nearer_users = 0;
        for (std::size_t v = 0; v < 60; ++v) {
          const bool alike = owned.pool.value_of_person[v] == owned.pool.value_of_person[u];
          nearer_donors += is_allowed(owned.pool, terms, u, v) &&
                                   owned.distance(at(u), at(v)) < owned.distance(at(u), at(j))
                               ? 1
                               : 0;
          nearer_users += alike && is_allowed(owned.pool, terms, v, j) &&
                                  owned.distance(at(v), at(j)) < owned.distance(at(u), at(j))
                              ? 1
                              : 0;
        }
        if (nearer_donors < 20 || nearer_users < 2) expected.insert(static_cast<std::uint32_t>(j));
      }
      for (const std::uint32_t j : ring_donors(terms, 60, u)) expected.insert(j);
      std::set<std::uint32_t> donors;
      for (const Donor& donor : start.rows[u]) donors.insert(donor.donor);
      EXPECT_EQ(donors, expected) << "person " << u;
      EXPECT_EQ(donors.size(), start.rows[u].size());
    }
  }
}

}  // namespace
}  // namespace hyobscure::solve
