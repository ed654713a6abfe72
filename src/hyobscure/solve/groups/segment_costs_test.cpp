#include "hyobscure/solve/groups/segment_costs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/groups/test_census.h"

namespace hyobscure::solve {
namespace {

/// w(a, b; price) from the channel solver alone, within 1e-9 bits.
double cost_of_segment(const SegmentTables& tables, const SegmentCosts::Span& span, double price) {
  const auto segment = tables.segment(span.first, span.end);
  const double weight = segment.joint.sum();
  const auto result = solve_with_multiplier({{segment.joint / weight}, {segment.distance}}, price);
  return -weight * std::log(weight) + weight * (result.info.leakage_nats + price * result.info.distance);
}

std::vector<int> all_segments_of(const SegmentCosts& costs) {
  std::vector<int> all(costs.spans().size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(SegmentCosts, LowerBoundsNeverExceedTheCostWhateverWasSolvedBefore) {
  const auto census = random_census(1, {.people = 60, .clusters = 4, .values = 6});
  const auto tables = census.tables();
  SegmentCosts costs(tables, census.values(), {}, Objective::Total);
  const std::vector<double> prices{0.05, 0.3, 1, 4};
  const auto expect_below = [&] {
    for (const int segment : all_segments_of(costs))
      for (const double price : prices) {
        const double cost = cost_of_segment(tables, costs.spans()[static_cast<std::size_t>(segment)], price);
        EXPECT_LE(costs.lower_bound(segment, price), cost + 1e-9) << segment << " at " << price;
      }
  };
  expect_below();
  // some segments at two prices: chords, slopes beyond the last price and duals of neighbours now count
  for (const double price : {1.0, 0.1}) {
    costs.solve({0, 4, 9}, price, 1e-9);
    expect_below();
  }
  EXPECT_EQ(costs.solved(), 6);
}

TEST(SegmentCosts, SolvedPricesAreMetAndOthersRise) {
  const auto census = random_census(2, {.people = 60, .clusters = 4, .values = 6});
  const auto tables = census.tables();
  SegmentCosts costs(tables, census.values(), {}, Objective::Total);
  const auto all = all_segments_of(costs);
  std::vector<double> before;
  for (const int segment : all) before.push_back(costs.lower_bound(segment, 0.5));
  costs.solve({2}, 0.5, 1e-9);
  EXPECT_TRUE(costs.is_solved(2, 0.5));
  EXPECT_NEAR(costs.lower_bound(2, 0.5), cost_of_segment(tables, costs.spans()[2], 0.5), 1e-8);
  int raised = 0;  // of others, by the dual that segment 2 hands over
  for (const int segment : all) {
    const double bound = costs.lower_bound(segment, 0.5);
    EXPECT_GE(bound, before[static_cast<std::size_t>(segment)]);
    raised += segment != 2 && bound > before[static_cast<std::size_t>(segment)] + 1e-6 ? 1 : 0;
  }
  EXPECT_GT(raised, 0);
}

TEST(SegmentCosts, BetweenAndBeyondSolvedPricesTheBoundIsChordAndSlope) {
  const auto census = random_census(3, {.people = 60, .clusters = 4, .values = 5});
  const auto tables = census.tables();
  // one segment may be a group, so no neighbour hands anything over
  SegmentCosts costs(tables, census.values(), {.least_values = 5}, Objective::Conditional);
  ASSERT_EQ(costs.spans().size(), 1u);
  EXPECT_EQ(costs.entropy_term(0), 0);
  costs.solve({0}, 1, 1e-9);
  costs.solve({0}, 3, 1e-9);
  const double low = costs.lower_bound(0, 1), high = costs.lower_bound(0, 3);
  const double nearest = costs.smallest_distance(0);
  EXPECT_NEAR(costs.lower_bound(0, 2), std::max((low + high) / 2, 2 * nearest), 1e-12);
  EXPECT_NEAR(costs.lower_bound(0, 0.5), std::max(low / 2, 0.5 * nearest), 1e-12);
  EXPECT_NEAR(costs.lower_bound(0, 7), std::max(high + 4 * nearest, 7 * nearest), 1e-12);
  // the slope of the cost is a distance between the two ends
  EXPECT_GE(high - low, 2 * nearest - 1e-8);
  EXPECT_LE(high - low, 2 * costs.harmless_distance(0) + 1e-8);
}

TEST(SegmentCosts, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto census = random_census(4, {.people = 80, .clusters = 4, .values = 7});
  const auto tables = census.tables();
  const auto on_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    SegmentCosts costs(tables, census.values(), {}, Objective::Total);
    costs.solve({1, 3, 8, 12}, 0.7, 1e-6);
    std::vector<double> bounds;
    for (const int segment : all_segments_of(costs)) bounds.push_back(costs.lower_bound(segment, 0.7));
    return bounds;
  };
  EXPECT_EQ(on_threads(1), on_threads(2));
}

}  // namespace
}  // namespace hyobscure::solve
