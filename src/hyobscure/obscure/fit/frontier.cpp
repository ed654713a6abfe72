#include "hyobscure/obscure/fit/frontier.h"

#include "hyobscure/base/stopwatch.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/groups/labels.h"

namespace hyobscure::obscure {
namespace {

FrontierPoint point_of(const data::Spec& spec, const census::Census& census, const MethodInput& input,
                       double budget, const MethodResult& result) {
  MethodInput at = input;
  at.budget = budget;
  FrontierPoint point{
      basic_figures(input.people, at, result, leakage_of(input.people, census, spec, result, 0))};
  point.parameter = result.parameter;
  for (const published::Group& group : label_groups(input.people, result.partition, spec))
    point.groups.push_back(group.label);
  return point;
}

}  // namespace

std::vector<double> budgets_over(const BudgetRange& range, int points) {
  std::vector<double> budgets;
  for (int i = 0; i < points; ++i) budgets.push_back(range.at(points > 1 ? double(i) / (points - 1) : 0));
  return budgets;
}

Frontier sweep_method(const Method& method, const data::Spec& spec, const census::Census& census,
                      const MethodInput& input, const std::vector<double>& budgets, const Progress& progress,
                      const OnMechanism& on_mechanism) {
  Frontier frontier{.method = method.name, .points = {}};
  Stopwatch watch;
  method.sweep(input, budgets, progress, [&](double budget, const MethodResult& result) {
    const double seconds = watch.seconds();
    frontier.points.push_back(point_of(spec, census, input, budget, result));
    frontier.points.back().seconds = seconds;
    frontier.complete = frontier.complete && result.converged;
    if (on_mechanism) {
      MethodInput at = input;
      at.budget = budget;
      on_mechanism(frontier.points.back(), mechanism_of(input.people, spec, census, at, result, 0, progress));
    }
    frontier.note = result.note;
    progress.report("tracing the frontier", static_cast<double>(frontier.points.size()),
                    static_cast<double>(budgets.size()));
    progress.whole(static_cast<double>(frontier.points.size()), static_cast<double>(budgets.size()));
    watch = {};
  });
  if (progress.stop_requested() && frontier.points.size() < budgets.size()) frontier.complete = false;
  return frontier;
}

Frontier trace_frontier(const data::People& people, const data::Spec& spec, const census::Census& census,
                        int points, const Progress& progress) {
  const Terms terms = terms_of(people, spec);
  const solve::SegmentTables tables = segment_tables(people, census);
  const MethodInput input = method_input(people, spec, terms, census, tables);
  const Method& method = method_named(spec.method.name);
  return sweep_method(method, spec, census, input, budgets_over(method.range(input), points),
                      progress.with_same_reports());
}

}  // namespace hyobscure::obscure
