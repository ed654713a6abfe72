#include "hyobscure/solve/groups/segments.h"

#include <algorithm>
#include <utility>

#include "hyobscure/base/error.h"

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd running_sums(const VectorXd& terms) {
  VectorXd sums = VectorXd::Zero(terms.size() + 1);
  for (Index i = 0; i < terms.size(); ++i) sums(i + 1) = sums(i) + terms(i);
  return sums;
}

void check(const MatrixXd& counts, const VectorXd& distinct, const MatrixXd& pair_sums) {
  const Index cells = counts.size();
  if (cells == 0 || distinct.size() != counts.cols() || pair_sums.rows() != cells ||
      pair_sums.cols() != cells)
    throw InputError({.source = "census"}, "the tables do not fit each other",
                     "Give counts of clusters x values and pair sums of all cells x all cells.");
  if (!counts.allFinite() || counts.minCoeff() < 0 || !pair_sums.allFinite() || pair_sums.minCoeff() < 0)
    throw InputError({.source = "census"}, "expected finite numbers that are not negative",
                     "Correct the tables.");
  if (counts.sum() <= 0)
    throw InputError({.source = "census"}, "the table holds nobody", "Give some people.");
}

}  // namespace

SegmentTables::SegmentTables(MatrixXd counts, VectorXd distinct, const MatrixXd& pair_sums)
    : counts_(std::move(counts)) {
  check(counts_, distinct, pair_sums);
  people_before_ = running_sums(counts_.colwise().sum().transpose());
  distinct_before_ = running_sums(distinct);
  total_ = people_before_(counts_.cols());

  const Index m = counts_.rows();
  const Index n = counts_.cols();
  // Two-dimensional running sums, (n + 1)^2 blocks of m x m: the pair sums of any segment are four blocks.
  // Block row and column 0 stay zero.
  prefix_ = MatrixXd::Zero((n + 1) * m, (n + 1) * m);
  prefix_.bottomRightCorner(n * m, n * m) = pair_sums;
  for (Index y = 2; y <= n; ++y) prefix_.middleCols(y * m, m) += prefix_.middleCols((y - 1) * m, m);
  for (Index y = 2; y <= n; ++y) prefix_.middleRows(y * m, m) += prefix_.middleRows((y - 1) * m, m);
}

double SegmentTables::people(int first, int last_exclusive) const {
  return people_before_(last_exclusive) - people_before_(first);
}

double SegmentTables::distinct_values(int first, int last_exclusive) const {
  return distinct_before_(last_exclusive) - distinct_before_(first);
}

double SegmentTables::pair_sum(int first, int last_exclusive, int c, int other) const {
  const Index m = counts_.rows();
  const auto below = [&](int y, int y_other) { return prefix_(y * m + c, y_other * m + other); };
  const double sum = below(last_exclusive, last_exclusive) - below(first, last_exclusive) -
                     below(last_exclusive, first) + below(first, first);
  return std::max(sum, 0.0);  // a difference of sums may fall short of zero by rounding
}

MatrixXd SegmentTables::pair_sums(Run run, Run other) const {
  const Index m = counts_.rows();
  const auto below = [&](int y, int y_other) { return prefix_.block(y * m, y_other * m, m, m); };
  return (below(run.end, other.end) - below(run.first, other.end) - below(run.end, other.first) +
          below(run.first, other.first))
      .cwiseMax(0.0);
}

/// people: clusters x values of the group. pair_sums: of its people, clusters x clusters.
SegmentTables::Segment SegmentTables::segment_of(const MatrixXd& people, const MatrixXd& pair_sums) const {
  const VectorXd of_cluster = people.rowwise().sum();
  Segment result;
  for (int c = 0; c < clusters(); ++c)
    if (of_cluster(c) > 0) result.clusters.push_back(c);
  result.joint = people(result.clusters, Eigen::all) / total_;
  const VectorXd sizes = of_cluster(result.clusters);
  // d_g(c,c') is the mean over pairs of people, oneself included: sums over products of counts
  result.distance = pair_sums(result.clusters, result.clusters).array() / (sizes * sizes.transpose()).array();
  return result;
}

SegmentTables::Segment SegmentTables::segment(int first, int last_exclusive) const {
  MatrixXd sums(clusters(), clusters());
  for (int other = 0; other < clusters(); ++other)
    for (int c = 0; c < clusters(); ++c) sums(c, other) = pair_sum(first, last_exclusive, c, other);
  return segment_of(counts_.middleCols(first, last_exclusive - first), sums);
}

SegmentTables::Segment SegmentTables::group(std::span<const int> values) const {
  std::vector<Run> runs;  // few, where neighbours have numbers that follow each other
  for (const int value : values)
    if (!runs.empty() && runs.back().end == value)
      ++runs.back().end;
    else
      runs.push_back({value, value + 1});
  MatrixXd sums = MatrixXd::Zero(clusters(), clusters());
  for (const Run& run : runs)
    for (const Run& other : runs) sums += pair_sums(run, other);
  return segment_of(counts_(Eigen::all, std::vector<int>(values.begin(), values.end())), sums);
}

SegmentTables::Segment SegmentTables::group(const Partition& partition, int group) const {
  return partition.runs() ? segment(partition.first(group), partition.end(group))
                          : this->group(partition.members(group));
}

SegmentTables SegmentTables::reordered(std::span<const int> order) const {
  const std::vector<int> values(order.begin(), order.end());
  const Index m = counts_.rows(), n = counts_.cols();
  const auto single = [](int value) { return Run{value, value + 1}; };
  MatrixXd sums(n * m, n * m);
  for (Index b = 0; b < n; ++b)
    for (Index a = 0; a < n; ++a)
      sums.block(a * m, b * m, m, m) =
          pair_sums(single(values[static_cast<std::size_t>(a)]), single(values[static_cast<std::size_t>(b)]));
  const VectorXd distinct = distinct_before_.tail(n) - distinct_before_.head(n);
  return {counts_(Eigen::all, values), distinct(values), sums};
}

PartitionProblem problem_of(const SegmentTables& tables, const Partition& partition) {
  PartitionProblem result;
  for (int g = 0; g < partition.groups(); ++g) {
    auto segment = tables.group(partition, g);
    result.problem.joints.push_back(std::move(segment.joint));
    result.problem.distances.push_back(std::move(segment.distance));
    result.clusters.push_back(std::move(segment.clusters));
  }
  return result;
}

}  // namespace hyobscure::solve
