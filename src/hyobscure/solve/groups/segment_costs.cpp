#include "hyobscure/solve/groups/segment_costs.h"

#include <algorithm>
#include <cmath>

#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/channel.h"

namespace hyobscure::solve {
namespace {

constexpr int kTransferReach = 4;  // values by which a segment may differ from the one whose dual it tries

/// The group alone, scaled to a probability distribution as the channel solver wants it.
struct SingleGroup {
  ChannelProblem problem;
  double weight;  ///< p_g: the true cost is this many times that of the problem
};

SingleGroup single_group(const SegmentTables::Segment& segment) {
  const double weight = segment.joint.sum();
  return {{{segment.joint / weight}, {segment.distance}}, weight};
}

/// s_j(y) = log(v_j(y) / (R_j q_y)) of a channel, kept feasible (sum_y q_y e^s <= 1) where v is zero.
Eigen::MatrixXd scores(const Eigen::MatrixXd& joint, const Eigen::MatrixXd& channel) {
  constexpr double kMix = 1e-9;
  const Eigen::RowVectorXd q = joint.colwise().sum() / joint.sum();
  const Eigen::MatrixXd outputs = channel.transpose() * joint;
  Eigen::MatrixXd result(outputs.rows(), outputs.cols());
  for (Eigen::Index j = 0; j < outputs.rows(); ++j) {
    const double total = outputs.row(j).sum();
    for (Eigen::Index y = 0; y < outputs.cols(); ++y) {
      // (1 - 1e-9) v / (q R) + 1e-9: summed with q it is 1 again, so s is feasible and finite where v = 0
      const double posterior = total > 0 && q[y] > 0 ? outputs(j, y) / (total * q[y]) : 1.0;
      result(j, y) = std::log((1 - kMix) * posterior + kMix);
    }
  }
  return result;
}

}  // namespace

SegmentCosts::SegmentCosts(const SegmentTables& tables, const OrderedValues& values,
                           const GroupLimits& limits, Objective objective, const LiftLimits& lifts)
    : tables_(tables),
      lifts_(lifts),
      values_(values.count()),
      starting_at_(static_cast<std::size_t>(values.count())) {
  for (int first = 0; first < values_; ++first)
    for (int end = first + 1; end <= values_; ++end)
      if (allowed(values, limits, first, end)) {
        starting_at_[static_cast<std::size_t>(first)].push_back(static_cast<int>(spans_.size()));
        spans_.push_back({first, end});
      }
  entries_.resize(spans_.size());
  parallel_blocks(spans_.size(), 1, [&](std::size_t i, std::size_t) {
    const auto group = single_group(tables_.segment(spans_[i].first, spans_[i].end));
    entries_[i].entropy = objective == Objective::Total ? -x_log_x(group.weight) : 0.0;
    entries_[i].smallest_distance = group.weight * solve::smallest_distance(group.problem);
    entries_[i].harmless_distance = group.weight * solve::harmless_distance(group.problem);
  });
}

double SegmentCosts::lower_bound(int segment, double price) const {
  const Entry& entry = at(segment);
  // exact.md, "Lazy costs": each of these is below w, the largest is returned
  double bound = price * entry.smallest_distance;
  if (entry.transferred.first == price) bound = std::max(bound, entry.transferred.second);
  // Concave in the price, zero at price zero, and never flatter than the smallest distance.
  const auto above = entry.points.lower_bound(price);
  if (above != entry.points.end() && above->first == price) return entry.entropy + above->second.lower;
  const bool has_below = above != entry.points.begin();
  const double low_price = has_below ? std::prev(above)->first : 0.0;
  const double low = has_below ? std::prev(above)->second.lower : 0.0;
  if (above == entry.points.end())
    // beyond the last price: the slope of w is a distance, at least the smallest one
    bound = std::max(bound, low + (price - low_price) * entry.smallest_distance);
  else
    bound =
        std::max(bound, low + (above->second.lower - low) * (price - low_price) / (above->first - low_price));
  return entry.entropy + bound;
}

bool SegmentCosts::is_solved(int segment, double price) const { return at(segment).points.contains(price); }

double SegmentCosts::distance(int segment, double price) const {
  return at(segment).points.at(price).distance;
}

void SegmentCosts::solve(const std::vector<int>& segments, double price, double gap_tolerance_bits) {
  std::vector<Point> points(segments.size());
  std::vector<Dual> duals(segments.size());
  parallel_blocks(segments.size(), 1, [&](std::size_t i, std::size_t) {
    const Span span = spans_[static_cast<std::size_t>(segments[i])];
    const auto segment = tables_.segment(span.first, span.end);
    SingleGroup group = single_group(segment);
    group.problem.lifts = lifts_;
    const ChannelResult result =
        solve_with_multiplier(group.problem, price, {.gap_tolerance_bits = gap_tolerance_bits});
    // the certified bound, never the value of the channel found: chords must lie below w
    points[i] = {group.weight * result.info.lower_bound_nats, group.weight * result.info.distance};
    const Eigen::MatrixXd local = scores(segment.joint, result.channels[0]);
    duals[i] = {Eigen::MatrixXd::Zero(tables_.clusters(), local.cols()), span.first};
    for (std::size_t j = 0; j < segment.clusters.size(); ++j)
      duals[i].score.row(segment.clusters[j]) = local.row(static_cast<Eigen::Index>(j));
  });
  for (std::size_t i = 0; i < segments.size(); ++i) {
    entries_[static_cast<std::size_t>(segments[i])].points[price] = points[i];
    solved_ += 1;
  }
  for (std::size_t i = 0; i < segments.size(); ++i) transfer(duals[i], segments[i], price);
}

void SegmentCosts::transfer(const Dual& dual, int from, double price) {
  const Span source = spans_[static_cast<std::size_t>(from)];
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    const int differ = std::abs(spans_[i].first - source.first) + std::abs(spans_[i].end - source.end);
    if (differ > 0 && differ <= kTransferReach && !entries_[i].points.contains(price)) near.push_back(i);
  }
  parallel_blocks(near.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      Entry& entry = entries_[near[k]];
      const double bound = bound_from(dual, static_cast<int>(near[k]), price);
      if (entry.transferred.first != price || bound > entry.transferred.second)
        entry.transferred = {price, bound};
    }
  });
}

/// Any s with sum_y q_y e^{s_j(y)} <= 1 proves  F + price D >= sum_c min_j [ sum_y P(c,y) s_j(y) + price p_c
/// d(c,j) ].
double SegmentCosts::bound_from(const Dual& dual, int segment, double price) const {
  const Span span = spans_[static_cast<std::size_t>(segment)];
  const auto target = tables_.segment(span.first, span.end);
  const Eigen::RowVectorXd q = target.joint.colwise().sum() / target.joint.sum();
  const Eigen::Index size = static_cast<Eigen::Index>(target.clusters.size());
  Eigen::MatrixXd s = Eigen::MatrixXd::Zero(size, span.end - span.first);
  for (Eigen::Index j = 0; j < size; ++j) {
    for (int y = std::max(span.first, dual.first);
         y < std::min<int>(span.end, dual.first + static_cast<int>(dual.score.cols())); ++y)
      s(j, y - span.first) = dual.score(target.clusters[static_cast<std::size_t>(j)], y - dual.first);
    // "dual transfer": subtracting log sum_y q e^s makes s feasible for this segment
    s.row(j).array() -= std::log(q.dot(s.row(j).array().exp().matrix()));
  }
  const Eigen::VectorXd people = target.joint.rowwise().sum();
  const Eigen::MatrixXd cost = target.joint * s.transpose() + price * people.asDiagonal() * target.distance;
  const double bound = cost.rowwise().minCoeff().sum();
  return bound - 1e-14 * (std::abs(bound) + 1);  // on the safe side of rounding
}

}  // namespace hyobscure::solve
