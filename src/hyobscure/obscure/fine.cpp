#include "hyobscure/obscure/fine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "hyobscure/base/parallel.h"
#include "hyobscure/census/learned_secret.h"
#include "hyobscure/census/neighbours.h"
#include "hyobscure/census/row_distances.h"
#include "hyobscure/solve/exact.h"
#include "hyobscure/solve/leakage.h"

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

std::unique_ptr<solve::PersonDistances> kept_distances(const DistancesOnDemand& rows,
                                                       const Progress& progress) {
  const auto size = static_cast<Eigen::Index>(rows.size());
  solve::DistanceMatrix::Table table(size, size);
  parallel_blocks(rows.size(), 16, [&](std::size_t begin, std::size_t end) {
    progress.throw_if_stopped();
    for (std::size_t i = begin; i < end; ++i)
      rows.row(i, {table.row(static_cast<Eigen::Index>(i)).data(), rows.size()});
  });
  return std::make_unique<solve::DistanceMatrix>(std::move(table));
}

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
  solve::SparseChannel channel;
  for (std::uint32_t u = 0; u < people; ++u) {
    channel.donors.push_back(u);
    channel.probabilities.push_back(1);
    channel.starts.push_back(u + 1);
  }
  return channel;
}

/// Groups to try for a budget: those of the joint optimum over clusters at the budget, and at a budget where
/// the features need tell nothing. People's own channels are nearer than clusters', so the truth lies
/// between.
class GroupsForPeople {
 public:
  explicit GroupsForPeople(const MethodInput& input) : input_(input) {
    if (!input.groups_are_fixed)
      search_.emplace(input.tables, input.values, input.limits,
                      solve::ExactSettings{.groups = input.group_count,
                                           .objective = input.objective,
                                           .gap_tolerance_bits = 1e-6,
                                           .closing_tolerance_bits = 1e-4});
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
  std::optional<solve::ExactSearch> search_;
};

double group_entropy_bits(const MethodInput& input, const solve::Partition& partition) {
  return solve::group_entropy(solve::problem_of(input.tables, partition).problem.joints) * kBitsPerNat;
}

MethodResult result_of(const MethodInput& input, const FineProblem& problem, solve::PersonResult solved) {
  MethodResult result{.partition = problem.partition()};
  for (solve::SparseChannel& channel : solved.channels) {
    const auto people = static_cast<std::int64_t>(channel.size());
    result.channels.push_back({.people = people, .retain = input.retain, .draw = std::move(channel)});
  }
  const solve::PersonInfo& info = solved.info;
  result.distance = (1 - input.retain) * info.distance;
  result.converged = info.solved;
  result.learned_bits = info.learned_nats * kBitsPerNat;
  const double features = info.informed_nats * kBitsPerNat;
  const double leakage = group_entropy_bits(input, result.partition) + features;
  result.history = {{.objective = input.objective == solve::Objective::Total ? leakage : features,
                     .leakage = leakage,
                     .distance = info.distance}};
  if (input.retain == 0) result.gap_bits = info.gap_nats * kBitsPerNat;
  if (!info.all_donors)
    result.note =
        "Some groups are too large to compare all pairs: donors were chosen among near people from a forest "
        "of "
        "trees, and the proven gap is about these candidates.";
  return result;
}

/// Problems by groups, so that budgets with the same groups share distances and models.
class FineMethod {
 public:
  FineMethod(const MethodInput& input, const Progress& progress)
      : input_(input), progress_(progress), groups_(input) {}

  MethodResult at(double budget) {
    MethodInput input = input_;
    input.budget = budget;
    std::optional<MethodResult> best;
    for (const solve::Partition& partition : groups_.candidates(input.drawn_budget(), progress_)) {
      const FineProblem& problem = problem_of(partition);
      const double smallest = solve::smallest_person_distance(problem.pools(), problem.terms());
      require_reach(input, smallest, "these groups");
      progress_.report("choosing donors person by person", 0, 0);
      MethodResult result =
          result_of(input, problem,
                    solve::solve_people_with_budget(problem.pools(), problem.terms(),
                                                    std::max(input.drawn_budget(), smallest),
                                                    problem.settings(), progress_));
      if (!best || result.history.back().objective < best->history.back().objective) best = std::move(result);
    }
    return *std::move(best);
  }

 private:
  const FineProblem& problem_of(const solve::Partition& partition) {
    auto& problem = problems_[partition.starts];
    if (!problem) problem = std::make_unique<FineProblem>(input_, partition, progress_);
    return *problem;
  }

  const MethodInput& input_;
  const Progress& progress_;
  GroupsForPeople groups_;
  std::map<std::vector<int>, std::unique_ptr<FineProblem>> problems_;
};

}  // namespace

FineProblem::FineProblem(const MethodInput& input, const solve::Partition& partition,
                         const Progress& progress)
    : input_(input), partition_(partition) {
  const Pools groups = pools_by_group(input.people, partition.starts);
  members_ = groups.members;
  progress.report("learning the secret from other people", 0, 0);
  const census::LearnedSecret learned = census::learn_secret(
      input.people.features, input.people.secrets, static_cast<std::uint32_t>(input.people.values.size()),
      groups.pool_of_person, {}, input.key.derive("learned"), progress);
  double pairs = 0;
  for (const auto& members : members_) pairs += std::pow(static_cast<double>(members.size()), 2);
  progress.report("distances of all pairs", 0, 0);
  for (std::size_t g = 0; g < members_.size(); ++g) {
    const auto& members = members_[g];
    auto rows = std::make_unique<DistancesOnDemand>(input.distance, input.people.features, members);
    if (pairs <= kPairsKept)
      distances_.push_back(kept_distances(*rows, progress));
    else
      distances_.push_back(std::move(rows));
    const int first = partition.first(static_cast<int>(g)), end = partition.end(static_cast<int>(g));
    solve::PersonPool pool{.distances = distances_.back().get(),
                           .value_of_person = {},
                           .values = static_cast<std::uint32_t>(end - first)};
    pool.learned.resize(static_cast<Eigen::Index>(members.size()), end - first);
    for (std::size_t i = 0; i < members.size(); ++i) {
      pool.value_of_person.push_back(input.people.secrets[members[i]] - static_cast<std::uint32_t>(first));
      pool.learned.row(static_cast<Eigen::Index>(i)) =
          learned.posterior.row(members[i]).segment(first, end - first);
    }
    if (members.size() > kMostForAllDonors)
      pool.candidates = candidate_donors(census::nearest_rows(input.distance, input.people.features, members,
                                                              {}, input.key.derive("neighbours"), progress));
    pools_.push_back(std::move(pool));
  }
  terms_ = weighed_terms();
}

solve::PersonTerms FineProblem::weighed_terms() const {
  solve::PersonTerms terms{.informed_weight = input_.threat == Threat::Learned ? 0.0 : 1.0,
                           .learned_weight = input_.threat == Threat::Learned ? 1.0 : 0.0,
                           .balanced = input_.balanced,
                           .self_donor = input_.self_donor};
  if (input_.threat != Threat::Both) return terms;
  std::vector<solve::SparseChannel> unobscured;
  for (const solve::PersonPool& pool : pools_) unobscured.push_back(own_rows(pool.size()));
  const solve::PersonInfo info = solve::evaluate_people(pools_, terms, unobscured);
  const double sum = info.informed_nats + info.learned_nats;
  terms.informed_weight = sum > 0 ? info.learned_nats / sum : 1;
  terms.learned_weight = 1 - terms.informed_weight;
  return terms;
}

solve::PersonSettings FineProblem::settings() const {
  // The interior point of small pools reaches 1e-5 bits at once; the first-order method of the others needs
  // many more steps for each digit.
  const bool dense = terms_.learned_weight == 0 && std::ranges::all_of(pools_, [](const auto& pool) {
                       return pool.size() <= solve::PersonSettings{}.dense_limit;
                     });
  return {.gap_tolerance_bits = input_.person_gap_bits.value_or(dense ? 1e-5 : 1e-3)};
}

MethodResult run_fine(const MethodInput& input, const Progress& progress) {
  return FineMethod(input, progress).at(input.budget);
}

void sweep_fine(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                const OnBudget& on_budget) {
  FineMethod method(input, progress);
  for (const double budget : budgets) {
    if (progress.stop_requested()) return;
    try {
      on_budget(budget, method.at(budget));
    } catch (const BudgetOutOfReach&) {
      // The caller sees which budgets were answered.
    }
  }
}

}  // namespace hyobscure::obscure
