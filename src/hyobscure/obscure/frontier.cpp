#include "hyobscure/obscure/frontier.h"

#include <algorithm>

#include "hyobscure/obscure/fit.h"
#include "hyobscure/obscure/labels.h"
#include "hyobscure/solve/leakage.h"

namespace hyobscure::obscure {
namespace {

FrontierPoint point_of(const data::People& people, const data::Spec& spec, const MethodInput& input,
                       const MethodResult& result) {
  FrontierPoint point;
  point.budget = input.budget;
  point.distance = result.solution.info.distance;
  point.leakage_groups =
      solve::group_entropy(solve::problem_of(input.tables, result.partition).problem.joints) * kBitsPerNat;
  point.leakage_features = result.solution.info.leakage_nats * kBitsPerNat;
  point.leakage = point.leakage_groups + point.leakage_features;
  if (result.joint_lower_bound_bits)
    point.joint_gap = std::max(0.0, result.history.back().objective - *result.joint_lower_bound_bits);
  for (const Group& group : label_groups(people.values, result.partition.starts, spec.secret.keep))
    point.groups.push_back(group.label);
  return point;
}

}  // namespace

Frontier trace_frontier(const data::People& people, const data::Spec& spec, int points,
                        const Progress& progress) {
  const Terms terms = terms_of(people, spec);
  const census::Census census = census_of(people, spec, progress);
  const solve::SegmentTables tables = segment_tables(people, census);
  const solve::ChannelProblem first = solve::problem_of(tables, terms.first_groups).problem;
  const double smallest = solve::smallest_distance(first), harmless = solve::harmless_distance(first);
  std::vector<double> budgets;
  for (int i = 0; i < points; ++i) budgets.push_back(smallest + (harmless - smallest) * i / (points - 1));

  MethodInput input = method_input(spec, terms, tables);
  Frontier frontier{.method = spec.method.name, .points = {}};
  method_named(spec.method.name)
      .sweep(input, budgets, progress, [&](double budget, const MethodResult& result) {
        input.budget = budget;
        frontier.points.push_back(point_of(people, spec, input, result));
        frontier.complete = frontier.complete && result.converged;
        progress.report("tracing the frontier", static_cast<double>(frontier.points.size()), points);
      });
  frontier.complete = frontier.complete && frontier.points.size() == budgets.size();
  return frontier;
}

}  // namespace hyobscure::obscure
