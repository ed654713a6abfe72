#include "hyobscure/solve/segments.h"

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

SegmentTables::Segment SegmentTables::segment(int first, int last_exclusive) const {
  const MatrixXd people = counts_.middleCols(first, last_exclusive - first);
  const VectorXd of_cluster = people.rowwise().sum();
  Segment result;
  for (int c = 0; c < clusters(); ++c)
    if (of_cluster(c) > 0) result.clusters.push_back(c);
  result.joint = people(result.clusters, Eigen::all) / total_;
  const auto size = static_cast<Index>(result.clusters.size());
  result.distance.resize(size, size);
  for (Index j = 0; j < size; ++j)
    for (Index i = 0; i < size; ++i) {
      const int c = result.clusters[static_cast<std::size_t>(i)];
      const int other = result.clusters[static_cast<std::size_t>(j)];
      result.distance(i, j) = pair_sum(first, last_exclusive, c, other) / (of_cluster(c) * of_cluster(other));
    }
  return result;
}

PartitionProblem problem_of(const SegmentTables& tables, const Partition& partition) {
  PartitionProblem result;
  for (int g = 0; g < partition.groups(); ++g) {
    auto segment = tables.segment(partition.first(g), partition.end(g));
    result.problem.joints.push_back(std::move(segment.joint));
    result.problem.distances.push_back(std::move(segment.distance));
    result.clusters.push_back(std::move(segment.clusters));
  }
  return result;
}

}  // namespace hyobscure::solve
