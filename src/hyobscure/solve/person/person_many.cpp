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
#include "hyobscure/solve/person/person_channel.h"
#include "hyobscure/solve/person/person_pool.h"

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
constexpr double kNearlyNothing = 2;  // times the tolerance: an objective of a rough solution
constexpr int kMostFinePrices = 5;
constexpr int kMostAdjustments = 12;
constexpr double kPriceRange = 1e8;  // prices this far from the first end the search
constexpr double kFlattest = 1e-3;   // of the budget: a slope that is used
constexpr double kLargestShift = 1;  // of log price at once
constexpr double kShareOfShift = 0.2;
constexpr double kSmallestShare = 0.1;  // of the people, solved again at once
constexpr double kShareOfAll = 0.6;     // with more, all pools are solved at a new common price

/// One pool at one price.
struct Solved {
  SparseChannel channel;
  double price = 0;
  double bound = 0;           // of objective + price_of_bound * distance
  double price_of_bound = 0;  // the common price, also where the pool was solved again at one nearby
  double distance = 0;
  double informed = 0, learned = 0;
  int iterations = 0;
};

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
  double first_price() const;
  void learn_slope(double change, double shift);
  double shift_for(double distance) const;
  bool nothing_to_gain(const Totals& sum) const;
  double slope_of_scouts() const;
  void solve_others();
  void spend_budget();
  Totals totals() const;
  Solved solve_one(const PersonPool& pool, double price, double tolerance, SparseChannel start,
                   const Progress& progress) const;
  void solve_some(std::span<const std::size_t> chosen, std::optional<double> price_factor);
  PersonResult finish(const Stopwatch& watch);

  const PoolSource& pools_;
  const PersonTerms& terms_;
  const double budget_;
  const PersonSettings& settings_;
  const Progress& progress_;
  const double tolerance_;  // nats per person
  double people_ = 0;
  std::vector<std::size_t> scouts_;
  std::vector<ScoutWeight> scout_weights_;
  std::vector<std::shared_ptr<const PersonPool>> scout_pools_;
  std::vector<Solved> scouted_;
  std::vector<Probe> probes_;  // by price, ascending
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
  scout_pools_.resize(scouts_.size());
  scouted_.resize(scouts_.size());
  parallel_blocks(scouts_.size(), 1,
                  [&](std::size_t s, std::size_t) { scout_pools_[s] = pools_.load(scouts_[s]); });
  for (const auto& pool : scout_pools_) validate({pool.get(), 1}, terms_);
}

Solved ManyPools::solve_one(const PersonPool& pool, double price, double tolerance, SparseChannel start,
                            const Progress& progress) const {
  const auto solve_at = [&](double multiplier, double per_person) {
    return solve_pool({.pool = pool,
                       .terms = terms_,
                       .multiplier = multiplier,
                       .tolerance = per_person * static_cast<double>(pool.size()),
                       .max_iterations = settings_.max_iterations,
                       .start = start.size() == pool.size() ? &start : nullptr},
                      settings_.dense_limit, progress);
  };
  // person_many.md, "From nothing"
  if (start.size() != pool.size() && !is_dense(pool, terms_, settings_.dense_limit))
    for (const double factor : kDearerFirst)
      start = solve_at(factor * price, std::max(tolerance, kDearerTolerance)).channel;
  PoolAnswer answer = solve_at(price, tolerance);
  Solved solved{.channel = std::move(answer.channel),
                .price = price,
                .bound = answer.lower_bound,
                .price_of_bound = price,
                .distance = answer.distance,
                .iterations = answer.iterations};
  solved.informed = informed_information(pool, solved.channel);
  if (pool.learned.size() > 0) solved.learned = learned_information(pool, solved.channel);
  return solved;
}

/// What the scouts do at a price.
Totals ManyPools::probe(double price, double tolerance) {
  const Progress quiet = progress_.with_reports({});
  parallel_blocks(scouts_.size(), 1, [&](std::size_t s, std::size_t) {
    scouted_[s] = solve_one(*scout_pools_[s], price, tolerance, std::move(scouted_[s].channel), quiet);
  });
  Totals sum;
  for (std::size_t s = 0; s < scouts_.size(); ++s)
    sum.add(scouted_[s], scout_weights_[s].leakage, scout_weights_[s].distance, terms_);
  return sum;
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
    leak += scout_weights_[s].leakage * terms_.informed_weight * informed_information(pool, channel);
    if (terms_.learned_weight > 0)
      leak += scout_weights_[s].leakage * terms_.learned_weight * learned_information(pool, channel);
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
  const double first = first_price();
  price_ = first;
  for (int tried = 0; tried < kMostScoutPrices; ++tried) {
    progress_.throw_if_stopped();
    if (tried > 0) price_ = next_price();
    const Totals sum = probe(price_, kCoarse * kShareOfSolves * tolerance_);
    const double distance = sum.distance;
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
  scout_pools_.clear();
  for (std::size_t s = 0; s < scouts_.size(); ++s) solved_[scouts_[s]] = std::move(scouted_[s]);
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
  SharedProgress shared(progress_, "choosing donors", chosen.size());
  const Progress quiet = progress_.with_reports({});
  parallel_blocks(chosen.size(), 1, [&](std::size_t n, std::size_t) {
    Solved& solved = solved_[chosen[n]];
    const auto pool = pools_.load(chosen[n]);
    validate({pool.get(), 1}, terms_);
    const double bound = solved.bound, price_of_bound = solved.price_of_bound;
    const double price = price_factor ? solved.price * *price_factor : price_;
    solved = solve_one(*pool, price, kShareOfSolves * tolerance_, std::move(solved.channel), quiet);
    if (price_factor) {
      // person_many.md: pools solved again at a price nearby keep the bound of the common price
      solved.bound = bound;
      solved.price_of_bound = price_of_bound;
    }
    shared.one_done();
  });
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
    progress_.throw_if_stopped();
    const Totals sum = totals();
    const double excess = sum.distance - budget_;
    const double slack = kShareOfSlack * tolerance_ / std::max(price_, 1e-300);
    if (excess <= 0 && (-excess <= slack || nothing_to_gain(sum) || round >= kMostAdjustments)) return;
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
