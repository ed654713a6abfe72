#include "hyobscure/obscure/methods/fine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/methods/baseline.h"
#include "hyobscure/obscure/methods/group_search.h"

namespace hyobscure::obscure {
namespace {

/// Groups to try, the same for every budget, so that more budget never leads to worse groups: those of the
/// joint optimum over clusters where the features need tell nothing, and where they are half way between that
/// and the nearest donors. People's own channels are nearer than clusters', so the best lie in between.
std::vector<solve::Partition> groups_to_try(const MethodInput& input, const Progress& progress) {
  if (input.groups_are_fixed) return {input.first_groups};
  MethodInput of_cells = input;
  of_cells.lifts = {};  // they are about people's own channels
  GroupSearch search(of_cells, {.gap_bits = 1e-6, .closing_tolerance_bits = 1e-4});
  const double smallest = search.smallest_distance();
  const double harmless = std::max(
      smallest, solve::harmless_distance(solve::problem_of(input.tables, input.first_groups).problem));
  std::vector<solve::Partition> found = {search.solve(harmless, progress).partition};
  solve::Partition half_way = search.solve((smallest + harmless) / 2, progress).partition;
  if (half_way != found[0]) found.push_back(std::move(half_way));
  return found;
}

/// What the groups tell, where that is part of the objective; bits. No channel in these groups is below.
double counted_of_groups(const MethodInput& input, const solve::Partition& partition) {
  return input.objective == solve::Objective::Total ? leakage_of_groups(input.people, partition) : 0;
}

MethodResult result_of(const MethodInput& input, const solve::Partition& partition, const FinePeople& people,
                       const solve::PersonTerms& terms, solve::PersonResult solved) {
  MethodResult result{.partition = partition};
  for (solve::SparseChannel& channel : people.join(std::move(solved.channels))) {
    const auto size = static_cast<std::int64_t>(channel.size());
    result.channels.push_back({.people = size, .retain = input.retain, .draw = std::move(channel)});
  }
  solve::PersonInfo& info = solved.info;
  // I(Y; V | pool) = I(Y; W | pool) + I(Y; V | ward): a row tells its ward
  const FinePeople::Leakages of_wards = people.leakage_of_wards();
  info.informed_nats += of_wards.informed;
  info.learned_nats += of_wards.learned;
  info.objective_nats += terms.informed_weight * of_wards.informed + terms.learned_weight * of_wards.learned;
  result.distance = (1 - input.retain) * info.distance;
  result.converged = info.solved;
  result.learned_bits = info.learned_nats * kBitsPerNat;
  result.informed_bits = info.informed_nats * kBitsPerNat;
  result.informed_weight = terms.informed_weight;
  result.history = {{.objective = counted_of_groups(input, partition) + info.objective_nats * kBitsPerNat,
                     .leakage = leakage_of_groups(input.people, partition) + result.informed_bits,
                     .distance = info.distance}};
  if (input.retain == 0) result.gap_bits = info.gap_nats * kBitsPerNat;
  if (people.has_wards())
    result.note = fmt::format(
        "Groups of more than {} people were cut into wards of alike people with the same shares of all "
        "values: donors come from one's own ward, and the proven gap is about these. The leakage counts what "
        "wards reveal.",
        input.person.most_in_ward);
  return result;
}

/// The interior point of small pools reaches 1e-5 bits at once; the first-order method of the others needs
/// many more steps for each digit. A gap is about the weighted sum: the weight of the informed attacker
/// scales it, so that the leakage to it is found to some 1e-3 bits. Leakages that are themselves no larger
/// than the tolerance are found to a tenth of their size (PersonSettings::gap_share) where all pools are
/// solved together.
solve::PersonSettings settings_for(const MethodInput& input, const FinePeople& people,
                                   const solve::PersonTerms& terms) {
  if (input.person.gap_bits) return {.gap_tolerance_bits = *input.person.gap_bits};
  if (!people.together()) return {.gap_tolerance_bits = 1e-3};
  bool dense = terms.learned_weight == 0 && (terms.balanced || !terms.lifts.any());
  for (std::size_t ward = 0; ward < people.size(); ++ward)
    dense = dense && people.people(ward) <= solve::PersonSettings{}.dense_limit;
  return dense ? solve::PersonSettings{.gap_tolerance_bits = 1e-5}
               : solve::PersonSettings{
                     .gap_tolerance_bits = std::clamp(1e-3 * terms.informed_weight, 2e-4, 5e-4),
                     .gap_share = 0.1};
}

/// A little inside of the limits: a mechanism holds probabilities in units of 2^-32, and those of a rare
/// value are rounded with the others. Half of the way to 1 at most.
solve::LiftLimits lifts_to_aim_at(solve::LiftLimits lifts, std::size_t largest_pool) {
  constexpr double kUnitsOfRounding = 64;
  const double margin = std::ldexp(kUnitsOfRounding, -32) * static_cast<double>(largest_pool);
  if (lifts.has_most()) lifts.most = std::max(1 + (lifts.most - 1) / 2, lifts.most * (1 - margin));
  lifts.least = std::min(1 - (1 - lifts.least) / 2, lifts.least * (1 + margin));
  return lifts;
}

class FineMethod {
 public:
  FineMethod(const MethodInput& input, const Progress& progress)
      : input_(input),
        progress_(progress),
        groups_(groups_to_try(input, progress)),
        cache_(input.person.cache != nullptr ? *input.person.cache : own_cache_),
        // Of the first groups, whichever are best at a budget: all answers minimise the same sum.
        terms_(person_terms(input, cache_.learned(input, groups_.front(), progress))) {}

  /// The informed attacker gets more weight until random donors of the same distance would tell it no less.
  MethodResult at(double budget) {
    solve::PersonTerms terms = terms_;
    MethodResult best = best_of_groups(budget, terms);
    for (const double weight : {0.5, 1.0}) {
      if (terms.informed_weight >= weight || !worse_than_random(best)) continue;
      terms.informed_weight = weight;
      terms.learned_weight = 1 - weight;
      try {
        best = best_of_groups(budget, terms);
      } catch (const Stopped&) {
        best.converged = false;  // with less weight on the informed attacker than it should have
        break;
      }
    }
    return best;
  }

 private:
  static constexpr double kTellsLess = 1e-4;  // bits

  bool worse_than_random(const MethodResult& result) const {
    const double drawn = result.distance / (1 - input_.retain);
    return result.informed_bits >
           leakage_of_random(input_, result.partition, drawn, Secrets::Joined) + kTellsLess;
  }

  MethodResult best_of_groups(double budget, const solve::PersonTerms& terms) {
    MethodInput input = input_;
    input.budget = budget;
    std::optional<MethodResult> best;
    std::optional<solve::LiftsOutOfReach> refused;  // the nearest of all groups
    std::exception_ptr too_far;                     // where no group has rows as near as the budget
    for (const solve::Partition& partition : groups_) {
      if (best && counted_of_groups(input, partition) >= best->history.back().objective) continue;
      std::optional<MethodResult> found;
      try {
        found = with_groups(input, partition, terms);
      } catch (const solve::LiftsOutOfReach& out_of_these) {
        if (!refused || out_of_these.smallest_distance() < refused->smallest_distance())
          refused = out_of_these;
        continue;
      } catch (const Stopped&) {
        if (!best) throw;
        best->converged = false;  // other groups might have been better
        break;
      } catch (const BudgetOutOfReach&) {
        too_far = std::current_exception();
        continue;
      }
      MethodResult& result = *found;
      if (!best || result.history.back().objective < best->history.back().objective) best = std::move(result);
    }
    if (!best && refused) throw out_of_reach(input, *refused, lift_without_limits(input, terms));
    if (!best) std::rethrow_exception(too_far);
    return *std::move(best);
  }

  /// Of the best channels in the first groups: a limit that can be kept within the budget.
  std::optional<double> lift_without_limits(const MethodInput& input, solve::PersonTerms terms) {
    if (!terms.lifts.has_most()) return std::nullopt;
    terms.lifts = {};
    const FinePeople& people = cache_.learned(input, groups_.front(), progress_);
    return people.largest_lift(people.join(
        people.solve(terms, input.drawn_budget(), settings_for(input, people, terms), progress_).channels));
  }

  MethodResult with_groups(const MethodInput& input, const solve::Partition& partition,
                           const solve::PersonTerms& terms) {
    const FinePeople& people = cache_.learned(input, partition, progress_);
    const double smallest = people.smallest_distance(terms);
    const double own = input.composer ? own_distance(published_pools(input, partition)) : 0;
    require_reach(input, smallest, "these groups", own);
    const double budget = std::max(input.drawn_budget(own), smallest);
    const solve::PersonSettings settings = settings_for(input, people, terms);
    progress_.report("choosing donors person by person", 0, 0);
    MethodResult result =
        result_of(input, partition, people, terms, people.solve(terms, budget, settings, progress_));
    result.distance += input.retain * own;
    if (input.composer) result.smallest_distance = input.retain * own + (1 - input.retain) * smallest;
    return result;
  }

  const MethodInput& input_;
  const Progress& progress_;
  std::vector<solve::Partition> groups_;
  FineCache own_cache_;
  FineCache& cache_;
  solve::PersonTerms terms_;
};

/// A channel for a smaller budget is always allowed: whatever tolerances and weights make of a larger one,
/// what a sweep shows does not leak more than what it showed before.
class NeverRising {
 public:
  MethodResult better_of(MethodResult result) {
    if (!least_ || leakage(result) <= leakage(*least_)) least_ = result;
    return leakage(result) > leakage(*least_) + kRise ? *least_ : std::move(result);
  }

 private:
  static constexpr double kRise = 1e-4;  // bits that do not count
  static double leakage(const MethodResult& result) { return result.history.back().leakage; }

  std::optional<MethodResult> least_;
};

}  // namespace

BudgetRange person_range(const MethodInput& input) {
  const auto pools = published_pools(input, input.first_groups);
  const double retained = input.retain * own_distance(pools), drawn = 1 - input.retain;
  double smallest = 0;
  if (!input.person.self_donor || input.composer) {
    FineCache own_cache;
    FineCache& cache = input.person.cache != nullptr ? *input.person.cache : own_cache;
    const solve::PersonTerms terms{.balanced = input.person.balanced, .self_donor = input.person.self_donor};
    smallest = cache.people(input, input.first_groups, {}).smallest_distance(terms);
  }
  const auto others = distances_to_others(pools);
  const double harmless = input.person.self_donor ? uniform_distance(channel_problem(pools))
                                                  : std::accumulate(others.begin(), others.end(), 0.0);
  return {retained + drawn * smallest, retained + drawn * harmless};
}

solve::PersonTerms person_terms(const MethodInput& input, const FinePeople& people) {
  solve::PersonTerms terms{.informed_weight = 1,
                           .learned_weight = 0,
                           .balanced = input.person.balanced,
                           .self_donor = input.person.self_donor,
                           .lifts = lifts_to_aim_at(input.lifts, people.largest_pool())};
  if (input.person.threat == Threat::Informed || !people.model_predicts()) return terms;
  if (input.person.threat == Threat::Learned) {
    terms.informed_weight = kLeastWeightOfInformed;
  } else {
    const FinePeople::Leakages own = people.leakage_of_own_rows();
    const double sum = own.informed + own.learned;
    terms.informed_weight = std::max(input.person.least_informed_weight, sum > 0 ? own.learned / sum : 1);
  }
  terms.learned_weight = 1 - terms.informed_weight;
  return terms;
}

static MethodResult run_fine(const MethodInput& input, const Progress& progress) {
  return FineMethod(input, progress).at(input.budget);
}

static void sweep_fine(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                       const OnBudget& on_budget) {
  FineMethod method(input, progress);  // budgets share groups, distances and models
  NeverRising shown;
  answer_each(input, budgets, progress, on_budget,
              [&](const MethodInput& at) { return shown.better_of(method.at(at.budget)); });
}

/// Beside fine as the spec has it, comparisons show what balance and the threats cost.
template <Threat threat, bool balanced>
static void adjusted(MethodInput& input) {
  input.person.threat = threat;
  input.person.balanced = balanced;
}

Method fine_method() {
  return {.name = "fine",
          .help = "person by person: the optimal donor of each, on groups of the joint optimum",
          .by_person = true,
          .person_level = true,
          .limits_lifts = true,
          .range = person_range,
          .run = run_fine,
          .sweep = sweep_fine,
          .variants = {{"fine-free", adjusted<Threat::Informed, false>},
                       {"fine-informed", adjusted<Threat::Informed, true>},
                       {"fine-learned", adjusted<Threat::Learned, true>}},
          .makes = draws_by<PersonDraw>};
}

}  // namespace hyobscure::obscure
