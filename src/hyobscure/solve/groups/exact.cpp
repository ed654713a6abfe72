#include "hyobscure/solve/groups/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "hyobscure/base/error.h"
#include "hyobscure/solve/channel/leakage.h"
#include "hyobscure/solve/groups/segment_costs.h"

namespace hyobscure::solve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMostPrices = 60;
constexpr double kLargestPrice = 1e6;

/// Sums of the same distances in another order differ by rounding.
bool out_of_reach(double budget, double smallest) { return budget < smallest * (1 - 1e-12); }

using Path = std::vector<int>;  // numbers of segments, from the lowest value to the highest

/// Shortest paths over the segments that may be groups, with the allowed numbers of groups.
class SegmentPaths {
 public:
  using Cost = std::function<double(int segment)>;

  /// Least cost from every value to the end, by the number of groups still to form.
  struct Rest {
    std::vector<double> cost_of;            ///< by segment
    std::vector<std::vector<double>> cost;  ///< [groups left][value]
  };

  SegmentPaths(const SegmentCosts& costs, std::optional<int> groups)
      : costs_(costs), least_groups_(groups.value_or(1)), most_groups_(groups.value_or(costs.values())) {}

  int least_groups() const { return least_groups_; }
  int most_groups() const { return most_groups_; }
  int end(int segment) const { return costs_.spans()[static_cast<std::size_t>(segment)].end; }
  const std::vector<int>& from(int value) const {
    return costs_.starting_at()[static_cast<std::size_t>(value)];
  }

  Rest least_rest(const Cost& cost) const {
    const auto n = static_cast<std::size_t>(costs_.values());
    Rest rest{std::vector<double>(costs_.spans().size()), {}};
    for (std::size_t i = 0; i < rest.cost_of.size(); ++i) rest.cost_of[i] = cost(static_cast<int>(i));
    rest.cost.assign(static_cast<std::size_t>(most_groups_) + 1, std::vector<double>(n + 1, kInfinity));
    // exact.md, "Lower bound": shortest paths, layered by the number of groups still to form
    rest.cost[0][n] = 0;
    for (int k = 1; k <= most_groups_; ++k)
      // the end of a segment lies above its start, so any order of v will do
      for (int v = 0; v < costs_.values(); ++v)
        for (const int segment : from(v)) {
          double& least = rest.cost[static_cast<std::size_t>(k)][static_cast<std::size_t>(v)];
          least = std::min(least, through(rest, segment, k));
        }
    return rest;
  }

  /// Cost of a segment and the best way on from its end with one group less.
  double through(const Rest& rest, int segment, int groups_left) const {
    return rest.cost_of[static_cast<std::size_t>(segment)] +
           rest.cost[static_cast<std::size_t>(groups_left) - 1][static_cast<std::size_t>(end(segment))];
  }

  int best_count(const Rest& rest) const {
    int best = least_groups_;
    for (int k = least_groups_; k <= most_groups_; ++k)
      if (rest.cost[static_cast<std::size_t>(k)][0] < rest.cost[static_cast<std::size_t>(best)][0]) best = k;
    return best;
  }

  double least_total(const Rest& rest) const {
    return rest.cost[static_cast<std::size_t>(best_count(rest))][0];
  }

  Path best_path(const Rest& rest) const {
    Path path;
    int v = 0;
    for (int k = best_count(rest); k > 0; --k) {
      path.push_back(
          *std::ranges::min_element(from(v), {}, [&](int segment) { return through(rest, segment, k); }));
      v = end(path.back());
    }
    return path;
  }

  Partition partition_of(const Path& path) const {
    Partition partition{{0}};
    for (const int segment : path) partition.starts.push_back(end(segment));
    return partition;
  }

 private:
  const SegmentCosts& costs_;
  int least_groups_, most_groups_;
};

/// One budget: an upper and a lower bound that close in on each other.
class BudgetSearch {
 public:
  BudgetSearch(const SegmentTables& tables, const ExactSettings& settings, SegmentCosts& costs,
               const SegmentPaths& paths, double budget, const Progress& progress)
      : tables_(tables),
        settings_(settings),
        costs_(costs),
        paths_(paths),
        budget_(budget),
        progress_(progress) {}

  ExactResult run() {
    const int solved_before = costs_.solved();
    const double price = search_price();
    // More than any secret holds: no grouping keeps the limits on lifts within the budget.
    const bool impossible = best_.lower_bound_nats > std::log(costs_.values()) + tolerance();
    if (settings_.close && !impossible && !is_closed() && !progress_.stop_requested()) close(price);
    if (!std::isfinite(best_.objective_nats)) {
      progress_.throw_if_stopped();
      if (std::isfinite(nearest_)) throw LiftsOutOfReach(budget_, nearest_);
      throw Stopped();
    }
    best_.lower_bound_nats = std::min(best_.lower_bound_nats, best_.objective_nats);
    best_.closed = is_closed();
    best_.segments_solved = costs_.solved() - solved_before;
    best_.partitions_solved = static_cast<int>(tried_.size());
    return std::move(best_);
  }

 private:
  /// The best partition at a price. As a function of the price its cost is a line through what it costs here.
  struct Priced {
    Path path;
    double price = 0;
    double total = 0;     ///< sum of w, certified from below: total - price * budget bounds the optimum
    double distance = 0;  ///< of the channels found

    double intercept() const { return total - price * distance; }
  };

  /// What a partition may be better by and still be passed over.
  double passed_over() const { return settings_.closing_tolerance_bits / kBitsPerNat; }
  /// The same, and what the best partition's own channels may be above their optimum.
  double tolerance() const {
    const double of_channels = settings_.lifts.any() ? std::max(settings_.gap_tolerance_bits, kLiftGapBits)
                                                     : settings_.gap_tolerance_bits;
    return passed_over() + of_channels / kBitsPerNat;
  }
  bool is_closed() const { return best_.objective_nats - best_.lower_bound_nats <= tolerance() * (1 + 1e-6); }

  /// Lazily: only segments that lie on a path which looks best so far are solved.
  Priced best_at(double price) {
    for (;;) {
      const auto rest = paths_.least_rest([&](int segment) { return costs_.lower_bound(segment, price); });
      const Path path = paths_.best_path(rest);
      std::vector<int> unsolved;
      std::ranges::copy_if(path, std::back_inserter(unsolved),
                           [&](int segment) { return price > 0 && !costs_.is_solved(segment, price); });
      // exact.md, "Lazy costs": a path all of whose costs are exact and which beats all bounds is the
      // shortest path
      if (unsolved.empty()) return priced(path, price, paths_.least_total(rest));
      costs_.solve(unsolved, price, settings_.segment_gap_bits);
    }
  }

  Priced priced(const Path& path, double price, double total) const {
    Priced result{path, price, total, 0};
    for (const int segment : path)  // at price zero nothing is told, at the harmless distance
      result.distance += price > 0 ? costs_.distance(segment, price) : costs_.harmless_distance(segment);
    return result;
  }

  /// Nothing: no channels of the partition keep the limits on lifts within the budget; the nearest that do
  /// are remembered.
  std::optional<ChannelResult> solve_partition(const Partition& partition) {
    ChannelProblem problem = problem_of(tables_, partition).problem;
    problem.lifts = settings_.lifts;
    const double smallest = solve::smallest_distance(problem);
    // exact.md, "Upper bound": the optimum of this partition; max() because sums of distances differ by
    // rounding
    try {
      ChannelResult solution = solve_with_budget(problem, std::max(budget_, smallest),
                                                 {.gap_tolerance_bits = settings_.gap_tolerance_bits});
      if (!out_of_reach(budget_, smallest)) return solution;
      nearest_ = std::min(nearest_, smallest);
    } catch (const LiftsOutOfReach& refused) {
      nearest_ = std::min(nearest_, refused.smallest_distance());
    }
    return std::nullopt;
  }

  /// Upper bound: the partition with its best channels within the budget.
  void try_partition(const Path& path) {
    if (tried_.contains(path)) return;
    double smallest = 0;
    for (const int segment : path) smallest += costs_.smallest_distance(segment);
    if (!settings_.lifts.any() && out_of_reach(budget_, smallest)) return;
    const Partition partition = paths_.partition_of(path);
    tried_.insert(path);
    auto solved = solve_partition(partition);
    if (!solved) return;
    ChannelResult solution = *std::move(solved);
    double objective = solution.info.leakage_nats;
    for (const int segment : path) objective += costs_.entropy_term(segment);
    if (objective >= best_.objective_nats) return;
    best_.partition = partition;
    best_.solution = std::move(solution);
    best_.objective_nats = objective;
  }

  Priced evaluate(double price) {
    Priced found = best_at(price);
    best_.multipliers += 1;
    // B(L) = least path cost - L budget is below the optimum for every L >= 0: the largest one counts
    best_.lower_bound_nats = std::max(best_.lower_bound_nats, found.total - price * budget_);
    try_partition(found.path);
    progress_.report("searching groups and channels", 0, 0);
    return found;
  }

  /// Raises the bound L(price) = least total - price * budget, which is concave: the tangents of a bracket
  /// meet above its maximum. Returns the price with the best bound.
  double search_price() {
    Priced low = evaluate(0), best = low;
    if (low.distance <= budget_ || is_closed()) return 0;
    std::optional<Priced> high;
    const auto keep_best = [&](const Priced& found) {
      if (found.total - found.price * budget_ > best.total - best.price * budget_) best = found;
    };
    double price = 1;
    while (best_.multipliers < kMostPrices && !is_closed() && !progress_.stop_requested()) {
      const Priced found = evaluate(price);
      keep_best(found);
      const double predicted =
          low.intercept() + price * low.distance;  // what the tangent from below promised here
      // B has touched the meeting point of its tangents: its maximum is known to a quarter of the tolerance
      const bool no_gain = high && found.total >= predicted - tolerance() / 4;
      (found.distance > budget_ ? low : high.emplace()) = found;
      if (no_gain || (!high && price >= kLargestPrice)) break;
      // where the lines A + L (D - budget) of the two ends meet; without an upper end, four times as far
      price = high ? (high->intercept() - low.intercept()) / (low.distance - high->distance) : price * 4;
      if (high && !(price > low.price && price < high->price)) break;
    }
    return best.price;
  }

  /// Solves every partition whose bound at the price lies below the best value, and so proves that none is
  /// better.
  void close(double price) {
    const auto rest = paths_.least_rest([&](int segment) { return costs_.lower_bound(segment, price); });
    double open = kInfinity;  // least bound of what was left unsolved
    Path path;
    for (int groups = paths_.least_groups(); groups <= paths_.most_groups(); ++groups)
      visit(rest, price, path, 0, groups, 0, open);
    // Whatever was not visited is better by less than what may be passed over.
    const double proven = std::min(open - price * budget_, best_.objective_nats - tolerance());
    best_.lower_bound_nats = std::max(best_.lower_bound_nats, proven);
  }

  void visit(const SegmentPaths::Rest& rest, double price, Path& path, int v, int groups, double cost,
             double& open) {
    if (groups == 0) {
      if (v == costs_.values()) visit_partition(price, path, open);
      return;
    }
    for (const int segment : paths_.from(v)) {
      // exact.md, "Closing": depth first, the shortest rest as bound. What is cut off is better by less than
      // passed_over().
      if (cost + paths_.through(rest, segment, groups) - price * budget_ >=
          best_.objective_nats - passed_over())
        continue;
      path.push_back(segment);
      visit(rest, price, path, paths_.end(segment), groups - 1,
            cost + rest.cost_of[static_cast<std::size_t>(segment)], open);
      path.pop_back();
    }
  }

  void visit_partition(double price, const Path& path, double& open) {
    if (tried_.contains(path)) return;
    const bool enough =
        progress_.stop_requested() || static_cast<int>(tried_.size()) >= settings_.most_partitions;
    if (!enough && price > 0) {
      std::vector<int> unsolved;
      std::ranges::copy_if(path, std::back_inserter(unsolved),
                           [&](int segment) { return !costs_.is_solved(segment, price); });
      costs_.solve(unsolved, price, settings_.segment_gap_bits);
    }
    double bound = 0;
    for (const int segment : path) bound += costs_.lower_bound(segment, price);
    if (bound - price * budget_ >= best_.objective_nats - passed_over()) return;
    if (enough)
      // left open because the work is limited: its bound is all that is proven
      open = std::min(open, bound);
    else
      try_partition(path);
  }

  const SegmentTables& tables_;
  const ExactSettings& settings_;
  SegmentCosts& costs_;
  const SegmentPaths& paths_;
  double budget_;
  const Progress& progress_;
  ExactResult best_{
      .partition = {}, .solution = {}, .objective_nats = kInfinity, .lower_bound_nats = -kInfinity};
  double nearest_ = kInfinity;  ///< distance at which some partition tried keeps the limits on lifts
  std::set<Path> tried_;        ///< partitions solved with the budget
};

}  // namespace

struct ExactSearch::State {
  State(const SegmentTables& census, const OrderedValues& values, const GroupLimits& limits,
        const ExactSettings& given)
      : tables(census),
        settings(given),
        costs(census, values, limits, given.objective, given.lifts),
        paths(costs, given.groups) {}

  const SegmentTables& tables;
  ExactSettings settings;
  SegmentCosts costs;
  SegmentPaths paths;
};

ExactSearch::ExactSearch(const SegmentTables& tables, const OrderedValues& values, const GroupLimits& limits,
                         const ExactSettings& settings)
    : state_(std::make_unique<State>(tables, values, limits, settings)) {}

ExactSearch::~ExactSearch() = default;

double ExactSearch::smallest_distance() const {
  const SegmentPaths& paths = state_->paths;
  return paths.least_total(
      paths.least_rest([&](int segment) { return state_->costs.smallest_distance(segment); }));
}

ExactResult ExactSearch::solve(double budget, const Progress& progress) {
  const double smallest = smallest_distance();
  if (!std::isfinite(smallest))
    throw InputError({.source = "limits"}, "no grouping meets the limits", "Widen them.");
  if (out_of_reach(budget, smallest))
    throw InputError(
        {.source = "budget"},
        fmt::format("{} is below {:.6g}, the smallest expected distance of any grouping within the limits",
                    budget, std::ceil(smallest * 1e6) / 1e6),
        "Raise the budget, or use more clusters.");
  return BudgetSearch(state_->tables, state_->settings, state_->costs, state_->paths, budget, progress).run();
}

}  // namespace hyobscure::solve
