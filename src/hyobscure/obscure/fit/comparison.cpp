#include "hyobscure/obscure/fit/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "hyobscure/base/error.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/leakage/exact_values.h"
#include "hyobscure/obscure/methods/fine.h"

namespace hyobscure::obscure {
namespace {

/// A curve of the comparison: a method as the spec has it, or one of its chosen.
struct ComparedMethod {
  std::string name;
  const Method* method;
  void (*adjust)(MethodInput& input) = [](MethodInput&) {};
};

std::vector<ComparedMethod> all_compared() {
  std::vector<ComparedMethod> all;
  for (const Method& method : methods()) {
    all.push_back({method.name, &method});
    for (const MethodVariant& variant : method.variants)
      all.push_back({variant.name, &method, variant.adjust});
  }
  return all;
}

std::vector<ComparedMethod> chosen_methods(const ComparisonSettings& settings) {
  const std::vector<ComparedMethod> all = all_compared();
  if (settings.methods.empty()) return all;
  std::vector<ComparedMethod> chosen;
  for (const std::string& name : settings.methods) {
    const auto found = std::ranges::find(all, name, &ComparedMethod::name);
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const ComparedMethod& each : all) names.push_back(each.name);
      throw InputError({.source = "--methods"}, "there is no method of this name",
                       fmt::format("Take some of {}.", fmt::join(names, ", ")));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

/// Half of the points where channels over cells trade, half where only people's own channels reach.
std::vector<double> budgets_for(const std::vector<ComparedMethod>& chosen, const MethodInput& input,
                                int points) {
  const BudgetRange cells = cell_range(input);
  const bool fine = std::ranges::any_of(chosen, [](const auto& c) { return c.method->person_level; });
  const int below = fine ? points / 2 : 0;
  std::vector<double> budgets;
  for (int i = 0; i < below; ++i) budgets.push_back(cells.smallest * (1 + double(i) / below) / 2);
  for (const double budget : budgets_over(cells, points - below)) budgets.push_back(budget);
  return budgets;
}

std::vector<double> chosen_budgets(const ComparisonSettings& settings,
                                   const std::vector<ComparedMethod>& chosen, const MethodInput& input) {
  if (settings.budgets.empty()) return budgets_for(chosen, input, settings.points);
  std::vector<double> budgets = settings.budgets;
  std::ranges::sort(budgets);
  if (budgets.front() <= 0 || !std::isfinite(budgets.back()))
    throw InputError({.source = "--budgets"}, "expected numbers above 0",
                     "`hyobscure inspect` shows the sensible range.");
  return budgets;
}

}  // namespace

bool Comparison::complete() const {
  return std::ranges::all_of(curves, [](const Frontier& curve) { return curve.complete; });
}

Comparison compare_methods(const data::People& people, const data::Spec& spec,
                           const ComparisonSettings& settings, const Progress& progress,
                           const OnCompared& on_compared) {
  const auto chosen = chosen_methods(settings);
  for (const ComparedMethod& compared : chosen)
    require(compared.method->limits_lifts || !(spec.channel.max_lift || spec.channel.min_lift),
            spec.name + ", channel.max_lift",
            fmt::format("{} cannot keep lifts within limits", compared.name),
            "Compare with --methods fine,exact,hyobscure,xobf, or leave channel.max_lift and "
            "channel.min_lift out.");
  const Terms terms = first_terms_of(people, spec);
  const census::Census census = census_of(people, spec, progress);
  const solve::SegmentTables tables = segment_tables(people, census);
  MethodInput input = method_input(people, spec, terms, census, tables);
  input.group_count = terms.first_groups.groups();
  input.parameter.reset();
  FineCache prepared;
  input.person.cache = &prepared;
  Comparison comparison{.budgets = chosen_budgets(settings, chosen, input),
                        .curves = {},
                        .secret_entropy = counts_exact_values(people, census.clustering.model.clusters())
                                              ? exact_entropy(people)
                                              : census::entropy(terms.values.people) * kBitsPerNat,
                        .groups = terms.first_groups.groups(),
                        .within_groups = spec.method.within_groups};
  std::vector<double> seconds;
  for (const ComparedMethod& compared : chosen)
    seconds.push_back(settings.seconds_of ? settings.seconds_of(*compared.method) *
                                                static_cast<double>(comparison.budgets.size())
                                          : 0);
  PlannedWork plan(progress, seconds);
  for (const ComparedMethod& compared : chosen) {
    Frontier curve{.method = compared.name, .points = {}, .complete = false};
    if (!progress.stop_requested()) {
      MethodInput own = input;
      compared.adjust(own);
      // What happens at one budget begins again at every other: the whole moves from budget to budget.
      const Progress whole = plan.stage(comparison.curves.size());
      const Progress by_budget =
          progress.with_same_reports([&](double done, double total) { whole.whole(done, total); });
      OnMechanism on_mechanism;
      if (on_compared)
        on_mechanism = [&](const FrontierPoint& point, const Mechanism& mechanism) {
          on_compared(compared.name, point, mechanism);
        };
      curve = sweep_method(*compared.method, spec, census, own, comparison.budgets, by_budget, on_mechanism);
      curve.method = compared.name;
    }
    comparison.curves.push_back(std::move(curve));
  }
  plan.finish();
  return comparison;
}

}  // namespace hyobscure::obscure
