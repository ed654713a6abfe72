#include "hyobscure/solve/person/person_assignment.h"

#include <limits>

namespace hyobscure::solve {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kNobody = -1;

/// Grows a tree of shortest alternating paths from one free person until it meets a free donor.
class Augmenter {
 public:
  explicit Augmenter(const Eigen::MatrixXd& cost)
      : people_(cost.rows()),
        by_person_(cost.transpose()),
        person_prices_(VectorXd::Zero(people_)),
        // r_j = min_u cost, p = 0: reduced costs are not negative from the start
        donor_prices_(cost.colwise().minCoeff().transpose()),
        holder_(static_cast<std::size_t>(people_), kNobody) {}

  void place(Index person) {
    lengths_.setConstant(people_, std::numeric_limits<double>::infinity());
    came_from_.assign(holder_.size(), kNobody);
    done_.assign(holder_.size(), false);
    reached_.clear();
    double length = 0;
    Index donor = kNobody;
    for (Index u = person; u != kNobody; u = holder_[at(donor)]) {
      relax(u, donor, length);
      donor = nearest_open_donor();
      length = lengths_(donor);
      done_[at(donor)] = true;
      reached_.push_back(donor);
    }
    raise_prices(person, length);
    flip_path(person, donor);
  }

  Assignment result() const {
    Assignment answer{std::vector<std::uint32_t>(holder_.size()), person_prices_, donor_prices_};
    for (std::size_t j = 0; j < holder_.size(); ++j)
      answer.donors[at(holder_[j])] = static_cast<std::uint32_t>(j);
    return answer;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  /// Paths that reach `u` through its donor (none for the free person) and go on to the open donors.
  void relax(Index u, Index through, double length) {
    for (Index j = 0; j < people_; ++j) {
      if (done_[at(j)]) continue;
      // Dijkstra on reduced costs cost - p - r >= 0: lengths never fall along a path
      const double candidate = length + by_person_(j, u) - person_prices_(u) - donor_prices_(j);
      if (candidate >= lengths_(j)) continue;
      lengths_(j) = candidate;
      came_from_[at(j)] = through;
    }
  }

  Index nearest_open_donor() const {
    Index best = kNobody;
    for (Index j = 0; j < people_; ++j)
      if (!done_[at(j)] && (best == kNobody || lengths_(j) < lengths_(best))) best = j;
    return best;
  }

  /// Keeps all reduced costs from falling below zero, with zero along the path found.
  void raise_prices(Index person, double length) {
    person_prices_(person) += length;
    for (const Index j : reached_) {
      // for donors reached before the path ended: p rises and r falls by the same amount, so matched pairs
      // stay tight
      const double room = length - lengths_(j);
      donor_prices_(j) -= room;
      if (holder_[at(j)] != kNobody) person_prices_(holder_[at(j)]) += room;
    }
  }

  void flip_path(Index person, Index donor) {
    while (donor != kNobody) {
      const Index before = came_from_[at(donor)];
      holder_[at(donor)] = before == kNobody ? person : holder_[at(before)];
      donor = before;
    }
  }

  const Index people_;
  const Eigen::MatrixXd by_person_;  // column u: the costs of person u
  VectorXd person_prices_, donor_prices_;
  std::vector<Index> holder_;  // of each donor
  VectorXd lengths_;
  std::vector<Index> came_from_;
  std::vector<bool> done_;
  std::vector<Index> reached_;
};

}  // namespace

Assignment cheapest_assignment(const Eigen::MatrixXd& cost) {
  Augmenter augmenter(cost);
  for (Index u = 0; u < cost.rows(); ++u) augmenter.place(u);
  return augmenter.result();
}

}  // namespace hyobscure::solve
