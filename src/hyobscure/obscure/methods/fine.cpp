#include "hyobscure/obscure/methods/fine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hyobscure/learn/learned_secret.h"
#include "hyobscure/obscure/leakage/accounting.h"
#include "hyobscure/obscure/methods/baseline.h"
#include "hyobscure/obscure/methods/group_search.h"
#include "hyobscure/obscure/neighbours/neighbours.h"
#include "hyobscure/obscure/neighbours/row_distances.h"

namespace hyobscure::obscure {
namespace {

constexpr double kPairsKept = 1e8;  // distances kept in memory rather than computed on demand: 0.4 GB

/// Distances computed when they are asked for.
class DistancesOnDemand final : public solve::PersonDistances {
 public:
  DistancesOnDemand(census::Distance distance, const data::SparseRows& rows,
                    std::span<const std::uint32_t> members)
      : distances_(distance, rows, members) {}
  std::size_t size() const override { return distances_.size(); }
  void row(std::size_t person, std::span<float> to) const override { distances_.row(person, to); }
  void distances_to(std::size_t person, std::span<const std::uint32_t> donors,
                    std::span<float> to) const override {
    distances_.distances_to(person, donors, to);
  }

 private:
  obscure::RowDistances distances_;
};

/// Near people both ways, and oneself: people near to a donor may draw them.
std::vector<std::vector<std::uint32_t>> candidate_donors(
    const std::vector<std::vector<std::uint32_t>>& nearest) {
  std::vector<std::vector<std::uint32_t>> candidates = nearest;
  for (std::uint32_t u = 0; u < nearest.size(); ++u) {
    candidates[u].push_back(u);
    for (const std::uint32_t v : nearest[u]) candidates[v].push_back(u);
  }
  for (auto& donors : candidates) {
    std::ranges::sort(donors);
    const auto repeated = std::ranges::unique(donors);
    donors.erase(repeated.begin(), repeated.end());
  }
  return candidates;
}

solve::SparseChannel own_rows(std::size_t people) {
  std::vector<std::uint32_t> own(people);
  std::iota(own.begin(), own.end(), 0u);
  return solve::one_donor_each(std::move(own));
}

/// Groups to try, the same for every budget, so that more budget never leads to worse groups: those of the
/// joint optimum over clusters where the features need tell nothing, and where they are half way between that
/// and the nearest donors. People's own channels are nearer than clusters', so the best lie in between.
std::vector<solve::Partition> groups_to_try(const MethodInput& input, const Progress& progress) {
  if (input.groups_are_fixed) return {input.first_groups};
  GroupSearch search(input, {.gap_bits = 1e-6, .closing_tolerance_bits = 1e-4});
  const double smallest = search.smallest_distance();
  const double harmless = std::max(
      smallest, solve::harmless_distance(solve::problem_of(input.tables, input.first_groups).problem));
  std::vector<solve::Partition> found = {search.solve(harmless, progress).partition};
  solve::Partition half_way = search.solve((smallest + harmless) / 2, progress).partition;
  if (half_way != found[0]) found.push_back(std::move(half_way));
  return found;
}

/// The values of the pool's group, ascending.
std::vector<int> values_of_pool(const MethodInput& input, const solve::Partition& partition,
                                std::span<const std::uint32_t> members) {
  return partition.members(partition.group_of(static_cast<int>(input.people.secrets[members.front()])));
}

/// What the groups tell, where that is part of the objective; bits. No channel in these groups is below.
double counted_of_groups(const MethodInput& input, const solve::Partition& partition) {
  return input.objective == solve::Objective::Total ? leakage_of_groups(input.people, partition) : 0;
}

MethodResult result_of(const MethodInput& input, const solve::Partition& partition,
                       const solve::PersonTerms& terms, solve::PersonResult solved) {
  MethodResult result{.partition = partition};
  for (solve::SparseChannel& channel : solved.channels) {
    const auto people = static_cast<std::int64_t>(channel.size());
    result.channels.push_back({.people = people, .retain = input.retain, .draw = std::move(channel)});
  }
  const solve::PersonInfo& info = solved.info;
  result.distance = (1 - input.retain) * info.distance;
  result.converged = info.solved;
  result.learned_bits = info.learned_nats * kBitsPerNat;
  result.informed_bits = info.informed_nats * kBitsPerNat;
  result.informed_weight = terms.informed_weight;
  result.history = {{.objective = counted_of_groups(input, partition) + info.objective_nats * kBitsPerNat,
                     .leakage = leakage_of_groups(input.people, partition) + result.informed_bits,
                     .distance = info.distance}};
  if (input.retain == 0) result.gap_bits = info.gap_nats * kBitsPerNat;
  if (!info.all_donors)
    result.note =
        "Some groups are too large to compare all pairs: donors were chosen among near people from a "
        "forest of trees, and the proven gap is about these candidates.";
  return result;
}

/// The interior point of small pools reaches 1e-5 bits at once; the first-order method of the others needs
/// many more steps for each digit. A gap is about the weighted sum: the weight of the informed attacker
/// scales it, so that the leakage to it is found to some 1e-3 bits however small the weight is. Leakages that
/// are themselves no larger than that are found to a tenth of their size (PersonSettings::gap_share).
solve::PersonSettings settings_for(const MethodInput& input, std::span<const solve::PersonPool> pools,
                                   const solve::PersonTerms& terms) {
  if (input.person.gap_bits) return {.gap_tolerance_bits = *input.person.gap_bits};
  const bool dense = terms.learned_weight == 0 && std::ranges::all_of(pools, [](const auto& pool) {
                       return pool.size() <= solve::PersonSettings{}.dense_limit;
                     });
  if (dense) return {.gap_tolerance_bits = 1e-5};
  return {.gap_tolerance_bits = std::max(3e-5, 1e-3 * terms.informed_weight), .gap_share = 0.1};
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
      best = best_of_groups(budget, terms);
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
    for (const solve::Partition& partition : groups_) {
      if (best && counted_of_groups(input, partition) >= best->history.back().objective) continue;
      MethodResult result = with_groups(input, partition, terms);
      if (!best || result.history.back().objective < best->history.back().objective) best = std::move(result);
    }
    return *std::move(best);
  }

  MethodResult with_groups(const MethodInput& input, const solve::Partition& partition,
                           const solve::PersonTerms& terms) {
    const auto pools = cache_.learned(input, partition, progress_).pools();
    const double smallest = solve::smallest_person_distance(pools, terms);
    require_reach(input, smallest, "these groups");
    progress_.report("choosing donors person by person", 0, 0);
    return result_of(input, partition, terms,
                     solve::solve_people_with_budget(pools, terms, std::max(input.drawn_budget(), smallest),
                                                     settings_for(input, pools, terms), progress_));
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

FinePeople::FinePeople(const MethodInput& input, const solve::Partition& partition, const Progress& progress)
    : partition_(partition), groups_(pools_by_group(input.people, partition)) {
  double pairs = 0;
  for (const auto& members : groups_.members) pairs += std::pow(static_cast<double>(members.size()), 2);
  progress.report("distances of all pairs", 0, 0);
  for (const auto& members : groups_.members) {
    if (pairs <= kPairsKept)
      distances_.push_back(std::make_unique<solve::DistanceMatrix>(obscure::all_distances(
          obscure::RowDistances(input.distance, input.people.features, members), progress)));
    else
      distances_.push_back(
          std::make_unique<DistancesOnDemand>(input.distance, input.people.features, members));
    const std::vector<int> values = values_of_pool(input, partition, members);
    solve::PersonPool pool{.distances = distances_.back().get(),
                           .value_of_person = {},
                           .values = static_cast<std::uint32_t>(values.size())};
    for (const std::uint32_t u : members) {
      const auto place = std::ranges::lower_bound(values, static_cast<int>(input.people.secrets[u]));
      pool.value_of_person.push_back(static_cast<std::uint32_t>(place - values.begin()));
    }
    if (members.size() > kMostForAllDonors)
      pool.candidates = candidate_donors(obscure::nearest_rows(input.distance, input.people.features, members,
                                                               {}, input.key.derive("neighbours"), progress));
    pools_.push_back(std::move(pool));
  }
}

void FinePeople::learn(const MethodInput& input, const Progress& progress) {
  if (learned_) return;
  progress.report("learning the secret from other people", 0, 0);
  const learn::LearnedSecret learned = learn::learn_secret(
      input.people.features, input.people.secrets, static_cast<std::uint32_t>(input.people.values.size()),
      groups_.pool_of_person, {}, input.key.derive("learned"), progress);
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const auto& members = groups_.members[p];
    const std::vector<int> values = values_of_pool(input, partition_, members);
    pools_[p].learned.resize(static_cast<Eigen::Index>(members.size()),
                             static_cast<Eigen::Index>(values.size()));
    for (std::size_t i = 0; i < members.size(); ++i)
      pools_[p].learned.row(static_cast<Eigen::Index>(i)) = learned.posterior.row(members[i])(values);
  }
  model_predicts_ = learned.predicts();
  learned_ = true;
}

FinePeople& FineCache::people(const MethodInput& input, const solve::Partition& partition,
                              const Progress& progress) {
  auto& prepared = by_groups_[partition.group_of_values()];
  if (!prepared) prepared = std::make_unique<FinePeople>(input, partition, progress);
  return *prepared;
}

const FinePeople& FineCache::learned(const MethodInput& input, const solve::Partition& partition,
                                     const Progress& progress) {
  FinePeople& found = people(input, partition, progress);
  found.learn(input, progress);
  return found;
}

BudgetRange person_range(const MethodInput& input) {
  const auto others = distances_to_others(donor_pools(input, input.first_groups));
  if (!input.person.self_donor) {
    FineCache own_cache;
    FineCache& cache = input.person.cache != nullptr ? *input.person.cache : own_cache;
    const auto pools = cache.people(input, input.first_groups, {}).pools();
    const solve::PersonTerms terms{.balanced = input.person.balanced, .self_donor = false};
    return {(1 - input.retain) * solve::smallest_person_distance(pools, terms),
            (1 - input.retain) * std::accumulate(others.begin(), others.end(), 0.0)};
  }
  return {0, (1 - input.retain) * uniform_distance(channel_problem(donor_pools(input, input.first_groups)))};
}

solve::PersonTerms person_terms(const MethodInput& input, const FinePeople& people) {
  solve::PersonTerms terms{.informed_weight = 1,
                           .learned_weight = 0,
                           .balanced = input.person.balanced,
                           .self_donor = input.person.self_donor};
  if (input.person.threat == Threat::Informed || !people.model_predicts()) return terms;
  if (input.person.threat == Threat::Learned) {
    terms.informed_weight = kLeastWeightOfInformed;
  } else {
    std::vector<solve::SparseChannel> unobscured;
    for (const solve::PersonPool& pool : people.pools()) unobscured.push_back(own_rows(pool.size()));
    const solve::PersonInfo info = solve::evaluate_people(people.pools(), terms, unobscured);
    const double sum = info.informed_nats + info.learned_nats;
    terms.informed_weight =
        std::max(input.person.least_informed_weight, sum > 0 ? info.learned_nats / sum : 1);
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
          .range = person_range,
          .run = run_fine,
          .sweep = sweep_fine,
          .variants = {{"fine-free", adjusted<Threat::Informed, false>},
                       {"fine-informed", adjusted<Threat::Informed, true>},
                       {"fine-learned", adjusted<Threat::Learned, true>}}};
}

}  // namespace hyobscure::obscure
