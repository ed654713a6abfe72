#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/base/random.h"
#include "hyobscure/obscure/mechanism.h"
#include "hyobscure/solve/boundary_search.h"
#include "hyobscure/solve/channel.h"
#include "hyobscure/solve/partition.h"
#include "hyobscure/solve/segments.h"

namespace hyobscure::obscure {

/// What every method starts from: the census as tables, and the publisher's terms.
struct MethodInput {
  const solve::SegmentTables& tables;
  const solve::OrderedValues& values;
  solve::GroupLimits limits;
  solve::Partition first_groups;
  bool groups_are_fixed = false;   ///< the user gave them: no method may move a boundary
  std::optional<int> group_count;  ///< as the user asked; absent: any number
  double budget = kUnset;
  solve::Objective objective = solve::Objective::Total;
  solve::Acceptance acceptance = solve::Acceptance::Paper;
  double convergence_bits = 1e-4;
  double gap_bits = 1e-9;
  Key key;  ///< of the search, not of the draws
};

struct MethodResult {
  solve::Partition partition;
  solve::ChannelResult solution;
  std::vector<Round> history;
  bool converged = true;  ///< false: the user stopped it, this is the best so far
  /// Proven by methods that search all groupings: no groups and channels within the terms have an objective
  /// below.
  std::optional<double> joint_lower_bound_bits = {};
};

/// Receives the answer to one budget of a sweep.
using OnBudget = std::function<void(double budget, const MethodResult& result)>;

/// A way to find groups and channels. One file each; the list feeds the spec's method.name.
struct Method {
  std::string name;
  std::string help;
  MethodResult (*run)(const MethodInput& input, const Progress& progress);
  /// Many budgets, one after the other; a method that learns from one for the next has its own way. Ends
  /// early when stopped.
  void (*sweep)(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                const OnBudget& on_budget);
};

[[nodiscard]] const std::vector<Method>& methods();
[[nodiscard]] const Method& method_named(const std::string& name);

/// The paper's cross-iteration: solve the channel for the groups, move boundaries for the channel, and so on
/// until a round gains less than the convergence threshold. Leakage never rises from one round to the next.
MethodResult run_hyobscure(const MethodInput& input, const Progress& progress);

/// The joint optimum over all groupings within the limits and their channels, with its proof (solve/exact.h).
MethodResult run_exact(const MethodInput& input, const Progress& progress);
void sweep_exact(const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                 const OnBudget& on_budget);

/// First groups with their optimal channel.
MethodResult run_xobf(const MethodInput& input, const Progress& progress);

/// The optimal channel for given groups, and the round that it makes in the history.
struct SolvedGroups {
  solve::ChannelResult solution;
  Round round;
};
[[nodiscard]] SolvedGroups solve_groups(const MethodInput& input, const solve::Partition& partition,
                                        int moves);

}  // namespace hyobscure::obscure
