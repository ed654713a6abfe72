#include "hyobscure/solve/areas/area_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/solve/channel/leakage.h"

namespace hyobscure::solve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRealGain = 1e-9;  // nats; less is the tolerance of the channels
constexpr std::size_t kAtOnce = 8;  // moves solved side by side; fixed, so that threads change nothing
constexpr int kMostPrices = 12;     // local searches of one start
// Nats a unit of distance, tried where the budget's own price finds nothing: a budget with room has price 0,
// at which all areas of the same sizes cost the same.
constexpr std::array<double, 2> kOtherPrices = {0.3, 3};
// Tight limits, which exchanges are for, are those of few values; of many values there is mostly room to
// move.
constexpr std::size_t kMostExchanges = 400;
// Beyond so many values the exact search along a curve takes many seconds, and the local search does the
// rest.
constexpr int kManyValues = 100;
constexpr std::size_t kCurvesOfManyValues = 2;
constexpr std::size_t kBestStarts = 4;  // that the local search goes on from

/// The exact search along one curve.
struct CurveSearch {
  CurveSearch(const SegmentTables& census, const AreaValues& areas, const GroupLimits& limits,
              const AreaSearchSettings& settings, std::vector<int> order)
      : curve(std::move(order)),
        tables(census.reordered(curve)),
        values(along(areas, curve)),
        exact(tables, values, limits,
              {.groups = settings.groups,
               .objective = settings.objective,
               .gap_tolerance_bits = settings.price_tolerance_bits,
               .closing_tolerance_bits = 1e-4,
               .segment_gap_bits = 1e-5,
               .lifts = settings.lifts,
               .close = false}) {}

  std::vector<int> curve;
  SegmentTables tables;
  OrderedValues values;
  ExactSearch exact;
};

/// Areas with their best channels within the budget.
struct Solved {
  Partition partition;
  ChannelResult solution;
  double objective = kInfinity;
};

/// H term + min over channels of [ F + price D ] of areas, at one price of distance.
class AreaCosts {
 public:
  AreaCosts(const SegmentTables& tables, const AreaSearchSettings& settings, double price)
      : tables_(tables), settings_(settings), price_(price) {}

  /// Costs of areas, those that are not known yet side by side.
  std::vector<double> of(const std::vector<std::vector<int>>& areas) {
    std::vector<const std::vector<int>*> unknown;
    for (const auto& area : areas)
      if (known_.try_emplace(area, kUnset).second) unknown.push_back(&area);
    std::vector<double> costs(unknown.size());
    parallel_blocks(unknown.size(), 1, [&](std::size_t i, std::size_t) { costs[i] = solve(*unknown[i]); });
    for (std::size_t i = 0; i < unknown.size(); ++i) known_[*unknown[i]] = costs[i];
    std::vector<double> result;
    for (const auto& area : areas) result.push_back(known_[area]);
    return result;
  }

 private:
  double solve(const std::vector<int>& area) const {
    const auto segment = tables_.group(area);
    const double weight = segment.joint.sum();
    const double of_group = settings_.objective == Objective::Total ? -x_log_x(weight) : 0.0;
    if (price_ == 0) return of_group;  // nothing is told, at any distance
    const ChannelProblem alone{{segment.joint / weight}, {segment.distance}, settings_.lifts};
    const ChannelInfo info =
        solve_with_multiplier(alone, price_, {.gap_tolerance_bits = settings_.price_tolerance_bits}).info;
    return of_group + weight * (info.leakage_nats + price_ * info.distance);
  }

  const SegmentTables& tables_;
  const AreaSearchSettings& settings_;
  double price_;
  std::map<std::vector<int>, double> known_;
};

}  // namespace

struct AreaSearch::State {
  State(const SegmentTables& census, const AreaValues& map, const GroupLimits& group_limits,
        const AreaSearchSettings& given, std::vector<Partition> starts)
      : tables(census), areas(map), limits(group_limits), settings(given), known(std::move(starts)) {
    validate(areas);
    validate(limits);
    for (const Partition& partition : known)
      if (!satisfies(areas, limits, partition))
        throw InputError({.source = "areas"}, "the areas to start from do not satisfy the limits",
                         "Start from first groups within the limits.");
    const double side = static_cast<double>((areas.count() + 1) * tables.clusters());
    double left = settings.most_memory_bytes;
    for (auto& curve : curves_through(areas)) {
      left -= side * side * sizeof(double);
      if (left < 0 && !curves.empty()) break;
      if (areas.count() > kManyValues && curves.size() == kCurvesOfManyValues) break;
      auto search = std::make_unique<CurveSearch>(tables, areas, limits, settings, std::move(curve));
      if (std::isfinite(search->exact.smallest_distance())) curves.push_back(std::move(search));
    }
  }

  double smallest_distance() const {
    double smallest = kInfinity;
    for (const auto& search : curves) smallest = std::min(smallest, search->exact.smallest_distance());
    for (const Partition& partition : known)
      smallest = std::min(smallest, solve::smallest_distance(problem_of(tables, partition).problem));
    return smallest;
  }

  /// Nothing: the areas cannot be that near, or not within the limits on lifts.
  std::optional<Solved> with_budget(const Partition& partition, double budget) const {
    ChannelProblem problem = problem_of(tables, partition).problem;
    problem.lifts = settings.lifts;
    const double smallest = solve::smallest_distance(problem);
    if (budget < smallest * (1 - 1e-12)) return std::nullopt;
    Solved solved{partition, {}};
    try {
      solved.solution = solve_with_budget(problem, std::max(budget, smallest),
                                          {.gap_tolerance_bits = settings.gap_tolerance_bits});
    } catch (const LiftsOutOfReach&) {
      return std::nullopt;
    }
    solved.objective = solved.solution.info.leakage_nats +
                       (settings.objective == Objective::Total ? group_entropy(problem.joints) : 0.0);
    return solved;
  }

  const SegmentTables& tables;
  const AreaValues& areas;
  GroupLimits limits;
  AreaSearchSettings settings;
  std::vector<Partition> known;
  std::vector<std::unique_ptr<CurveSearch>> curves;
};

namespace {

/// Moves values between areas, and exchanges them where no move helps, while that lowers the cost at a price
/// of distance.
class LocalSearch {
 public:
  LocalSearch(const AreaValues& areas, const GroupLimits& limits, AreaCosts& costs, const Partition& start,
              const Progress& progress)
      : areas_(areas), limits_(limits), costs_(costs), group_(start.group_of_values()), progress_(progress) {}

  Partition run() {
    while (improve_by(moves()) || improve_by(exchanges())) ++made_;
    return Partition::of(group_);
  }
  int tried() const { return tried_; }
  int made() const { return made_; }

 private:
  /// Values with the groups that they are to be in.
  using Change = std::vector<AreaMove>;

  std::vector<Change> moves() const {
    std::vector<Change> changes;
    for (const AreaMove& move : allowed_moves(areas_, limits_, group_)) changes.push_back({move});
    return changes;
  }

  std::vector<Change> exchanges() const {
    std::vector<Change> changes;
    for (const auto& [value, other] : allowed_exchanges(areas_, limits_, group_))
      changes.push_back({{value, group(other)}, {other, group(value)}});
    if (changes.size() > kMostExchanges) changes.clear();
    return changes;
  }

  /// Makes the best change of the first batch that holds an improvement; false if no batch does. Batches go
  /// on from where the last improvement was.
  bool improve_by(std::vector<Change> changes) {
    const auto next =
        std::ranges::lower_bound(changes, next_, {}, [](const Change& c) { return c[0].value; });
    std::ranges::rotate(changes, next);
    for (std::size_t begin = 0; begin < changes.size(); begin += kAtOnce) {
      if (progress_.stop_requested()) return false;
      const std::span batch(changes.data() + begin, std::min(kAtOnce, changes.size() - begin));
      const std::vector<double> gains = gains_of(batch);
      const auto best = static_cast<std::size_t>(std::ranges::max_element(gains) - gains.begin());
      tried_ += static_cast<int>(batch.size());
      if (gains[best] <= kRealGain) continue;
      for (const AreaMove& move : batch[best]) group_[static_cast<std::size_t>(move.value)] = move.to;
      next_ = batch[best][0].value;
      return true;
    }
    return false;
  }

  std::vector<double> gains_of(std::span<const Change> changes) {
    std::vector<std::vector<int>> areas;  // two before and two after, of each change
    for (const Change& change : changes) {
      const std::array<int, 2> two = {group(change[0].value), change[0].to};
      for (const int g : two) areas.push_back(members(group_, g));
      std::vector<int> changed = group_;
      for (const AreaMove& move : change) changed[static_cast<std::size_t>(move.value)] = move.to;
      for (const int g : two) areas.push_back(members(changed, g));
    }
    const std::vector<double> costs = costs_.of(areas);
    std::vector<double> gains;
    for (std::size_t i = 0; i < costs.size(); i += 4)
      gains.push_back(costs[i] + costs[i + 1] - costs[i + 2] - costs[i + 3]);
    return gains;
  }

  int group(int value) const { return group_[static_cast<std::size_t>(value)]; }

  static std::vector<int> members(const std::vector<int>& group_of_value, int group) {
    std::vector<int> values;
    for (std::size_t value = 0; value < group_of_value.size(); ++value)
      if (group_of_value[value] == group) values.push_back(static_cast<int>(value));
    return values;
  }

  const AreaValues& areas_;
  const GroupLimits& limits_;
  AreaCosts& costs_;
  std::vector<int> group_;
  const Progress& progress_;
  int next_ = 0;
  int tried_ = 0, made_ = 0;
};

}  // namespace

AreaSearch::AreaSearch(const SegmentTables& tables, const AreaValues& areas, const GroupLimits& limits,
                       const AreaSearchSettings& settings, std::vector<Partition> known)
    : state_(std::make_unique<State>(tables, areas, limits, settings, std::move(known))) {}

AreaSearch::~AreaSearch() = default;

double AreaSearch::smallest_distance() const { return state_->smallest_distance(); }

AreaSearchResult AreaSearch::solve(double budget, const Progress& progress,
                                   const std::vector<Partition>& also) {
  const State& state = *state_;
  std::vector<Solved> starts;
  const auto start_from = [&](const Partition& partition) {
    if (std::ranges::find(starts, partition, &Solved::partition) != starts.end()) return;
    if (auto solved = state.with_budget(partition, budget)) starts.push_back(*std::move(solved));
  };
  for (const auto* list : {&state.known, &also})
    for (const Partition& partition : *list) start_from(partition);
  for (const auto& search : state.curves) {
    if (progress.stop_requested()) break;
    if (budget < search->exact.smallest_distance() * (1 - 1e-12)) continue;
    progress.report("searching areas along curves", 0, 0);
    try {
      start_from(from_curve_order(search->exact.solve(budget, progress).partition, search->curve));
    } catch (const LiftsOutOfReach&) {  // along this curve; another may be nearer
    }
  }
  if (starts.empty()) {
    progress.throw_if_stopped();
    throw InputError(
        {.source = "budget"},
        state.settings.lifts.any()
            ? fmt::format("no areas found keep the limits on lifts at a distance of {}", budget)
            : fmt::format("{} is below {:.6g}, the smallest expected distance of the areas found", budget,
                          std::ceil(smallest_distance() * 1e6) / 1e6),
        "Raise the budget, or use more clusters.");
  }
  std::ranges::stable_sort(starts, {}, &Solved::objective);
  const bool many = state.areas.count() > kManyValues;
  const std::size_t kept = many ? 1 : kBestStarts;
  if (starts.size() > kept) starts.resize(kept);

  AreaSearchResult result;
  // Whether areas better than the current ones were found at a price of distance.
  const auto improved_at = [&](double price, Solved& current) {
    progress.report("moving values between areas", 0, 0);
    AreaCosts costs(state.tables, state.settings, price);
    LocalSearch local(state.areas, state.limits, costs, current.partition, progress);
    const Partition moved = local.run();
    result.moves_tried += local.tried();
    result.moves_made += local.made();
    auto solved = moved == current.partition ? std::nullopt : state.with_budget(moved, budget);
    if (!solved || solved->objective >= current.objective - kRealGain) return false;
    current = *std::move(solved);
    return true;
  };
  Solved best = starts.front();
  for (Solved current : starts) {
    for (int prices = 0; prices < kMostPrices && !progress.stop_requested(); ++prices) {
      bool improved = improved_at(std::max(0.0, current.solution.info.multiplier), current);
      for (std::size_t i = 0; !many && !improved && i < kOtherPrices.size(); ++i)
        improved = improved_at(kOtherPrices[i], current);
      if (!improved) break;
    }
    if (current.objective < best.objective) best = std::move(current);
  }
  state_->known.push_back(best.partition);
  result.partition = std::move(best.partition);
  result.solution = std::move(best.solution);
  result.objective_nats = best.objective;
  result.lower_bound_nats =
      state.settings.objective == Objective::Total
          ? least_group_entropy(state.tables.total(), state.limits, state.settings.groups)
          : 0.0;
  result.stopped = progress.stop_requested();
  return result;
}

}  // namespace hyobscure::solve
