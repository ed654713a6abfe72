#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "hyobscure/base/error.h"
#include "hyobscure/base/parallel.h"
#include "hyobscure/base/stopwatch.h"
#include "hyobscure/solve/person/person_channel.h"
#include "hyobscure/solve/person/person_pool.h"

namespace hyobscure::solve {
namespace {

// Pools on which the price is found: a share of each stratum, with so many people and pools in all at least.
constexpr double kScoutPeople = 12'000;
constexpr double kFewestScouts = 4;
constexpr double kCoarse = 10;         // times the tolerance: for prices that are far off
constexpr double kCloseEnough = 0.01;  // of the budget: a scouts' distance from which prices are interpolated
constexpr double kShareOfSolves = 0.5;  // of the tolerance; the rest is for what of the budget is not spent
constexpr double kShareOfSlack = 0.5;   // the same for a distance below the budget
constexpr int kMostScoutPrices = 20;
constexpr int kMostAdjustments = 12;
constexpr double kPriceRange = 1e8;     // prices this far from the first end the search
constexpr double kLargestShift = 1;     // of log price at once
constexpr double kShareOfShift = 0.25;  // of the tolerance: what pools off the common price may cost
constexpr double kSmallestShare = 0.1;  // of the people, solved again at once
constexpr double kShareOfAll = 0.6;     // with more, all pools are solved at a new common price

/// One pool at one price.
struct Solved {
  SparseChannel channel;
  double price = 0;
  double bound = 0;  // of objective + common price * distance
  double distance = 0;
  double informed = 0, learned = 0;
  int iterations = 0;
};

struct Totals {
  double distance = 0, objective = 0, informed = 0, learned = 0, bound = 0;
};

/// A price and the distance to which it leads.
struct Probe {
  double price, distance;
};

class ManyPools {
 public:
  ManyPools(const PoolSource& pools, const PersonTerms& terms, double budget, const PersonSettings& settings,
            const Progress& progress)
      : pools_(pools),
        terms_(terms),
        budget_(budget),
        settings_(settings),
        progress_(progress),
        tolerance_(settings.gap_tolerance_bits / kBitsPerNat),
        solved_(pools.size()) {
    for (std::size_t g = 0; g < pools.size(); ++g) people_ += static_cast<double>(pools.people(g));
  }

  PersonResult solve() {
    const Stopwatch watch;
    choose_scouts();
    find_price();
    solve_all();
    spend_budget();
    return finish(watch);
  }

 private:
  void choose_scouts();
  void find_price();
  double probe(double price, double tolerance);
  double next_price() const;
  double first_price() const;
  void solve_all();
  double slope_of_scouts() const;
  void spend_budget();
  Totals totals() const;
  Solved solve_one(const PersonPool& pool, double price, double tolerance, const SparseChannel* start,
                   const Progress& progress) const;
  void solve_some(std::span<const std::size_t> chosen, double factor, bool first);
  PersonResult finish(const Stopwatch& watch);

  const PoolSource& pools_;
  const PersonTerms& terms_;
  const double budget_;
  const PersonSettings& settings_;
  const Progress& progress_;
  const double tolerance_;  // nats per person
  double people_ = 0;
  std::vector<std::size_t> scouts_;
  std::vector<double> scout_weights_;  // of a sum over the people of a scout, in a mean over everybody
  std::vector<std::shared_ptr<const PersonPool>> scout_pools_;
  std::vector<Solved> scouted_;
  std::vector<Probe> probes_;  // by price, ascending
  double price_ = 0;
  std::vector<Solved> solved_;
};

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
    double people = 0, scouted = 0;
    for (const std::size_t g : members) people += static_cast<double>(pools_.people(g));
    for (std::size_t n = 0; n < count; ++n) {
      scouts_.push_back(members[(2 * n + 1) * members.size() / (2 * count)]);
      scouted += static_cast<double>(pools_.people(scouts_.back()));
    }
    scout_weights_.resize(scouts_.size(), people / scouted / people_);
  }
  scout_pools_.resize(scouts_.size());
  scouted_.resize(scouts_.size());
  parallel_blocks(scouts_.size(), 1,
                  [&](std::size_t s, std::size_t) { scout_pools_[s] = pools_.load(scouts_[s]); });
  for (const auto& pool : scout_pools_) validate({pool.get(), 1}, terms_);
}

Solved ManyPools::solve_one(const PersonPool& pool, double price, double tolerance,
                            const SparseChannel* start, const Progress& progress) const {
  const auto size = static_cast<double>(pool.size());
  PoolAnswer answer =
      solve_pool({.pool = pool,
                  .terms = terms_,
                  .multiplier = price,
                  .tolerance = tolerance * size,
                  .max_iterations = settings_.max_iterations,
                  .start = start != nullptr && start->size() == pool.size() ? start : nullptr},
                 settings_.dense_limit, progress);
  Solved solved{.channel = std::move(answer.channel),
                .price = price,
                .bound = answer.lower_bound,
                .distance = answer.distance,
                .iterations = answer.iterations};
  solved.informed = informed_information(pool, solved.channel);
  if (pool.learned.size() > 0) solved.learned = learned_information(pool, solved.channel);
  return solved;
}

/// The scouts' mean distance at a price.
double ManyPools::probe(double price, double tolerance) {
  const Progress quiet = progress_.with_reports({});
  parallel_blocks(scouts_.size(), 1, [&](std::size_t s, std::size_t) {
    const SparseChannel start = std::move(scouted_[s].channel);
    scouted_[s] = solve_one(*scout_pools_[s], price, tolerance, &start, quiet);
  });
  double distance = 0;
  for (std::size_t s = 0; s < scouts_.size(); ++s) distance += scout_weights_[s] * scouted_[s].distance;
  const auto place = std::ranges::lower_bound(probes_, price, {}, &Probe::price);
  if (place != probes_.end() && place->price == price)
    place->distance = distance;
  else
    probes_.insert(place, {price, distance});
  return distance;
}

/// A quarter of the slope of the chord from everybody's own row, where all leaks, to twice the budget: the
/// frontier is steep at its far end and flat near nothing.
double ManyPools::first_price() const {
  double leak = 0;
  for (std::size_t s = 0; s < scouts_.size(); ++s) {
    const PersonPool& pool = *scout_pools_[s];
    std::vector<std::uint32_t> own(pool.size());
    std::iota(own.begin(), own.end(), 0U);
    const SparseChannel channel = one_donor_each(std::move(own));
    leak += scout_weights_[s] * terms_.informed_weight * informed_information(pool, channel);
    if (terms_.learned_weight > 0)
      leak += scout_weights_[s] * terms_.learned_weight * learned_information(pool, channel);
  }
  const double price = 0.25 * leak / std::max(budget_, 1e-12);
  return price > 0 ? price : 1;
}

/// Distance falls with its price: up or down by 4 until two prices are on both sides of the budget, then by
/// interpolation of log price.
double ManyPools::next_price() const {
  const auto within =
      std::ranges::find_if(probes_, [&](const Probe& probe) { return probe.distance <= budget_; });
  if (within == probes_.end()) return 4 * probes_.back().price;
  if (within == probes_.begin()) return within->price / 4;
  const Probe& near = *within;
  const Probe& far = *(within - 1);
  const double share = std::clamp((budget_ - near.distance) / (far.distance - near.distance), 0.05, 0.95);
  return near.price * std::pow(far.price / near.price, share);
}

void ManyPools::find_price() {
  progress_.report("finding the price of distance", 0, 0);
  const double first = first_price();
  double price = first;
  bool fine = false, found_far_end = false;
  for (int tried = 0; tried < kMostScoutPrices; ++tried) {
    progress_.throw_if_stopped();
    const double distance = probe(price, (fine ? 1 : kCoarse) * kShareOfSolves * tolerance_);
    const bool close = std::abs(distance - budget_) <= kCloseEnough * budget_;
    if (fine && close) break;
    if (distance <= budget_ && price < first / kPriceRange) {
      found_far_end = true;
      break;
    }
    // once close, the same neighbourhood with the tolerance of the answer
    fine = fine || close;
    price = next_price();
  }
  // even where distance is nearly free, the budget is not spent: nothing is left to gain
  price_ = found_far_end ? price : next_price();
  scout_pools_.clear();
  for (std::size_t s = 0; s < scouts_.size(); ++s) solved_[scouts_[s]] = std::move(scouted_[s]);
}

/// At the price that each was last solved at, times `factor`. `first`: at the common price, which the bound
/// is of.
void ManyPools::solve_some(std::span<const std::size_t> chosen, double factor, bool first) {
  SharedProgress shared(progress_, "choosing donors", chosen.size());
  const Progress quiet = progress_.with_reports({});
  parallel_blocks(chosen.size(), 1, [&](std::size_t n, std::size_t) {
    Solved& solved = solved_[chosen[n]];
    const auto pool = pools_.load(chosen[n]);
    validate({pool.get(), 1}, terms_);
    const double bound = solved.bound;
    const SparseChannel start = std::move(solved.channel);
    const double price = first ? price_ : solved.price * factor;
    solved = solve_one(*pool, price, kShareOfSolves * tolerance_, &start, quiet);
    // person_many.md: pools solved again at a price nearby keep the bound of the common price
    if (!first) solved.bound = bound;
    shared.one_done();
  });
}

void ManyPools::solve_all() {
  std::vector<std::size_t> all(pools_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  solve_some(all, 1, true);
}

Totals ManyPools::totals() const {
  Totals sum;
  for (const Solved& solved : solved_) {
    sum.distance += solved.distance / people_;
    sum.informed += solved.informed / people_;
    sum.learned += solved.learned / people_;
    sum.bound += solved.bound / people_;
  }
  sum.objective = terms_.informed_weight * sum.informed + terms_.learned_weight * sum.learned;
  return sum;
}

/// d distance / d log price among the scouts, at the price; negative.
double ManyPools::slope_of_scouts() const {
  double slope = -0.25 * budget_;
  for (std::size_t k = 1; k < probes_.size(); ++k)
    if (probes_[k - 1].price <= price_ && price_ <= probes_[k].price)
      slope =
          (probes_[k].distance - probes_[k - 1].distance) / std::log(probes_[k].price / probes_[k - 1].price);
  return slope;
}

/// Until the distance is within the budget, and what is left of it is worth little.
void ManyPools::spend_budget() {
  double slope = slope_of_scouts();
  std::size_t next = 0;  // pools are taken in turn
  for (int round = 0;; ++round) {
    progress_.throw_if_stopped();
    const Totals sum = totals();
    const double distance = sum.distance, excess = distance - budget_;
    const double slack = kShareOfSlack * tolerance_ / std::max(price_, 1e-300);
    // less than the tolerance cannot be above the optimum by more
    if (excess <= 0 && (-excess <= slack || sum.objective <= tolerance_ || round >= kMostAdjustments)) return;
    if (round >= 4 * kMostAdjustments)
      throw InputError({.source = "budget"},
                       fmt::format("found no channel with an expected distance of {:.6g} or less", budget_),
                       "Raise the budget.");
    slope = std::min(slope, -1e-3 * budget_);
    // aim at the middle of what is allowed
    const double wanted = excess + 0.5 * std::min(slack, 0.01 * budget_);
    const double shift = std::clamp(wanted / -slope, -kLargestShift, kLargestShift);
    // person_many.md (2): by how much fewer pools must be off the common price, and what that costs
    const double share = std::max({0.5 * price_ * -slope * shift * shift / (kShareOfShift * tolerance_),
                                   std::abs(shift) / kLargestShift, kSmallestShare});
    if (share > kShareOfAll) {
      price_ *= std::exp(shift);
      solve_all();
      const double change = totals().distance - distance;
      if (change * shift < 0) slope = change / shift;
      continue;
    }
    std::vector<std::size_t> chosen;
    for (double people = 0; people < share * people_ && chosen.size() < pools_.size();) {
      people += static_cast<double>(pools_.people(next));
      chosen.push_back(next);
      next = (next + 1) % pools_.size();
    }
    solve_some(chosen, std::exp(shift / share), false);
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
  for (Solved& solved : solved_) {
    info.iterations += solved.iterations;
    result.channels.push_back(std::move(solved.channel));
  }
  info.seconds = watch.seconds();
  return result;
}

}  // namespace

PersonResult solve_many_pools_with_budget(const PoolSource& pools, const PersonTerms& terms, double budget,
                                          const PersonSettings& settings, const Progress& progress) {
  validate(settings);
  ManyPools many(pools, terms, budget, settings, progress);
  return many.solve();
}

}  // namespace hyobscure::solve
