#include <algorithm>
#include <cmath>
#include <limits>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/areas/areas.h"
#include "hyobscure/solve/groups/paper_rounds.h"

namespace hyobscure::solve {
namespace {

constexpr double kRealDrop = 1e-12;  // smaller ones are rounding

/// Areas under repair: any group of any value.
class Repair {
 public:
  Repair(const AreaValues& areas, const GroupLimits& limits, std::vector<int> group_of_value, int groups)
      : areas_(areas), limits_(limits), group_(std::move(group_of_value)), groups_(groups) {}

  /// Each group keeps its piece with most people; the others go to the group beside them.
  void reconnect() {
    for (bool changed = true; changed;) {
      changed = false;
      for (int g = 0; g < groups_; ++g) {
        auto pieces = pieces_of(g);
        if (pieces.size() < 2) continue;
        const auto people = [&](const std::vector<int>& piece) { return areas_.people(piece).sum(); };
        std::ranges::iter_swap(pieces.begin(), std::ranges::max_element(pieces, {}, people));
        for (std::size_t p = 1; p < pieces.size(); ++p) join_beside(pieces[p], g);
        changed = true;
      }
    }
  }

  /// Moves single values, each time the one that lowers the violation of the limits most.
  bool meet_limits() {
    while (violation() > 0) {
      double best = -kRealDrop;
      AreaMove chosen{-1, -1};
      for (const AreaMove& move : allowed_moves(areas_, {}, group_)) {
        const double change = violation_after(move);
        if (change < best) {
          best = change;
          chosen = move;
        }
      }
      if (chosen.value < 0) return false;
      group_[static_cast<std::size_t>(chosen.value)] = chosen.to;
    }
    return true;
  }

  Partition partition() const { return Partition::of(group_); }

 private:
  std::vector<std::vector<int>> pieces_of(int group) const {
    std::vector<std::vector<int>> pieces;
    std::vector<char> seen(group_.size(), 0);
    for (int start = 0; start < areas_.count(); ++start) {
      if (group_[static_cast<std::size_t>(start)] != group || seen[static_cast<std::size_t>(start)]) continue;
      std::vector<int> piece = {start};
      seen[static_cast<std::size_t>(start)] = 1;
      for (std::size_t i = 0; i < piece.size(); ++i)
        for (const int other : areas_.neighbours[static_cast<std::size_t>(piece[i])]) {
          if (group_[static_cast<std::size_t>(other)] != group || seen[static_cast<std::size_t>(other)])
            continue;
          seen[static_cast<std::size_t>(other)] = 1;
          piece.push_back(other);
        }
      pieces.push_back(std::move(piece));
    }
    return pieces;
  }

  void join_beside(const std::vector<int>& piece, int from) {
    for (const int value : piece)
      for (const int other : areas_.neighbours[static_cast<std::size_t>(value)]) {
        const int to = group_[static_cast<std::size_t>(other)];
        if (to == from) continue;
        for (const int moved : piece) group_[static_cast<std::size_t>(moved)] = to;
        return;
      }
  }

  struct Size {
    double people = 0, distinct = 0;
  };
  Size size_of(int group) const {
    Size size;
    for (int value = 0; value < areas_.count(); ++value)
      if (group_[static_cast<std::size_t>(value)] == group) {
        size.people += areas_.people(value);
        size.distinct += areas_.distinct(value);
      }
    return size;
  }

  double violation_of(const Size& size) const {
    const auto outside = [](double x, double least, double most) {
      return x < least ? (least - x) / least : x > most ? (x - most) / most : 0.0;
    };
    return outside(size.people, limits_.least_people, limits_.most_people) +
           outside(size.distinct, limits_.least_values, limits_.most_values);
  }

  double violation() const {
    double sum = 0;
    for (int g = 0; g < groups_; ++g) sum += violation_of(size_of(g));
    return sum;
  }

  /// By how much a move changes the violation.
  double violation_after(const AreaMove& move) const {
    Size from = size_of(group_[static_cast<std::size_t>(move.value)]), to = size_of(move.to);
    const double before = violation_of(from) + violation_of(to);
    from.people -= areas_.people(move.value), to.people += areas_.people(move.value);
    from.distinct -= areas_.distinct(move.value), to.distinct += areas_.distinct(move.value);
    return violation_of(from) + violation_of(to) - before;
  }

  const AreaValues& areas_;
  const GroupLimits& limits_;
  std::vector<int> group_;
  int groups_;
};

}  // namespace

std::optional<Partition> clustered_areas(const AreaValues& areas, const GroupLimits& limits, int groups,
                                         int starts, RandomStream& random) {
  validate(areas);
  validate(limits);
  if (groups < 1) throw InputError({.source = "groups"}, "expected at least 1", "Ask for one group or more.");
  if (groups > areas.count()) return std::nullopt;
  const Eigen::MatrixXd positions = areas.positions.cast<double>();
  std::optional<Partition> best;
  for (int start = 0; start < starts; ++start) {
    const PaperRounds clustering(positions, areas.people, areas.distinct, limits,
                                 random_centres(areas.count(), groups, random));
    if (!clustering.group_of_value()) continue;
    Repair repair(areas, limits, *clustering.group_of_value(), groups);
    repair.reconnect();
    if (!repair.meet_limits()) continue;
    Partition found = repair.partition();
    if (found.groups() != groups || !satisfies(areas, limits, found)) continue;  // areas of another shape
    if (!best || spread(areas, found) < spread(areas, *best)) best = std::move(found);
  }
  return best;
}

}  // namespace hyobscure::solve
