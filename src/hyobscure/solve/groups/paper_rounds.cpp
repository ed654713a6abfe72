#include "hyobscure/solve/groups/paper_rounds.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hyobscure::solve {
namespace {

using Eigen::Index;

constexpr int kMostRounds = 50;
constexpr int kNoGroup = -1;

struct Values {
  const Eigen::MatrixXd& positions;
  const Eigen::VectorXd& people;
  const Eigen::VectorXd& distinct;

  int count() const { return static_cast<int>(people.size()); }
};

class Round {
 public:
  Round(const Values& values, const GroupLimits& limits, const std::vector<int>& centres)
      : values_(values),
        limits_(limits),
        centres_(centres),
        group_(static_cast<std::size_t>(values.count()), kNoGroup),
        people_(centres.size(), 0),
        distinct_(centres.size(), 0) {
    for (std::size_t g = 0; g < centres.size(); ++g) assign(centres[g], static_cast<int>(g));
  }

  /// Nothing if a value fits no group.
  std::optional<std::vector<int>> deal() {
    for (std::size_t left = group_.size() - centres_.size(); left > 0; --left) {
      if (!assign_nearest(true) && !assign_nearest(false)) return std::nullopt;
    }
    return group_;
  }

 private:
  void assign(int value, int group) {
    group_[static_cast<std::size_t>(value)] = group;
    people_[static_cast<std::size_t>(group)] += values_.people(value);
    distinct_[static_cast<std::size_t>(group)] += values_.distinct(value);
  }

  bool lacks(std::size_t g) const {
    return people_[g] < limits_.least_people || distinct_[g] < limits_.least_values;
  }

  bool fits(int value, std::size_t g) const {
    return people_[g] + values_.people(value) <= limits_.most_people &&
           distinct_[g] + values_.distinct(value) <= limits_.most_values;
  }

  /// The nearest pair of an unassigned value and a group, among groups that still lack something or among
  /// all.
  bool assign_nearest(bool only_lacking) {
    double nearest = std::numeric_limits<double>::infinity();
    int value = kNoGroup, group = kNoGroup;
    for (std::size_t g = 0; g < centres_.size(); ++g) {
      if (only_lacking && !lacks(g)) continue;
      for (int y = 0; y < values_.count(); ++y) {
        if (group_[static_cast<std::size_t>(y)] != kNoGroup || !fits(y, g)) continue;
        const double distance = (values_.positions.row(y) - values_.positions.row(centres_[g])).norm();
        if (distance >= nearest) continue;
        nearest = distance;
        value = y;
        group = static_cast<int>(g);
      }
    }
    if (value == kNoGroup) return false;
    assign(value, group);
    return true;
  }

  const Values& values_;
  const GroupLimits& limits_;
  const std::vector<int>& centres_;
  std::vector<int> group_;
  std::vector<double> people_, distinct_;
};

/// The value nearest to the mean of each group, of its own values.
std::vector<int> centres_of(const Values& values, const std::vector<int>& group, int groups) {
  std::vector<int> centres;
  for (int g = 0; g < groups; ++g) {
    double people = 0;
    Eigen::RowVectorXd moment = Eigen::RowVectorXd::Zero(values.positions.cols());
    for (int y = 0; y < values.count(); ++y) {
      if (group[static_cast<std::size_t>(y)] != g) continue;
      people += values.people(y);
      moment += values.people(y) * values.positions.row(y);
    }
    int centre = kNoGroup;
    for (int y = 0; y < values.count(); ++y) {
      if (group[static_cast<std::size_t>(y)] != g) continue;
      const auto off = [&](int value) { return (values.positions.row(value) - moment / people).norm(); };
      if (centre == kNoGroup || off(y) < off(centre)) centre = y;
    }
    centres.push_back(centre);
  }
  return centres;
}

}  // namespace

PaperRounds::PaperRounds(const Eigen::MatrixXd& positions, const Eigen::VectorXd& people,
                         const Eigen::VectorXd& distinct, const GroupLimits& limits,
                         std::vector<int> centres) {
  const Values values{positions, people, distinct};
  while (rounds_ < kMostRounds) {
    ++rounds_;
    group_of_value_ = Round(values, limits, centres).deal();
    if (!group_of_value_) return;
    const auto next = centres_of(values, *group_of_value_, static_cast<int>(centres.size()));
    if (next == centres) break;
    centres = next;
  }
}

std::vector<int> random_centres(int values, int groups, RandomStream& random) {
  std::vector<int> order(static_cast<std::size_t>(values));
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < groups; ++i) {
    const auto j = static_cast<std::size_t>(i) + random.below(static_cast<std::uint64_t>(values - i));
    std::swap(order[static_cast<std::size_t>(i)], order[j]);
  }
  order.resize(static_cast<std::size_t>(groups));
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace hyobscure::solve
