#include "hyobscure/solve/person/person_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/solve/channel/channel.h"
#include "hyobscure/solve/person/person_extremes.h"
#include "hyobscure/solve/person/person_lifts.h"
#include "hyobscure/solve/person/person_many.h"
#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {

using Pools = std::span<const PersonPool>;

namespace {

constexpr double kAtTheMinimum = 1e-12;    // budgets this close to the smallest distance leave ties only
constexpr double kNothingLeaks = 1e-12;    // nats: rounding
constexpr int kMostPrices = 60;            // of distance, tried for one budget
constexpr double kSteepest = 1e9;          // price, relative to the first, at which the search gives up
constexpr std::size_t kManyPools = 8;      // and more are solved side by side, each on one thread
constexpr double kShareOfOneSolve = 0.6;   // of the tolerance; two solves and a chord meet in the gap
constexpr double kShareOfGap = 0.25;       // of the gap so far: what far prices are solved to
constexpr double kCoarsestSolve = 1e-2;    // nats
constexpr double kNearestDistance = 2e-3;  // of itself: how well it is known where limits leave no channel
constexpr double kDigitsOfLimits = 2e-6;   // of the price of the distance
constexpr double kLeakageOfNone = 2e-4;    // of the price of the nearest: more says nothing about distance

// ---- Validation ----

void validate_learned(const PersonPool& pool) {
  if (pool.learned.size() == 0) return;
  const bool profiles = pool.profiles.size() > 0;
  require(pool.learned.rows() == static_cast<Eigen::Index>(pool.size()) &&
              (profiles ? pool.profiles : pool.learned).cols() == static_cast<Eigen::Index>(pool.values),
          "learned", "expected one row for each person and one column for each value",
          "Give the pool's people in the order of value_of_person.");
  const auto are_distributions = [](const RowMatrixXf& rows) {
    return rows.allFinite() && rows.minCoeff() >= 0 &&
           (rows.rowwise().sum().array() - 1).abs().maxCoeff() <= 1e-3;
  };
  require(are_distributions(pool.learned) && (!profiles || are_distributions(pool.profiles)), "learned",
          "expected rows of probabilities that sum to 1", "Normalise the model's output.");
  if (!profiles) return;
  const Eigen::Index width = pool.learned.cols();
  const bool blocks = pool.profiles.rows() % width == 0 &&
                      (pool.profile_block.empty() || pool.profile_block.size() == pool.size()) &&
                      std::ranges::all_of(pool.profile_block, [&](auto block) {
                        return (block + 1) * width <= pool.profiles.rows();
                      });
  require(blocks, "profiles", "expected blocks of as many profiles as there are weights",
          "Give one block for each model, and its number for each person.");
}

void validate_candidates(const PersonPool& pool, const PersonTerms& terms) {
  if (pool.candidates.empty()) return;
  require(pool.candidates.size() == pool.size(), "candidates", "expected one list for each person",
          "Leave the candidates empty, or list donors for everybody.");
  for (std::size_t u = 0; u < pool.size(); ++u) {
    const auto& donors = pool.candidates[u];
    const bool ascending = std::ranges::adjacent_find(donors, std::ranges::greater_equal{}) == donors.end();
    require(ascending && !donors.empty() && donors.back() < pool.size(), "candidates",
            "expected people of the pool in ascending order",
            "Sort the lists, and leave nobody without donors.");
    const bool only_self = donors.size() == 1 && donors.front() == u;
    require(terms.self_donor || pool.size() == 1 || !only_self, "candidates",
            "somebody may publish nobody but himself, whom the terms exclude", "Add other donors.");
  }
}

void validate_lifts(const PersonPool& pool, const PersonTerms& terms) {
  if (!terms.lifts.any()) return;
  require(terms.self_donor && pool.candidates.empty(), "lifts",
          "limits on lifts need all donors, people themselves among them",
          "Leave candidates out and allow people's own rows, or leave the limits out.");
  require(pool.shares_of_lifts.empty() || pool.shares_of_lifts.size() == pool.values, "shares_of_lifts",
          "expected one for each value", "Give the shares of all values, or none.");
  require_shares_within(pool, terms);
}

void validate(const PersonPool& pool, const PersonTerms& terms) {
  require(pool.size() > 0, "pools", "a pool holds nobody", "Leave empty pools out.");
  require(pool.distances != nullptr && pool.distances->size() == pool.size(), "distances",
          "expected the distances between all people of the pool",
          "Give one row and one column for each person.");
  const bool known =
      std::ranges::all_of(pool.value_of_person, [&](auto value) { return value < pool.values; });
  require(known, "value_of_person", "a value lies outside the range",
          "Number the values from 0 to values - 1.");
  validate_learned(pool);
  validate_candidates(pool, terms);
  validate_lifts(pool, terms);
  require(terms.learned_weight <= 0 || pool.learned.size() > 0, "learned",
          "the learned attacker has a weight but no model", "Give p(y | x) for every pool, or no weight.");
}

}  // namespace

void validate(Pools pools, const PersonTerms& terms) {
  const auto is_weight = [](double weight) { return std::isfinite(weight) && weight >= 0; };
  require(is_weight(terms.informed_weight) && is_weight(terms.learned_weight) &&
              terms.informed_weight + terms.learned_weight > 0,
          "terms", "expected weights that are not negative, one of them above 0",
          "Weigh the informed or the learned attacker.");
  require(terms.lifts.least >= 0 && terms.lifts.least <= 1 && terms.lifts.most >= 1, "lifts",
          "expected a least lift from 0 to 1 and a most of 1 or more", "Correct the limits.");
  require(!pools.empty(), "pools", "there is none", "Give at least one pool.");
  for (const auto& pool : pools) validate(pool, terms);
}

void validate(const PersonSettings& settings) {
  require(std::isfinite(settings.gap_tolerance_bits) && settings.gap_tolerance_bits > 0, "gap_tolerance_bits",
          "expected a number above 0", "Use the default, 1e-5.");
  require(std::isfinite(settings.gap_share) && settings.gap_share >= 0, "gap_share",
          "expected a number from 0", "Use the default, 0.");
  require(settings.max_iterations >= 1, "max_iterations", "expected at least 1", "Use the default, 2000.");
}

bool is_dense(const PersonPool& pool, const PersonTerms& terms, std::size_t dense_limit) {
  return pool.size() <= dense_limit && terms.learned_weight <= 0 && pool.candidates.empty() &&
         (terms.balanced || !terms.lifts.any());
}

PoolAnswer solve_pool(const PoolTask& task, std::size_t dense_limit, const Progress& progress) {
  PoolAnswer answer = is_dense(task.pool, task.terms, dense_limit) ? solve_pool_dense(task, progress)
                                                                   : solve_pool_sparse(task, progress);
  if (std::isnan(answer.distance)) answer.distance = total_distance(task.pool, answer.channel);
  return answer;
}

namespace {

void validate(Pools pools, std::span<const SparseChannel> channels) {
  require(channels.size() == pools.size(), "channels", "expected one for each pool",
          "Give as many as pools.");
  for (std::size_t g = 0; g < pools.size(); ++g) {
    const auto& channel = channels[g];
    const bool shaped = channel.size() == pools[g].size() && channel.starts.front() == 0 &&
                        channel.starts.back() == channel.donors.size() &&
                        std::ranges::is_sorted(channel.starts) &&
                        channel.donors.size() == channel.probabilities.size();
    require(shaped, "channels", "expected one row for each person of the pool", "Give the rows in order.");
    const bool inside =
        std::ranges::all_of(channel.donors, [&](auto donor) { return donor < pools[g].size(); }) &&
        std::ranges::all_of(channel.probabilities, [](double p) { return p >= 0 && p <= 1 + 1e-9; });
    require(inside, "channels", "expected probabilities of people of the pool", "Correct the channel.");
  }
}

// ---- Accounts ----

double people_of(Pools pools) {
  double sum = 0;
  for (const auto& pool : pools) sum += static_cast<double>(pool.size());
  return sum;
}

/// Both leakages and their weighted sum, per person.
void account_leakage(Pools pools, const PersonTerms& terms, std::span<const SparseChannel> channels,
                     PersonInfo& info) {
  const double people = people_of(pools);
  const bool learned = std::ranges::all_of(pools, [](const auto& pool) { return pool.learned.size() > 0; });
  info.informed_nats = 0;
  if (learned) info.learned_nats = 0;
  for (std::size_t g = 0; g < pools.size(); ++g) {
    info.informed_nats += informed_information(pools[g], channels[g]) / people;
    if (learned) info.learned_nats += learned_information(pools[g], channels[g]) / people;
  }
  info.objective_nats = terms.informed_weight * info.informed_nats;
  if (terms.learned_weight > 0) info.objective_nats += terms.learned_weight * info.learned_nats;
}

// ---- One price of distance ----

/// Channels and what they do, per person.
struct Point {
  std::vector<SparseChannel> channels;
  PersonInfo account = {};  ///< leakages, objective and distance
};

struct Solve {
  Point point;
  double bound = 0;  ///< of objective + multiplier * distance, per person
  bool all_donors = true;
  int iterations = 0;
};

/// Everything that stays the same while the price of distance changes.
struct Problem {
  Pools pools;
  const PersonTerms& terms;
  const PersonSettings& settings;
  const Progress& progress;
};

/// `tolerance` in nats per person.
Solve solve_at(const Problem& problem, double multiplier, double tolerance, const Point* start) {
  const auto pools = problem.pools;
  std::vector<PoolAnswer> answers(pools.size());
  const auto task_of = [&](std::size_t g) {
    return PoolTask{.pool = pools[g],
                    .terms = problem.terms,
                    .multiplier = multiplier,
                    // people weigh 1 in a pool: its share of the tolerance grows with it
                    .tolerance = tolerance * static_cast<double>(pools[g].size()),
                    .max_iterations = problem.settings.max_iterations,
                    .start = start != nullptr ? &start->channels[g] : nullptr};
  };
  const auto dense = [&](std::size_t g) {
    return is_dense(pools[g], problem.terms, problem.settings.dense_limit);
  };
  const bool side_by_side = pools.size() >= kManyPools;
  parallel_blocks(pools.size(), 1, [&](std::size_t g, std::size_t) {
    if (side_by_side || dense(g))
      answers[g] = solve_pool(task_of(g), problem.settings.dense_limit, problem.progress);
  });
  for (std::size_t g = 0; g < pools.size() && !side_by_side; ++g)  // which use all threads by themselves
    if (!dense(g)) answers[g] = solve_pool(task_of(g), problem.settings.dense_limit, problem.progress);

  Solve result;
  const double people = people_of(pools);
  double distance = 0;
  for (std::size_t g = 0; g < pools.size(); ++g) {
    auto& answer = answers[g];
    distance += answer.distance;
    // pools meet in the budget only, so at a fixed price their bounds add up
    result.bound += answer.lower_bound / people;
    result.all_donors = result.all_donors && answer.all_donors;
    result.iterations += answer.iterations;
    result.point.channels.push_back(std::move(answer.channel));
  }
  account_leakage(pools, problem.terms, result.point.channels, result.point.account);
  result.point.account.distance = distance / people;
  return result;
}

// ---- Budgets ----

SparseChannel mix(const SparseChannel& a, const SparseChannel& b, double share_of_b) {
  SparseChannel result;
  for (std::size_t u = 0; u < a.size(); ++u) {
    std::size_t i = a.starts[u];
    std::size_t k = b.starts[u];
    while (i < a.starts[u + 1] || k < b.starts[u + 1]) {
      const bool from_a = k == b.starts[u + 1] || (i < a.starts[u + 1] && a.donors[i] <= b.donors[k]);
      const bool from_b = i == a.starts[u + 1] || (k < b.starts[u + 1] && b.donors[k] <= a.donors[i]);
      result.donors.push_back(from_a ? a.donors[i] : b.donors[k]);
      double probability = 0;
      if (from_a) probability += (1 - share_of_b) * a.probabilities[i++];
      if (from_b) probability += share_of_b * b.probabilities[k++];
      result.probabilities.push_back(probability);
    }
    result.starts.push_back(result.donors.size());
  }
  return result;
}

/// The search for the price at which the budget is spent. What one budget teaches serves the next, which must
/// not be larger.
class BudgetSearch {
 public:
  explicit BudgetSearch(const Problem& problem);

  PersonResult solve(double budget);

 private:
  using PointPtr = std::shared_ptr<const Point>;
  struct Priced {
    double multiplier;
    double distance;
    PointPtr point;
    bool rough;  ///< solved to more than its share of the tolerance
  };
  struct Line {
    double bound, multiplier;  ///< no channel within a budget leaks less than bound - multiplier * budget
  };
  struct Best {
    Point point;
    double lower = 0;
    double multiplier = 0;

    double gap() const { return std::max(0.0, point.account.objective_nats - lower); }
  };

  void find_ends();
  void add_end(std::vector<SparseChannel> channels, double distance);
  void require_reachable(double budget) const;
  double least_distance() const;
  double nearest_found() const;
  bool lifts_are_out_of_reach(double budget) const;
  void forget_above(double budget);
  bool has_point_within(double budget) const;
  Best best_within(double budget) const;
  double next_price(double budget) const;
  double price_inside(double budget, std::size_t dear, std::size_t first) const;
  void search(double budget);
  void try_price(double multiplier, double budget);
  bool at_minimum(double budget) const { return budget <= smallest_ + distance_tolerance(); }
  double distance_tolerance() const { return kAtTheMinimum * std::max(1.0, smallest_); }
  double wanted_gap(double objective) const;
  bool is_solved(const Best& best) const;
  double solve_tolerance() const;
  PersonResult finish(Best best, const Stopwatch& watch, int iterations_before) const;

  const Problem& problem_;
  double tolerance_;                                             ///< nats; falls where the objective is small
  double gap_so_far_ = std::numeric_limits<double>::infinity();  ///< of the budget under way
  bool rough_at_first_ = false;
  std::vector<CheapestChannel> cheapest_;
  double smallest_ = 0;
  double uniform_ = std::numeric_limits<double>::infinity();  // distance beyond which a price hardly matters
  double harmless_ = std::numeric_limits<double>::infinity();
  double first_price_ = 1;
  PointPtr harmless_point_;
  std::vector<PointPtr> points_;  // all that may be mixed
  std::vector<Priced> priced_;    // the solved ones, by price
  std::vector<Line> lines_;
  bool all_donors_ = true;
  bool broke_down_ = false;
  int iterations_ = 0;
  double most_leakage_ = 0;  // nats: that limits on lifts allow
};

BudgetSearch::BudgetSearch(const Problem& problem)
    : problem_(problem), tolerance_(problem.settings.gap_tolerance_bits / kBitsPerNat) {
  find_ends();
}

void BudgetSearch::add_end(std::vector<SparseChannel> channels, double distance) {
  Point point{.channels = std::move(channels)};
  account_leakage(problem_.pools, problem_.terms, point.channels, point.account);
  point.account.distance = distance;
  // Balancing the ties of the smallest distance can fail: what is no channel must not look like one without
  // leakage.
  if (!std::isfinite(distance) || !std::isfinite(point.account.objective_nats)) return;
  points_.push_back(std::make_shared<Point>(std::move(point)));
}

/// The channels of the smallest distance and those that leak nothing: the ends of the frontier.
void BudgetSearch::find_ends() {
  const double people = people_of(problem_.pools);
  std::vector<SparseChannel> cheapest;
  std::vector<SparseChannel> harmless;
  double harmless_distance = 0;
  bool nothing_leaks = true;
  bool allowed = true;
  for (const auto& pool : problem_.pools) {
    problem_.progress.throw_if_stopped();
    cheapest_.push_back(cheapest_channel(pool, problem_.terms));
    smallest_ += cheapest_.back().distance / people;
    if (cheapest_.back().channel) {
      cheapest.push_back(*cheapest_.back().channel);
      allowed = allowed && keeps_lifts(pool, problem_.terms, cheapest.back());
    }
    if (problem_.terms.lifts.any()) most_leakage_ += most_leakage(pool, problem_.terms) / people;
    auto end = harmless_channel(pool, problem_.terms);
    harmless_distance += end.distance / people;
    nothing_leaks = nothing_leaks && end.harmless;
    if (end.channel) harmless.push_back(std::move(*end.channel));
  }
  // "Prices": the first is the slope of the chord between the two ends of the frontier
  if (cheapest.size() == problem_.pools.size()) {
    add_end(std::move(cheapest), smallest_);
    const double leak = points_.back()->account.objective_nats;
    const double room = harmless_distance - smallest_;
    if (leak > 0 && room > 0) first_price_ = leak / room;
    if (!allowed) points_.clear();  // nearer than limits on lifts allow
  }
  uniform_ = harmless_distance;
  if (harmless.size() == problem_.pools.size() && nothing_leaks) {
    add_end(std::move(harmless), harmless_distance);
    // Without self donors it is harmless to the informed attacker only: the learned one may still learn.
    if (points_.back()->account.objective_nats <= kNothingLeaks) {
      harmless_ = harmless_distance;
      harmless_point_ = points_.back();
    }
  }
}

void BudgetSearch::require_reachable(double budget) const {
  require(budget >= smallest_ - distance_tolerance(), "budget",
          fmt::format("no channel has an expected distance of {:.6g} or less", budget),
          fmt::format("The smallest that can be reached is {:.6g}.", smallest_));
}

/// Of all channels within the limits: F + lambda D >= bound, and F is at most what the limits allow.
double BudgetSearch::least_distance() const {
  double least = smallest_;
  for (const auto& line : lines_)
    if (line.multiplier > 0) least = std::max(least, (line.bound - most_leakage_) / line.multiplier);
  return least;
}

double BudgetSearch::nearest_found() const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& point : points_) nearest = std::min(nearest, point->account.distance);
  return nearest;
}

/// Proven, and the smallest budget that works is known well; or leakage hardly counts any more at the price.
bool BudgetSearch::lifts_are_out_of_reach(double budget) const {
  if (!problem_.terms.lifts.any() || has_point_within(budget) || priced_.empty()) return false;
  const double nearest = nearest_found(), least = least_distance();
  return (least > budget && nearest - least <= kNearestDistance * nearest) ||
         most_leakage_ <= kLeakageOfNone * priced_.back().multiplier * nearest;
}

bool BudgetSearch::has_point_within(double budget) const {
  return std::ranges::any_of(
      points_, [&](const auto& p) { return p->account.distance <= budget + distance_tolerance(); });
}

/// Budgets come from the largest to the smallest: of the points above, only the nearest can still serve.
void BudgetSearch::forget_above(double budget) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& point : points_)
    // the frontier is convex: a chord to a point farther out lies above the chord to the nearest one
    if (point->account.distance > budget) nearest = std::min(nearest, point->account.distance);
  std::erase_if(points_, [&](const auto& point) { return point->account.distance > nearest; });
  std::erase_if(priced_, [&](const auto& priced) { return priced.distance > nearest; });
}

/// The mix of one point within the budget and one beyond that promises the least, and the best lower bound.
BudgetSearch::Best BudgetSearch::best_within(double budget) const {
  Best best;
  for (const auto& line : lines_) {
    // person_channel.md, "Budget": phi_i <= F + lambda_i D, so F >= phi_i - lambda_i budget for all channels
    // within it
    const double lower = line.bound - line.multiplier * budget;
    if (lower <= best.lower) continue;
    best.lower = lower;
    best.multiplier = line.multiplier;
  }
  const Point* below = nullptr;
  const Point* above = nullptr;
  double share = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& in : points_) {
    const PersonInfo& inside = in->account;
    if (inside.distance > budget + distance_tolerance()) continue;
    if (inside.objective_nats < least) {
      least = inside.objective_nats;
      below = in.get();
      above = nullptr;
    }
    for (const auto& out : points_) {
      const PersonInfo& outside = out->account;
      if (outside.distance <= budget + distance_tolerance()) continue;
      // D is linear: the mix with share t has distance = budget. F is convex: it leaks at most the chord.
      const double t = std::max(0.0, budget - inside.distance) / (outside.distance - inside.distance);
      const double chord = (1 - t) * inside.objective_nats + t * outside.objective_nats;
      if (chord >= least) continue;
      least = chord;
      below = in.get();
      above = out.get();
      share = t;
    }
  }
  if (above == nullptr) {
    best.point = *below;
    return best;
  }
  for (std::size_t g = 0; g < below->channels.size(); ++g)
    best.point.channels.push_back(mix(below->channels[g], above->channels[g], share));
  // the chord only chose the pair; what is reported is computed from the mixed channel
  account_leakage(problem_.pools, problem_.terms, best.point.channels, best.point.account);
  best.point.account.distance = (1 - share) * below->account.distance + share * above->account.distance;
  return best;
}

/// Distance falls with its price. Outside a bracket the price goes up or down by steps that follow the
/// distance still to go. 0: nothing left to try.
double BudgetSearch::next_price(double budget) const {
  const auto has_logarithm = [](const Priced& priced) { return priced.multiplier > 0; };
  const auto first = std::ranges::find_if(priced_, has_logarithm);
  const auto dear = std::find_if(first, priced_.end(), [&](const Priced& p) { return p.distance <= budget; });
  if (first == priced_.end()) return first_price_;
  if (dear == priced_.end()) {
    const Priced& cheap = priced_.back();
    // above all prices tried: the farther from the budget, the larger the step, within 1.5 and 10
    const double ratio = (cheap.distance - smallest_) / std::max(budget - smallest_, 1e-300);
    // with limits on lifts the smallest distance is not known
    const double price = cheap.multiplier * std::clamp(ratio, problem_.terms.lifts.any() ? 3.0 : 1.5, 10.0);
    return price <= kSteepest * first_price_ ? price : 0;
  }
  if (dear == first) {
    // below all prices tried: twice as far as the line through the two lowest would go, within 1.1 and 4
    double step = std::log(4.0);
    if (dear + 1 != priced_.end() && dear->distance > (dear + 1)->distance)
      step = std::clamp(2 * (budget - dear->distance) * std::log((dear + 1)->multiplier / dear->multiplier) /
                            (dear->distance - (dear + 1)->distance),
                        std::log(1.1), step);
    const double price = dear->multiplier * std::exp(-step);
    return price >= first_price_ / kSteepest ? price : 0;
  }
  return price_inside(budget, static_cast<std::size_t>(dear - priced_.begin()),
                      static_cast<std::size_t>(first - priced_.begin()));
}

/// Inside a bracket the logarithm of the price is interpolated by distance, through a third point where there
/// is one. The aim lies a little beyond the budget as seen from the nearer end: points close by on both sides
/// make a good mix, one alone does not.
double BudgetSearch::price_inside(double budget, std::size_t dear, std::size_t first) const {
  const Priced& high = priced_[dear];
  const Priced& low = priced_[dear - 1];
  const double width = std::log(high.multiplier / low.multiplier);
  if (width <= (high.rough || low.rough ? 1e-2 : 1e-9)) return 0;
  // "Prices": the mix needs points close by on both sides, so the aim lies a fifth beyond the budget
  const bool low_is_nearer = low.distance - budget < budget - high.distance;
  const double aim = budget + 0.2 * (budget - (low_is_nearer ? low : high).distance);
  const auto slope = [](const Priced& a, const Priced& b) {
    return std::log(a.multiplier / b.multiplier) / (a.distance - b.distance);
  };
  double step = slope(high, low) * (aim - low.distance);
  const bool below = dear >= first + 2;
  if (below || dear + 1 < priced_.size()) {
    const Priced& third = below ? priced_[dear - 2] : priced_[dear + 1];
    // Newton's second divided difference of log lambda by D; not finite where two points coincide
    const double bend = (slope(third, high) - slope(high, low)) / (third.distance - low.distance);
    if (std::isfinite(bend)) step += bend * (aim - low.distance) * (aim - high.distance);
  }
  // inside the bracket whatever the parabola says, so that it shrinks
  return low.multiplier * std::exp(std::clamp(step, 0.02 * width, 0.98 * width));
}

void BudgetSearch::try_price(double multiplier, double budget) {
  const auto place = std::ranges::lower_bound(priced_, multiplier, {},
                                              [](const Priced& priced) { return priced.multiplier; });
  const Point* start = nullptr;
  if (place != priced_.end())
    start = place->point.get();
  else if (!priced_.empty())
    start = priced_.back().point.get();
  const double tolerance = solve_tolerance();
  Solve solved = solve_at(problem_, multiplier, tolerance, start);
  iterations_ += solved.iterations;
  all_donors_ = all_donors_ && solved.all_donors;
  const PersonInfo& account = solved.point.account;
  if (!std::isfinite(account.distance) || !std::isfinite(account.objective_nats)) {
    broke_down_ = true;  // a price beyond the solver's numbers: no channel, and no higher one will do
    return;
  }
  // what is not finite proves nothing
  if (std::isfinite(solved.bound)) lines_.push_back({solved.bound, multiplier});
  const auto point = std::make_shared<Point>(std::move(solved.point));
  points_.push_back(point);
  priced_.insert(place,
                 {multiplier, point->account.distance, point, tolerance > kShareOfOneSolve * tolerance_});
  // "Ends": within 1e-12 of the smallest distance only pairs with p_u + r_j = d(u,j) may be used
  if (!at_minimum(budget) || problem_.terms.lifts.any()) return;
  std::vector<SparseChannel> ties;
  for (std::size_t g = 0; g < cheapest_.size() && cheapest_[g].channel; ++g)
    ties.push_back(on_cheapest_pairs(problem_.pools[g], problem_.terms, cheapest_[g], point->channels[g]));
  if (ties.size() == cheapest_.size()) {
    double distance = 0;
    for (std::size_t g = 0; g < ties.size(); ++g) distance += total_distance(problem_.pools[g], ties[g]);
    add_end(std::move(ties), distance / people_of(problem_.pools));
  }
}

/// "Prices": far from the price that spends the budget a rough answer is as good, and it proves as much. The
/// interior point of small pools is as quick to the end.
double BudgetSearch::solve_tolerance() const {
  if (!rough_at_first_) return kShareOfOneSolve * tolerance_;
  return std::max(kShareOfOneSolve * tolerance_, std::min(kShareOfGap * gap_so_far_, kCoarsestSolve));
}

/// Nats. Never above the tolerance; follows the objective where that is small.
double BudgetSearch::wanted_gap(double objective) const {
  const PersonSettings& settings = problem_.settings;
  const double asked = settings.gap_tolerance_bits / kBitsPerNat;
  if (settings.gap_share <= 0) return asked;
  return std::min(asked, std::max(kLeastGapBits / kBitsPerNat, settings.gap_share * objective));
}

/// Near the smallest distance that limits on lifts allow, prices are so high that leakage is the last digits
/// of what is minimised: person_channel.md, "Limits on lifts".
bool BudgetSearch::is_solved(const Best& best) const {
  const double digits =
      problem_.terms.lifts.any() ? kDigitsOfLimits * best.multiplier * best.point.account.distance : 0;
  return best.gap() <= std::max(tolerance_, digits);
}

PersonResult BudgetSearch::solve(double budget) {
  const Stopwatch watch;
  tolerance_ = problem_.settings.gap_tolerance_bits / kBitsPerNat;
  gap_so_far_ = std::numeric_limits<double>::infinity();
  rough_at_first_ = std::ranges::any_of(problem_.pools, [&](const PersonPool& pool) {
    return !is_dense(pool, problem_.terms, problem_.settings.dense_limit);
  });
  broke_down_ = false;
  const int iterations_before = iterations_;
  require_reachable(budget);
  // nothing leaks to the informed attacker, and nothing can leak less: no search
  if (budget >= harmless_)
    return finish({.point = *harmless_point_, .lower = 0, .multiplier = 0}, watch, iterations_before);
  forget_above(budget);
  try {
    search(budget);
  } catch (const Stopped&) {
    // Without any price there is no bound, and of the ends of the frontier nothing is worth keeping.
    if (lines_.empty() || !has_point_within(budget)) throw;
  }
  return finish(best_within(budget), watch, iterations_before);
}

/// Adds points and bounds until the best mix is within the tolerance, or nothing is left to try.
void BudgetSearch::search(double budget) {
  if (budget >= uniform_) try_price(0, budget);  // something must leak, or the harmless channel is too large
  for (int tried = 0; tried < kMostPrices; ++tried) {
    problem_.progress.throw_if_stopped();
    if (has_point_within(budget)) {
      const Best best = best_within(budget);
      problem_.progress.report("donors", tried, 0);
      // a gap as large as the objective would prove nothing about a small leakage
      tolerance_ = std::min(tolerance_, wanted_gap(best.point.account.objective_nats));
      if (is_solved(best)) return;
      gap_so_far_ = best.gap();
    }
    double price = next_price(budget);
    if (price <= 0 && rough_at_first_) {
      // rough answers led the search astray: those that are not rough stay, and all others will not be
      rough_at_first_ = false;
      std::erase_if(priced_, [](const Priced& priced) { return priced.rough; });
      price = next_price(budget);
    }
    if (price <= 0) break;
    try_price(price, budget);
    if (broke_down_ || lifts_are_out_of_reach(budget)) break;
  }
  if (problem_.terms.lifts.any() && !has_point_within(budget))
    throw LiftsOutOfReach(budget, (1 + kNearestDistance) * nearest_found());
  require(has_point_within(budget), "budget",
          fmt::format("found no channel with an expected distance of {:.6g} or less", budget),
          "Raise the budget.");
}

PersonResult BudgetSearch::finish(Best best, const Stopwatch& watch, int iterations_before) const {
  PersonResult result;
  result.info = best.point.account;
  result.info.gap_nats = best.gap();
  result.info.solved = is_solved(best);
  result.info.multiplier = best.multiplier;
  result.info.all_donors = all_donors_;
  result.info.iterations = iterations_ - iterations_before;
  result.info.seconds = watch.seconds();
  result.channels = std::move(best.point.channels);
  return result;
}

}  // namespace

PersonResult solve_people_with_multiplier(Pools pools, const PersonTerms& terms, double multiplier,
                                          const PersonSettings& settings, const Progress& progress) {
  const Stopwatch watch;
  validate(pools, terms);
  validate(settings);
  require(std::isfinite(multiplier) && multiplier >= 0, "multiplier", "expected a finite number from 0",
          "Give the price of distance in nats.");
  const double tolerance = settings.gap_tolerance_bits / kBitsPerNat;
  Solve solved = solve_at({pools, terms, settings, progress}, multiplier, tolerance, nullptr);
  PersonResult result{.channels = std::move(solved.point.channels), .info = solved.point.account};
  auto& info = result.info;
  info.gap_nats = std::max(0.0, info.objective_nats + multiplier * info.distance - solved.bound);
  info.solved = info.gap_nats <= tolerance;
  info.all_donors = solved.all_donors;
  info.multiplier = multiplier;
  info.iterations = solved.iterations;
  info.seconds = watch.seconds();
  return result;
}

PersonResult solve_people_with_budget(Pools pools, const PersonTerms& terms, double budget,
                                      const PersonSettings& settings, const Progress& progress) {
  return std::move(solve_people_with_budgets(pools, terms, {&budget, 1}, settings, progress).front());
}

std::vector<PersonResult> solve_people_with_budgets(Pools pools, const PersonTerms& terms,
                                                    std::span<const double> budgets,
                                                    const PersonSettings& settings,
                                                    const Progress& progress) {
  validate(pools, terms);
  validate(settings);
  require(!budgets.empty(), "budget", "there is none", "Give at least one.");
  for (const double budget : budgets)
    require(std::isfinite(budget), "budget", "expected a finite number",
            "Give the largest expected distance.");

  std::vector<std::size_t> order(budgets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t i) { return budgets[i]; });
  const Problem problem{pools, terms, settings, progress};
  BudgetSearch search(problem);
  std::vector<PersonResult> results(budgets.size());
  for (const std::size_t i : order) results[i] = search.solve(budgets[i]);
  return results;
}

double smallest_person_distance(Pools pools, const PersonTerms& terms) {
  validate(pools, terms);
  double sum = 0;
  for (const auto& pool : pools) sum += cheapest_channel(pool, terms).distance;
  return sum / people_of(pools);
}

double smallest_person_distance(const PoolSource& pools, const PersonTerms& terms) {
  if (terms.self_donor && pools.own_rows_are_free()) return 0;
  std::vector<double> sums(pools.size());
  parallel_blocks(pools.size(), 1, [&](std::size_t g, std::size_t) {
    const auto pool = pools.load(g);
    validate({pool.get(), 1}, terms);
    sums[g] = cheapest_channel(*pool, terms).distance;
  });
  double people = 0;
  for (std::size_t g = 0; g < pools.size(); ++g) people += static_cast<double>(pools.people(g));
  return std::accumulate(sums.begin(), sums.end(), 0.0) / people;
}

double harmless_person_distance(Pools pools, const PersonTerms& terms) {
  validate(pools, terms);
  double sum = 0;
  for (const auto& pool : pools) sum += harmless_channel(pool, terms).distance;
  return sum / people_of(pools);
}

PersonInfo evaluate_people(Pools pools, const PersonTerms& terms, std::span<const SparseChannel> channels) {
  validate(pools, terms);
  validate(pools, channels);
  PersonInfo info;
  account_leakage(pools, terms, channels, info);
  double distance = 0;
  for (std::size_t g = 0; g < pools.size(); ++g) distance += total_distance(pools[g], channels[g]);
  info.distance = distance / people_of(pools);
  info.objective_nats = kUnset;
  return info;
}

}  // namespace hyobscure::solve
