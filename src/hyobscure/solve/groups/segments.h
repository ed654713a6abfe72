#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::solve {

/// The census, such that any run of values ("segment") becomes the matrices of a channel
/// problem in constant time for each pair of clusters.
///
/// Memory: one prefix table of ((|Y| + 1) |C|)^2 numbers, beside the caller's pair sums.
class SegmentTables {
 public:
  /// counts: n(c, y), clusters x values. distinct: how many distinct values of the secret each column stands
  /// for, 1 unless values were joined into atoms. pair_sums: at (y |C| + c, y' |C| + c') the sum of the
  /// distances of all pairs of a person in cell (c, y) and one in (c', y'), self pairs included. Throws
  /// InputError for misshapen or negative tables.
  SegmentTables(Eigen::MatrixXd counts, Eigen::VectorXd distinct, const Eigen::MatrixXd& pair_sums);

  int clusters() const { return static_cast<int>(counts_.rows()); }
  int values() const { return static_cast<int>(counts_.cols()); }
  double total() const { return total_; }  ///< people
  const Eigen::MatrixXd& counts() const { return counts_; }

  /// The values first .. last_exclusive-1 as a group.
  struct Segment {
    Eigen::MatrixXd joint;      ///< share of all people; row i is cluster clusters[i]
    Eigen::MatrixXd distance;   ///< mean distance of cells, rows and columns as in the joint
    std::vector<int> clusters;  ///< those that are not empty, in increasing order
  };
  [[nodiscard]] Segment segment(int first, int last_exclusive) const;
  /// Any values as a group, ascending; O(r^2 |C|^2) for r runs of values that follow each other.
  [[nodiscard]] Segment group(std::span<const int> values) const;
  [[nodiscard]] Segment group(const Partition& partition, int group) const;

  /// The same census with its values in another order: value i of the result is order[i] of this one.
  [[nodiscard]] SegmentTables reordered(std::span<const int> order) const;

  double people(int first, int last_exclusive) const;
  double distinct_values(int first, int last_exclusive) const;

 private:
  double pair_sum(int first, int last_exclusive, int c, int other) const;
  struct Run {
    int first, end;
  };
  /// All clusters x all clusters of two runs of values.
  Eigen::MatrixXd pair_sums(Run run, Run other) const;
  Segment segment_of(const Eigen::MatrixXd& people, const Eigen::MatrixXd& pair_sums) const;

  Eigen::MatrixXd counts_;
  Eigen::VectorXd people_before_, distinct_before_;
  double total_;
  /// Sum of the pair sums of values below y and y', at (y |C| + c, y' |C| + c').
  Eigen::MatrixXd prefix_;
};

/// The O-problem of a partition, and which cluster each row of each group is.
struct PartitionProblem {
  ChannelProblem problem;
  std::vector<std::vector<int>> clusters;
};
[[nodiscard]] PartitionProblem problem_of(const SegmentTables& tables, const Partition& partition);

}  // namespace hyobscure::solve
