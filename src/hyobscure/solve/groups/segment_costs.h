#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/solve/channel/lift_limits.h"
#include "hyobscure/solve/groups/boundary_search.h"
#include "hyobscure/solve/groups/partition.h"
#include "hyobscure/solve/groups/segments.h"

namespace hyobscure::solve {

/// The cost of a segment of values as one group, at a price of distance:
///
///   w(a, b; price) = H term + min over channels of [ F + price * D ]
///
/// known from below for every segment, and exactly (within a certified gap) for those that were solved at the
/// price.
class SegmentCosts {
 public:
  SegmentCosts(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
               Objective objective, const LiftLimits& lifts = {});

  int values() const { return values_; }
  /// Segments that may be groups, by first and last value; their numbers are used below.
  struct Span {
    int first, end;
  };
  const std::vector<Span>& spans() const { return spans_; }
  /// Numbers of the segments that start at a value, by increasing end.
  const std::vector<std::vector<int>>& starting_at() const { return starting_at_; }

  double entropy_term(int segment) const { return at(segment).entropy; }
  double smallest_distance(int segment) const { return at(segment).smallest_distance; }
  double harmless_distance(int segment) const { return at(segment).harmless_distance; }

  /// A proven lower bound of w at the price: from the distance alone, from prices solved before (the cost is
  /// concave in the price), and from the duals of neighbours, once they were handed over at this very price.
  double lower_bound(int segment, double price) const;
  bool is_solved(int segment, double price) const;
  /// The distance of the channel found at the price; the segment must be solved there.
  double distance(int segment, double price) const;

  /// Solves the segments at the price, in parallel, and hands their duals to neighbouring segments.
  void solve(const std::vector<int>& segments, double price, double gap_tolerance_bits);
  int solved() const { return solved_; }

 private:
  struct Point {
    double lower;     ///< certified lower bound of F + price * D
    double distance;  ///< D of the channel found
  };
  struct Entry {
    double entropy = 0;
    double smallest_distance = 0;
    double harmless_distance = 0;
    std::map<double, Point> points;  ///< by price
    std::pair<double, double> transferred{
        -1, 0};  ///< the last price at which a neighbour's dual was tried, and its bound
  };
  /// A solved segment's dual, in terms of clusters and values, for its neighbours.
  struct Dual {
    Eigen::MatrixXd
        score;  ///< s_j(y): all clusters x values of the segment; 0 for clusters that are empty in it
    int first = 0;
  };

  const Entry& at(int segment) const { return entries_[static_cast<std::size_t>(segment)]; }
  void transfer(const Dual& dual, int from, double price);
  double bound_from(const Dual& dual, int segment, double price) const;

  const SegmentTables& tables_;
  LiftLimits lifts_;
  int values_;
  std::vector<Span> spans_;
  std::vector<std::vector<int>> starting_at_;
  std::vector<Entry> entries_;
  int solved_ = 0;
};

}  // namespace hyobscure::solve
