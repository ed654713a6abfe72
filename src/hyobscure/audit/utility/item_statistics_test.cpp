#include "hyobscure/audit/utility/item_statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hyobscure/audit/attack/test_people.h"
#include "hyobscure/audit/attack/test_publications.h"
#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"

namespace hyobscure::audit {
namespace {

// Ten people rate item 0 with 2 and item 1 with 3, ten rate item 0 with 4; item 2 nobody has.
data::SparseRows two_kinds() {
  std::vector<std::vector<double>> dense;
  for (int u = 0; u < 20; ++u)
    dense.push_back(u < 10 ? std::vector<double>{2, 3, 0} : std::vector{4.0, 0.0, 0.0});
  return sparse(dense);
}

Publication rows(const data::SparseRows& features, std::uint32_t row) {
  return {.rows = features, .row_of_person = std::vector<std::uint32_t>(features.size(), row)};
}

TEST(ItemStatistics, HaveTheErrorsCountedByHand) {
  const data::SparseRows features = two_kinds();
  const ItemStatistics first = item_statistics(features, [&](int) { return rows(features, 0); }, 2);
  // Means 3, 3 (n = 20, 10) become 2, 3; counts 20, 10 become 20, 20.
  EXPECT_NEAR(first.means.figures->published.mean, 20.0 * 1 / 30, 1e-14);
  EXPECT_NEAR(first.popularity.figures->published.mean, 10.0 / 30, 1e-14);
  // One number for all items: 3 is right for both means, 15 is 5 off for both counts.
  EXPECT_NEAR(first.means.figures->baseline.mean, 0, 1e-14);
  EXPECT_NEAR(first.popularity.figures->baseline.mean, 10.0 / 30, 1e-14);

  // Item 1 is in no published row: its mean is that of all entries, 4; its count 0.
  const ItemStatistics last = item_statistics(features, [&](int) { return rows(features, 19); }, 2);
  EXPECT_NEAR(last.means.figures->published.mean, 1, 1e-14);
  EXPECT_NEAR(last.popularity.figures->published.mean, 10.0 / 30, 1e-14);
  EXPECT_EQ(last.means.figures->loss.mean, last.means.figures->published.mean);
}

TEST(ItemStatistics, AreRightWhereEverybodyHasTheOwnRow) {
  const data::SparseRows features = sparse(small_numbers(1, 50, 12));
  const ItemStatistics found = item_statistics(features, as_they_are(features), 3);
  EXPECT_EQ(found.means.figures->loss.high, 0);
  EXPECT_EQ(found.popularity.figures->loss.high, 0);
  EXPECT_GT(found.means.figures->baseline.mean, 0);
}

TEST(ItemStatistics, SufferFromRowsOfAnybodyAndDoNotDependOnThreads) {
  const data::SparseRows features = sparse(small_numbers(2, 60, 12));
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return item_statistics(features, rows_of_anybody(features), 8);
  };
  const ItemStatistics found = run(1), again = run(4);
  EXPECT_TRUE(found.means.figures->loss.above_zero());
  EXPECT_TRUE(found.popularity.figures->loss.above_zero());
  EXPECT_EQ(numbers_of(found.means), numbers_of(again.means));
  EXPECT_EQ(numbers_of(found.popularity), numbers_of(again.popularity));
}

TEST(ItemStatistics, SayWhatCannotBeMeasured) {
  const data::SparseRows ones = sparse(std::vector(20, std::vector<double>{1, 0, 1}));
  const ItemStatistics of_ones = item_statistics(ones, as_they_are(ones), 2);
  EXPECT_EQ(of_ones.means.note, "not measurable: all values are alike");
  EXPECT_FALSE(of_ones.means.measurable());
  EXPECT_TRUE(of_ones.popularity.measurable());

  data::SparseRows full = sparse(std::vector(20, std::vector<double>{1, 2, 1}));
  EXPECT_EQ(item_statistics(full, as_they_are(full), 2).popularity.note,
            "not measurable: every person has every item");

  const data::SparseRows nothing = sparse(std::vector(20, std::vector<double>(3, 0)));
  EXPECT_FALSE(item_statistics(nothing, as_they_are(nothing), 2).means.measurable());
  EXPECT_FALSE(item_statistics(nothing, as_they_are(nothing), 2).popularity.measurable());
}

TEST(ItemStatistics, RefuseFewPeopleOneRepetitionAndOtherPeople) {
  const data::SparseRows features = two_kinds(), few = sparse(std::vector(19, std::vector<double>{1, 2}));
  EXPECT_THROW((void)item_statistics(few, as_they_are(few), 2), InputError);
  EXPECT_THROW((void)item_statistics(features, as_they_are(features), 1), InputError);
  EXPECT_THROW((void)item_statistics(features, as_they_are(few), 2), InputError);
}

}  // namespace
}  // namespace hyobscure::audit
