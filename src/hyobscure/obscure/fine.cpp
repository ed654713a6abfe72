#include "hyobscure/obscure/fine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hyobscure/census/learned_secret.h"
#include "hyobscure/census/neighbours.h"
#include "hyobscure/census/row_distances.h"
#include "hyobscure/obscure/accounting.h"
#include "hyobscure/obscure/group_search.h"

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
  void some(std::size_t person, std::span<const std::uint32_t> donors, std::span<float> to) const override {
    distances_.some(person, donors, to);
  }

 private:
  census::RowDistances distances_;
};

/// Near people both ways, and oneself: whoever is near to a donor may draw them.
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

/// Groups to try for a budget: those of the joint optimum over clusters at the budget, and at a budget where
/// the features need tell nothing. People's own channels are nearer than clusters', so the truth lies
/// between.
class GroupsForPeople {
 public:
  explicit GroupsForPeople(const MethodInput& input) : input_(input) {
    if (!input.groups_are_fixed)
      search_.emplace(input, GroupSearchSettings{.gap_bits = 1e-6, .closing_tolerance_bits = 1e-4});
  }

  std::vector<solve::Partition> candidates(double budget, const Progress& progress) {
    if (!search_) return {input_.first_groups};
    const double smallest = search_->smallest_distance();
    const double harmless =
        solve::harmless_distance(solve::problem_of(input_.tables, input_.first_groups).problem);
    std::vector<solve::Partition> found = {search_->solve(std::max(harmless, smallest), progress).partition};
    if (budget >= smallest && budget < harmless) {
      solve::Partition other = search_->solve(budget, progress).partition;
      if (other != found[0]) found.push_back(std::move(other));
    }
    return found;
  }

 private:
  const MethodInput& input_;
  std::optional<GroupSearch> search_;
};

MethodResult result_of(const MethodInput& input, const solve::Partition& partition,
                       solve::PersonResult solved) {
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
  const double leakage = told_by_groups(input.people, result.partition) + result.informed_bits;
  result.history = {{.objective = input.objective == solve::Objective::Total ? leakage : result.informed_bits,
                     .leakage = leakage,
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
/// scales it, so that his leakage is found to some 1e-3 bits however small his weight is.
solve::PersonSettings settings_for(const MethodInput& input, std::span<const solve::PersonPool> pools,
                                   const solve::PersonTerms& terms) {
  if (input.person_gap_bits) return {.gap_tolerance_bits = *input.person_gap_bits};
  const bool dense = terms.learned_weight == 0 && std::ranges::all_of(pools, [](const auto& pool) {
                       return pool.size() <= solve::PersonSettings{}.dense_limit;
                     });
  if (dense) return {.gap_tolerance_bits = 1e-5};
  return {.gap_tolerance_bits =
              terms.informed_weight > 0 ? std::max(3e-5, 3e-3 * terms.informed_weight) : 1e-3};
}

class FineMethod {
 public:
  FineMethod(const MethodInput& input, const Progress& progress)
      : input_(input),
        progress_(progress),
        groups_(input),
        cache_(input.fine_cache != nullptr ? *input.fine_cache : own_cache_) {}

  MethodResult at(double budget) {
    MethodInput input = input_;
    input.budget = budget;
    std::optional<MethodResult> best;
    std::optional<solve::PersonTerms> weights;  // of the first groups tried, so that all are weighed alike
    for (const solve::Partition& partition : groups_.candidates(input.drawn_budget(), progress_)) {
      const auto pools = cache_.people(input, partition, progress_).pools();
      const solve::PersonTerms terms = person_terms(input, pools);
      if (!weights) weights = terms;
      MethodResult result = with_groups(input, partition, pools, terms);
      if (!best || weighed(result, *weights) < weighed(*best, *weights)) best = std::move(result);
    }
    return *std::move(best);
  }

 private:
  /// What the groups tell, where that counts, and what the features tell each attacker as the threat weighs
  /// them; bits.
  static double weighed(const MethodResult& result, const solve::PersonTerms& terms) {
    const Round& round = result.history.back();
    const double learned = terms.learned_weight > 0 ? terms.learned_weight * result.learned_bits : 0;
    return round.objective - (1 - terms.informed_weight) * result.informed_bits + learned;
  }

  MethodResult with_groups(const MethodInput& input, const solve::Partition& partition,
                           std::span<const solve::PersonPool> pools, const solve::PersonTerms& terms) {
    const double smallest = solve::smallest_person_distance(pools, terms);
    require_reach(input, smallest, "these groups");
    progress_.report("choosing donors person by person", 0, 0);
    return result_of(input, partition,
                     solve::solve_people_with_budget(pools, terms, std::max(input.drawn_budget(), smallest),
                                                     settings_for(input, pools, terms), progress_));
  }

  const MethodInput& input_;
  const Progress& progress_;
  GroupsForPeople groups_;
  FineCache own_cache_;
  FineCache& cache_;
};

}  // namespace

FinePeople::FinePeople(const MethodInput& input, const solve::Partition& partition,
                       const Progress& progress) {
  const Pools groups = pools_by_group(input.people, partition);
  progress.report("learning the secret from other people", 0, 0);
  const census::LearnedSecret learned = census::learn_secret(
      input.people.features, input.people.secrets, static_cast<std::uint32_t>(input.people.values.size()),
      groups.pool_of_person, {}, input.key.derive("learned"), progress);
  double pairs = 0;
  for (const auto& members : groups.members) pairs += std::pow(static_cast<double>(members.size()), 2);
  progress.report("distances of all pairs", 0, 0);
  for (const auto& members : groups.members) {
    if (pairs <= kPairsKept)
      distances_.push_back(std::make_unique<solve::DistanceMatrix>(census::all_distances(
          census::RowDistances(input.distance, input.people.features, members), progress)));
    else
      distances_.push_back(
          std::make_unique<DistancesOnDemand>(input.distance, input.people.features, members));
    const std::vector<int> values =
        partition.members(partition.group_of(static_cast<int>(input.people.secrets[members.front()])));
    solve::PersonPool pool{.distances = distances_.back().get(),
                           .value_of_person = {},
                           .values = static_cast<std::uint32_t>(values.size())};
    pool.learned.resize(static_cast<Eigen::Index>(members.size()), static_cast<Eigen::Index>(values.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto place = std::ranges::lower_bound(values, static_cast<int>(input.people.secrets[members[i]]));
      pool.value_of_person.push_back(static_cast<std::uint32_t>(place - values.begin()));
      pool.learned.row(static_cast<Eigen::Index>(i)) = learned.posterior.row(members[i])(values);
    }
    if (members.size() > kMostForAllDonors)
      pool.candidates = candidate_donors(census::nearest_rows(input.distance, input.people.features, members,
                                                              {}, input.key.derive("neighbours"), progress));
    pools_.push_back(std::move(pool));
  }
}

const FinePeople& FineCache::people(const MethodInput& input, const solve::Partition& partition,
                                    const Progress& progress) {
  auto& prepared = by_groups_[partition.group_of_values()];
  if (!prepared) prepared = std::make_unique<FinePeople>(input, partition, progress);
  return *prepared;
}

solve::PersonTerms person_terms(const MethodInput& input, std::span<const solve::PersonPool> pools) {
  solve::PersonTerms terms{.informed_weight = input.threat == Threat::Learned ? 0.0 : 1.0,
                           .learned_weight = input.threat == Threat::Learned ? 1.0 : 0.0,
                           .balanced = input.balanced,
                           .self_donor = input.self_donor};
  if (input.threat != Threat::Both) return terms;
  std::vector<solve::SparseChannel> unobscured;
  for (const solve::PersonPool& pool : pools) unobscured.push_back(own_rows(pool.size()));
  const solve::PersonInfo info = solve::evaluate_people(pools, terms, unobscured);
  const double sum = info.informed_nats + info.learned_nats;
  terms.informed_weight = sum > 0 ? info.learned_nats / sum : 1;
  terms.learned_weight = 1 - terms.informed_weight;
  return terms;
}

MethodResult run_fine(const MethodInput& input, const Progress& progress) {
  return FineMethod(input, progress).at(input.budget);
}

void sweep_fine(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                const OnBudget& on_budget) {
  FineMethod method(input, progress);  // budgets with the same groups share distances and models
  answer_each(input, budgets, progress, on_budget,
              [&](const MethodInput& at) { return method.at(at.budget); });
}

}  // namespace hyobscure::obscure
