#include "hyobscure/obscure/method.h"

#include <algorithm>
#include <stdexcept>

#include "hyobscure/solve/leakage.h"

namespace hyobscure::obscure {

const std::vector<Method>& methods() {
  static const std::vector<Method> list = {
      {"hyobscure", "the paper's cross-iteration: groups and channels in turn", run_hyobscure},
      {"xobf", "first groups with their optimal channel", run_xobf},
  };
  return list;
}

const Method& method_named(const std::string& name) {
  const auto found = std::ranges::find(methods(), name, &Method::name);
  if (found == methods().end()) throw std::logic_error("the spec admits a method that does not exist");
  return *found;
}

SolvedGroups solve_groups(const MethodInput& input, const solve::Partition& partition, int moves) {
  const solve::ChannelProblem problem = solve::problem_of(input.tables, partition).problem;
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
