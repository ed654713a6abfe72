#include "hyobscure/obscure/groups/range_covers.h"

#include <gtest/gtest.h>

#include <random>

namespace hyobscure::obscure {
namespace {

std::vector<RangeCovers::Ends> single(const std::vector<double>& values) {
  std::vector<RangeCovers::Ends> ends;
  for (const double value : values) ends.push_back({value, value});
  return ends;
}

bool holds(const published::Cover& cover, double x) {
  return (!cover.low || x >= *cover.low) &&
         (!cover.high || x < *cover.high || (cover.high_included && x == *cover.high));
}

TEST(RangeCovers, WholeNumbersReadAsRangesThatLeaveNoGap) {
  const RangeCovers covers(single({18, 19, 24, 30, 45}), std::nullopt);
  EXPECT_EQ(covers.cover(0, 1).label, "23 or less");
  EXPECT_EQ(covers.cover(2, 2).label, "24-29");
  EXPECT_EQ(covers.cover(3, 4).label, "30 or more");
  EXPECT_EQ(covers.cover(0, 4).label, "all");
  EXPECT_EQ(RangeCovers(single({7, 8, 9}), std::nullopt).cover(1, 1).label, "8");
  EXPECT_EQ(RangeCovers(single({-5, -3, 2}), std::nullopt).cover(1, 1).label, "-3 to 1");
}

TEST(RangeCovers, EndsAreThoseThatAreKeptRoundedInwards) {
  const RangeCovers covers(single({20, 25, 30}), data::Interval{17.5, 49.5});
  EXPECT_EQ(covers.cover(0, 0).label, "18-24");
  EXPECT_EQ(covers.cover(1, 2).label, "25-49");
}

TEST(RangeCovers, OtherNumbersAreCutAtANumberThatNobodyHas) {
  const RangeCovers covers(single({101.5, 228.1, 231.7, 409.2, 415}), std::nullopt);
  const published::Cover first = covers.cover(0, 1), middle = covers.cover(2, 3), last = covers.cover(4, 4);
  EXPECT_FALSE(first.low || last.high) << "the smallest and the largest may each belong to one person";
  EXPECT_EQ(first.high, middle.low);
  EXPECT_EQ(middle.high, last.low);
  EXPECT_FALSE(first.high_included);
  EXPECT_GT(*first.high, 228.1);
  EXPECT_LE(*first.high, 231.7);
  EXPECT_TRUE(first.label.starts_with("under ")) << first.label;
  EXPECT_NE(middle.label.find(" to under "), std::string::npos) << middle.label;
  EXPECT_TRUE(last.label.ends_with(" or more")) << last.label;
}

TEST(RangeCovers, LabelsOfOtherRangesAreNoLabelsOfACover) {
  for (const auto& values : {single({18, 19, 24, 30}), single({1.5, 2.25, 3, 4})}) {
    const RangeCovers covers(values, std::nullopt);
    for (std::size_t first = 0; first < 4; ++first)
      for (std::size_t last = first; last < 4; ++last) {
        published::Cover cover = covers.cover(first, last);
        EXPECT_TRUE(is_label_of(cover)) << cover.label;
        cover.label += "0";
        EXPECT_FALSE(is_label_of(cover)) << cover.label;
      }
  }
}

TEST(RangeCovers, EveryNumberBelongsToOneOfTheRunsAndEveryValueToItsOwn) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const bool whole = trial % 2 == 0;
    std::vector<RangeCovers::Ends> values;
    double at = -20;
    for (int v = 0; v < 9; ++v) {  // some stand for several numbers
      at +=
          whole ? 1.0 + static_cast<double>(random() % 4) : 0.01 + static_cast<double>(random() % 1000) / 300;
      const double low = at;
      if (random() % 3 == 0) at += whole ? 2 : 0.4;
      values.push_back({low, at});
    }
    const RangeCovers covers(values, std::nullopt);
    std::vector<published::Cover> runs;
    std::vector<std::size_t> starts;
    for (std::size_t first = 0; first < 9;) {
      const std::size_t last = std::min<std::size_t>(8, first + random() % 3);
      starts.push_back(first);
      runs.push_back(covers.cover(first, last));
      first = last + 1;
    }
    const auto run_of = [&](double x) {
      std::vector<std::size_t> found;
      for (std::size_t run = 0; run < runs.size(); ++run)
        if (holds(runs[run], x)) found.push_back(run);
      return found;
    };
    for (std::size_t v = 0; v < 9; ++v) {
      const std::size_t own =
          static_cast<std::size_t>(std::ranges::upper_bound(starts, v) - starts.begin()) - 1;
      EXPECT_EQ(run_of(values[v].low), std::vector{own});
      EXPECT_EQ(run_of(values[v].high), std::vector{own});
    }
    for (double x = -25; x < 30; x += whole ? 1 : 0.137) EXPECT_EQ(run_of(x).size(), 1u) << x;
  }
}

}  // namespace
}  // namespace hyobscure::obscure
