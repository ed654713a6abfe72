#include "hyobscure/solve/person/person_many.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/solve/channel/channel.h"

namespace hyobscure::solve {
namespace {

// Pools on which the price is found: a share of each stratum, with so many people and pools in all at least.
constexpr double kScoutPeople = 12'000;
constexpr double kFewestScouts = 4;
constexpr double kCoarse = 10;          // times the tolerance: for the scouts
constexpr double kNear = 0.03;          // of the budget: where the rough search ends
constexpr double kCloseEnough = 0.005;  // of the budget: where the search on scouts ends
// Shares of the tolerance, 1 in all: of the solves, of a distance below the budget, of pools off the common
// price.
constexpr double kShareOfSolves = 0.6;
constexpr double kShareOfSlack = 0.2;
constexpr double kDearerFirst[] = {16, 4};  // times the price: solved before it where there is no channel yet
constexpr double kDearerTolerance = 1e-2;   // nats per person there
constexpr int kMostScoutPrices = 20;
// Where limits on lifts leave no channel: how well the nearest is known, of itself; and the share of its
// price below which leakage tells nothing more about it.
constexpr double kNearestOfScouts = 0.03, kLeakageOfScouts = 5e-3;
constexpr double kNearlyNothing = 2;  // times the tolerance: an objective of a rough solution
constexpr int kMostFinePrices = 5;
constexpr int kMostAdjustments = 12;
constexpr double kPriceRange = 1e8;  // prices this far from the first end the search
constexpr double kFlattest = 1e-3;   // of the budget: a slope that is used
constexpr double kLargestShift = 1;  // of log price at once
constexpr double kShareOfShift = 0.2;
constexpr double kSmallestShare = 0.1;  // of the people, solved again at once
constexpr double kShareOfAll = 0.6;     // with more, all pools are solved at a new common price

/// A pool at the price that it was last solved at.
struct Solved {
  double price = 0;
  double bound = 0;           // of objective + price_of_bound * distance
  double price_of_bound = 0;  // the common price, also where the pool was solved again at one nearby
  double distance = 0;
  double informed = 0, learned = 0;
  int iterations = 0;
};

Solved solved_by(const PoolOrder& order, const PoolFigures& figures) {
  return {.price = order.price,
          .bound = figures.bound,
          .price_of_bound = order.price,
          .distance = figures.distance,
          .informed = figures.informed,
          .learned = figures.learned,
          .iterations = figures.iterations};
}

struct Totals {
  double distance = 0, objective = 0, informed = 0, learned = 0, bound = 0;

  void add(const Solved& solved, double weight, double weight_of_distance, const PersonTerms& terms) {
    distance += weight_of_distance * solved.distance;
    informed += weight * solved.informed;
    learned += weight * solved.learned;
    bound += weight * solved.bound;
    objective = terms.informed_weight * informed + terms.learned_weight * learned;
  }
};

/// What a sum over the people of a scout counts in a mean over everybody.
struct ScoutWeight {
  double leakage;
  double distance;  ///< in proportion to the spread of the pools that it stands for
};

/// A price and the distance to which it leads.
struct Probe {
  double price, distance;
};

class ManyPools {
 public:
  ManyPools(const PoolList& pools, PoolSolver& solver, const PersonTerms& terms, double budget,
            const PersonSettings& settings, const Progress& progress)
      : pools_(pools),
        solver_(solver),
        terms_(terms),
        budget_(budget),
        progress_(progress),
        tolerance_(settings.gap_tolerance_bits / kBitsPerNat),
        solved_(pools.size()) {
    for (std::size_t g = 0; g < pools.size(); ++g) people_ += static_cast<double>(pools.people(g));
  }

  PersonResult solve() {
    const Stopwatch watch;
    choose_scouts();
    find_price();
    solve_others();
    spend_budget();
    return finish(watch);
  }

 private:
  struct Extent {
    double people = 0, distance = 0;
  };
  Extent extent_of(std::span<const std::size_t> pools) const;
  void choose_scouts();
  void find_price();
  Totals probe(double price, double tolerance);
  double next_price() const;
  double most_leakage() const;
  double first_price() const;
  bool lifts_are_out_of_reach(const Totals& sum) const;
  void learn_slope(double change, double shift);
  double shift_for(double distance) const;
  bool nothing_to_gain(const Totals& sum) const;
  double slope_of_scouts() const;
  void solve_others();
  void spend_budget();
  Totals totals() const;
  void solve_some(std::span<const std::size_t> chosen, std::optional<double> price_factor);
  PersonResult finish(const Stopwatch& watch);

  const PoolList& pools_;
  PoolSolver& solver_;
  const PersonTerms& terms_;
  const double budget_;
  const Progress& progress_;
  const double tolerance_;  // nats per person
  double people_ = 0;
  std::vector<std::size_t> scouts_;
  std::vector<ScoutWeight> scout_weights_;
  std::vector<Probe> probes_;  // by price, ascending
  double most_leakage_ = 0;    // nats per person
  double price_ = 0;
  double slope_ = 0;  // d distance / d log price, negative
  std::vector<Solved> solved_;
};

ManyPools::Extent ManyPools::extent_of(std::span<const std::size_t> pools) const {
  Extent sum;
  for (const std::size_t g : pools) {
    const auto people = static_cast<double>(pools_.people(g));
    sum.people += people;
    sum.distance += people * pools_.spread(g);
  }
  return sum;
}

/// Some pools of every stratum, evenly spaced: neighbouring ones are alike. What they do stands for their
/// stratum.
void ManyPools::choose_scouts() {
  std::map<std::size_t, std::vector<std::size_t>> strata;
  for (std::size_t g = 0; g < pools_.size(); ++g) strata[pools_.stratum(g)].push_back(g);
  const auto pools = static_cast<double>(pools_.size());
  const double share = std::max(kFewestScouts / pools, kScoutPeople / people_);
  for (const auto& [stratum, members] : strata) {
    const auto size = static_cast<double>(members.size());
    const auto count = static_cast<std::size_t>(std::clamp(std::ceil(share * size), 1.0, size));
    const Extent all = extent_of(members);
    const auto first = scouts_.size();
    for (std::size_t n = 0; n < count; ++n)
      scouts_.push_back(members[(2 * n + 1) * members.size() / (2 * count)]);
    const Extent scouted = extent_of(std::span(scouts_).subspan(first));
    scout_weights_.resize(scouts_.size(), {.leakage = all.people / scouted.people / people_,
                                           .distance = all.distance / scouted.distance / people_});
  }
  solver_.keep(scouts_);
}

/// What the scouts do at a price.
Totals ManyPools::probe(double price, double tolerance) {
  std::vector<PoolOrder> orders;
  for (const std::size_t pool : scouts_) orders.push_back({pool, price, tolerance});
  const std::vector<PoolFigures> figures = solver_.solve(orders, progress_.with_reports({}));
  Totals sum;
  for (std::size_t s = 0; s < scouts_.size(); ++s) {
    solved_[scouts_[s]] = solved_by(orders[s], figures[s]);
    sum.add(solved_[scouts_[s]], scout_weights_[s].leakage, scout_weights_[s].distance, terms_);
  }
  return sum;
}

/// Of everybody's own row, or what limits on lifts leave of it, as the scouts tell.
double ManyPools::most_leakage() const {
  double leak = 0;
  for (std::size_t s = 0; s < scouts_.size(); ++s) {
    OwnRows own = solver_.own_rows(scouts_[s]);
    if (terms_.lifts.has_most())
      own.informed = std::min(own.informed,
                              std::log(terms_.lifts.most) * static_cast<double>(pools_.people(scouts_[s])));
    leak += scout_weights_[s].leakage * terms_.informed_weight * own.informed;
    if (terms_.learned_weight > 0) leak += scout_weights_[s].leakage * terms_.learned_weight * own.learned;
  }
  return leak;
}

/// F + price D >= bound, and F is at most what own rows reveal, to the informed attacker the log of a lift:
/// by the scouts no channel within the limits is within the budget, and the nearest is found within a few per
/// cent.
bool ManyPools::lifts_are_out_of_reach(const Totals& sum) const {
  if (!terms_.lifts.any() || sum.distance <= budget_) return false;
  const double least = (sum.bound - most_leakage_) / price_;
  return (least > budget_ && sum.distance - least <= kNearestOfScouts * sum.distance) ||
         most_leakage_ <= kLeakageOfScouts * price_ * sum.distance;
}

/// A quarter of the slope of the chord from everybody's own row, where all leaks, to twice the budget: the
/// frontier is steep at its far end and flat near nothing.
double ManyPools::first_price() const {
  const double price = 0.25 * most_leakage_ / std::max(budget_, 1e-12);
  return price > 0 ? price : 1;
}

/// Distance falls with its price: up or down by 4 until two prices are on both sides of the budget, then by
/// interpolation of log price.
double ManyPools::next_price() const {
  const auto within =
      std::ranges::find_if(probes_, [&](const Probe& probe) { return probe.distance <= budget_; });
  if (within == probes_.end()) return 4 * probes_.back().price;
  if (within == probes_.begin()) {
    // twice as far as the line through the two lowest prices would go, within 1.1 and 4
    double step = std::log(4.0);
    if (probes_.size() > 1 && within->distance > probes_[1].distance)
      step = std::clamp(2 * (budget_ - within->distance) * std::log(probes_[1].price / within->price) /
                            (within->distance - probes_[1].distance),
                        std::log(1.1), step);
    return within->price * std::exp(-step);
  }
  const Probe& near = *within;
  const Probe& far = *(within - 1);
  const double share = std::clamp((budget_ - near.distance) / (far.distance - near.distance), 0.05, 0.95);
  return near.price * std::pow(far.price / near.price, share);
}

/// Roughly first, then to the tolerance of the answer: rough solutions are some per cent off in distance.
void ManyPools::find_price() {
  progress_.report("finding the price of distance", 0, 0);
  most_leakage_ = most_leakage();
  const double first = first_price();
  price_ = first;
  for (int tried = 0; tried < kMostScoutPrices; ++tried) {
    progress_.throw_if_stopped();
    if (tried > 0) price_ = next_price();
    const Totals sum = probe(price_, kCoarse * kShareOfSolves * tolerance_);
    const double distance = sum.distance;
    if (lifts_are_out_of_reach(sum)) throw LiftsOutOfReach(budget_, (1 + kNear) * distance);
    probes_.insert(std::ranges::lower_bound(probes_, price_, {}, &Probe::price), {price_, distance});
    // even where distance is nearly free, the budget is not spent: nothing is left to gain
    const bool far_end = distance <= budget_ && price_ < first / kPriceRange;
    if (far_end || std::abs(distance - budget_) <= kNear * budget_) break;
    // solved well it will be less: perhaps nothing is left to gain
    if (distance <= budget_ && sum.objective <= kNearlyNothing * tolerance_) break;
  }
  slope_ = slope_of_scouts();
  double shift = 0, before = 0;
  for (int tried = 0; tried < kMostFinePrices; ++tried) {
    price_ *= std::exp(shift);
    const Totals sum = probe(price_, kShareOfSolves * tolerance_);
    learn_slope(sum.distance - before, shift);
    if (std::abs(sum.distance - budget_) <= kCloseEnough * budget_ || nothing_to_gain(sum)) break;
    shift = shift_for(sum.distance);
    before = sum.distance;
  }
  solver_.keep({});
}

/// From what the last shift of log price has changed; a change of the wrong sign is noise.
void ManyPools::learn_slope(double change, double shift) {
  if (change * shift < 0) slope_ = std::min(change / shift, -kFlattest * budget_);
}

/// Of log price, that brings a distance to the budget.
double ManyPools::shift_for(double distance) const {
  return std::clamp((distance - budget_) / -slope_, -kLargestShift, kLargestShift);
}

/// An objective below the tolerance cannot be above the optimum by more.
bool ManyPools::nothing_to_gain(const Totals& sum) const {
  return sum.distance <= budget_ && sum.objective <= tolerance_;
}

/// At the common price, of which the bound is; with `price_factor` at the price that each was last solved at,
/// times this.
void ManyPools::solve_some(std::span<const std::size_t> chosen, std::optional<double> price_factor) {
  if (chosen.empty()) return;
  std::vector<PoolOrder> orders;
  for (const std::size_t pool : chosen)
    orders.push_back(
        {pool, price_factor ? solved_[pool].price * *price_factor : price_, kShareOfSolves * tolerance_});
  // A few pools that are solved again would be lost by a stop, and the others with them.
  const std::vector<PoolFigures> figures = solver_.solve(orders, price_factor ? Progress() : progress_);
  for (std::size_t n = 0; n < chosen.size(); ++n) {
    Solved& solved = solved_[chosen[n]];
    const double bound = solved.bound, price_of_bound = solved.price_of_bound;
    solved = solved_by(orders[n], figures[n]);
    if (price_factor) {
      // person_many.md: pools solved again at a price nearby keep the bound of the common price
      solved.bound = bound;
      solved.price_of_bound = price_of_bound;
    }
  }
}

/// The scouts are solved at the common price already.
void ManyPools::solve_others() {
  std::vector<std::size_t> others;
  for (std::size_t g = 0; g < pools_.size(); ++g)
    if (solved_[g].price_of_bound != price_) others.push_back(g);
  solve_some(others, std::nullopt);
}

Totals ManyPools::totals() const {
  Totals sum;
  for (const Solved& solved : solved_) sum.add(solved, 1 / people_, 1 / people_, terms_);
  return sum;
}

/// d distance / d log price among the scouts, at the price; negative.
double ManyPools::slope_of_scouts() const {
  double slope = -0.25 * budget_;
  for (std::size_t k = 1; k < probes_.size(); ++k)
    if (probes_[k - 1].price <= price_ && price_ <= probes_[k].price)
      slope =
          (probes_[k].distance - probes_[k - 1].distance) / std::log(probes_[k].price / probes_[k - 1].price);
  return std::min(slope, -kFlattest * budget_);
}

/// Until the distance is within the budget, and what is left of it is worth little.
void ManyPools::spend_budget() {
  std::size_t next = 0;  // pools are taken in turn
  for (int round = 0;; ++round) {
    const Totals sum = totals();
    const double excess = sum.distance - budget_;
    const double slack = kShareOfSlack * tolerance_ / std::max(price_, 1e-300);
    if (excess <= 0 &&
        (-excess <= slack || nothing_to_gain(sum) || round >= kMostAdjustments || progress_.stop_requested()))
      return;
    if (round >= 4 * kMostAdjustments && terms_.lifts.any()) throw LiftsOutOfReach(budget_, sum.distance);
    if (round >= 4 * kMostAdjustments)
      throw InputError({.source = "budget"},
                       fmt::format("found no channel with an expected distance of {:.6g} or less", budget_),
                       "Raise the budget.");
    // aim at the middle of what is allowed
    const double shift = shift_for(sum.distance + 0.5 * std::min(slack, 0.01 * budget_));
    // person_many.md (2): by how much fewer pools must be off the common price, and what that costs
    const double share = std::max({0.5 * price_ * -slope_ * shift * shift / (kShareOfShift * tolerance_),
                                   std::abs(shift) / kLargestShift, kSmallestShare});
    if (share > kShareOfAll) {
      progress_.throw_if_stopped();  // as long as all that went before
      price_ *= std::exp(shift);
      solve_others();
      learn_slope(totals().distance - sum.distance, shift);
      continue;
    }
    std::vector<std::size_t> chosen;
    for (double people = 0; people < share * people_ && chosen.size() < pools_.size();) {
      people += static_cast<double>(pools_.people(next));
      chosen.push_back(next);
      next = (next + 1) % pools_.size();
    }
    solve_some(chosen, std::exp(shift / share));
  }
}

PersonResult ManyPools::finish(const Stopwatch& watch) {
  const Totals sum = totals();
  PersonResult result;
  PersonInfo& info = result.info;
  info.informed_nats = sum.informed;
  if (terms_.learned_weight > 0 || sum.learned > 0) info.learned_nats = sum.learned;
  info.distance = sum.distance;
  info.objective_nats = sum.objective;
  // (1), and nothing leaks less than nothing
  info.gap_nats = std::max(0.0, sum.objective - std::max(0.0, sum.bound - price_ * budget_));
  info.solved = info.gap_nats <= tolerance_;
  info.multiplier = price_;
  for (const Solved& solved : solved_) info.iterations += solved.iterations;
  result.channels = solver_.take_channels();
  info.seconds = watch.seconds();
  return result;
}

/// Solves pools on the threads of this process.
class ThreadedPools final : public PoolSolver {
 public:
  ThreadedPools(const PoolSource& pools, const PersonTerms& terms, const PersonSettings& settings)
      : pools_(pools), terms_(terms), settings_(settings), channels_(pools.size()) {}

  std::vector<PoolFigures> solve(std::span<const PoolOrder> orders, const Progress& progress) override {
    std::vector<PoolFigures> figures(orders.size());
    SharedProgress shared(progress, "choosing donors", orders.size());
    const Progress quiet = progress.with_reports({});
    parallel_blocks(orders.size(), 1, [&](std::size_t n, std::size_t) {
      const std::size_t g = orders[n].pool;
      const auto pool = loaded(g);
      SolvedPool solved = solve_order(*pool, terms_, settings_, orders[n], std::move(channels_[g]), quiet);
      channels_[g] = std::move(solved.channel);
      figures[n] = solved.figures;
      shared.one_done();
    });
    return figures;
  }

  void keep(std::span<const std::size_t> pools) override {
    kept_.clear();
    std::vector<std::shared_ptr<const PersonPool>> found(pools.size());
    parallel_blocks(pools.size(), 1, [&](std::size_t n, std::size_t) { found[n] = loaded(pools[n]); });
    for (std::size_t n = 0; n < pools.size(); ++n) kept_[pools[n]] = std::move(found[n]);
  }

  OwnRows own_rows(std::size_t pool) const override { return own_rows_of(*loaded(pool)); }
  std::vector<SparseChannel> take_channels() override { return std::move(channels_); }

 private:
  std::shared_ptr<const PersonPool> loaded(std::size_t g) const {
    const auto kept = kept_.find(g);
    if (kept != kept_.end()) return kept->second;
    auto pool = pools_.load(g);
    validate({pool.get(), 1}, terms_);
    return pool;
  }

  const PoolSource& pools_;
  const PersonTerms& terms_;
  const PersonSettings& settings_;
  std::map<std::size_t, std::shared_ptr<const PersonPool>> kept_;
  std::vector<SparseChannel> channels_;
};

}  // namespace

SolvedPool solve_order(const PersonPool& pool, const PersonTerms& terms, const PersonSettings& settings,
                       const PoolOrder& order, SparseChannel start, const Progress& progress) {
  const auto solve_at = [&](double multiplier, double per_person) {
    return solve_pool({.pool = pool,
                       .terms = terms,
                       .multiplier = multiplier,
                       .tolerance = per_person * static_cast<double>(pool.size()),
                       .max_iterations = settings.max_iterations,
                       .start = start.size() == pool.size() ? &start : nullptr},
                      settings.dense_limit, progress);
  };
  // person_many.md, "From nothing"
  if (start.size() != pool.size() && !is_dense(pool, terms, settings.dense_limit))
    for (const double factor : kDearerFirst)
      start = solve_at(factor * order.price, std::max(order.tolerance, kDearerTolerance)).channel;
  PoolAnswer answer = solve_at(order.price, order.tolerance);
  SolvedPool solved{
      .figures = {.bound = answer.lower_bound, .distance = answer.distance, .iterations = answer.iterations},
      .channel = std::move(answer.channel)};
  solved.figures.informed = informed_information(pool, solved.channel);
  if (pool.learned.size() > 0) solved.figures.learned = learned_information(pool, solved.channel);
  return solved;
}

OwnRows own_rows_of(const PersonPool& pool) {
  std::vector<std::uint32_t> own(pool.size());
  std::iota(own.begin(), own.end(), 0U);
  const SparseChannel channel = one_donor_each(std::move(own));
  return {.informed = informed_information(pool, channel),
          .learned = pool.learned.size() > 0 ? learned_information(pool, channel) : 0};
}

PersonResult solve_many_pools_with_budget(const PoolList& pools, PoolSolver& solver, const PersonTerms& terms,
                                          double budget, const PersonSettings& settings,
                                          const Progress& progress) {
  validate(settings);
  ManyPools many(pools, solver, terms, budget, settings, progress);
  return many.solve();
}

PersonResult solve_many_pools_with_budget(const PoolSource& pools, const PersonTerms& terms, double budget,
                                          const PersonSettings& settings, const Progress& progress) {
  ThreadedPools solver(pools, terms, settings);
  return solve_many_pools_with_budget(pools, solver, terms, budget, settings, progress);
}

}  // namespace hyobscure::solve
