#include "hyobscure/obscure/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hyobscure/base/error.h"

#include "hyobscure/solve/leakage.h"

namespace hyobscure::obscure {

namespace {

template <MethodResult (*run)(const MethodInput&, const Progress&)>
void run_each(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
              const OnBudget& on_budget) {
  MethodInput at = input;
  for (const double budget : budgets) {
    if (progress.stop_requested()) return;
    at.budget = budget;
    on_budget(budget, run(at, progress));
  }
}

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> list = {
      {"exact", "the joint optimum over groups and channels, with a proof", run_exact, sweep_exact},
      {"hyobscure", "the paper's cross-iteration: groups and channels in turn", run_hyobscure,
       run_each<run_hyobscure>},
      {"xobf", "first groups with their optimal channel", run_xobf, run_each<run_xobf>},
  };
  return list;
}

const Method& method_named(const std::string& name) {
  const auto found = std::ranges::find(methods(), name, &Method::name);
  if (found == methods().end()) throw std::logic_error("the spec admits a method that does not exist");
  return *found;
}

namespace {

void refuse_budget_out_of_reach(const MethodInput& input, double smallest) {
  if (input.budget >= smallest) return;
  throw InputError(
      {.source = "channel.budget"},
      fmt::format(
          "{} is below {:.6g}, the smallest expected distance that these groups and {} clusters can reach",
          input.budget, std::ceil(smallest * 1e6) / 1e6, input.tables.clusters()),
      "Raise the budget, or use more clusters.");
}

}  // namespace

SolvedGroups solve_groups(const MethodInput& input, const solve::Partition& partition, int moves) {
  const solve::ChannelProblem problem = solve::problem_of(input.tables, partition).problem;
  refuse_budget_out_of_reach(input, solve::smallest_distance(problem));
  SolvedGroups solved{solve::solve_with_budget(problem, input.budget, {.gap_tolerance_bits = input.gap_bits}),
                      {}};
  const double features = solved.solution.info.leakage_nats * kBitsPerNat;
  solved.round.leakage = solve::group_entropy(problem.joints) * kBitsPerNat + features;
  solved.round.objective = input.objective == solve::Objective::Total ? solved.round.leakage : features;
  solved.round.distance = solved.solution.info.distance;
  solved.round.moves = moves;
  return solved;
}

}  // namespace hyobscure::obscure
