#include "hyobscure/obscure/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "hyobscure/base/error.h"
#include "hyobscure/census/statistics.h"
#include "hyobscure/obscure/fit.h"

namespace hyobscure::obscure {
namespace {

std::vector<const Method*> chosen_methods(const ComparisonSettings& settings) {
  std::vector<const Method*> chosen;
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  for (const std::string& name : settings.methods.empty() ? names : settings.methods) {
    if (std::ranges::find(names, name) == names.end())
      throw InputError({.source = "--methods"}, "there is no method of this name",
                       fmt::format("Take some of {}.", fmt::join(names, ", ")));
    chosen.push_back(&method_named(name));
  }
  return chosen;
}

std::vector<double> chosen_budgets(const ComparisonSettings& settings, const MethodInput& input) {
  if (settings.budgets.empty()) return budgets_over_range(input, settings.points);
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
                           const ComparisonSettings& settings, const Progress& progress) {
  const auto methods = chosen_methods(settings);
  const Terms terms = first_terms_of(people, spec);
  const census::Census census = census_of(people, spec, progress);
  const solve::SegmentTables tables = segment_tables(people, census);
  MethodInput input = method_input(people, spec, terms, tables);
  input.group_count = terms.first_groups.groups();
  input.parameter.reset();
  Comparison comparison{.budgets = chosen_budgets(settings, input),
                        .curves = {},
                        .secret_entropy = census::entropy(terms.values.people) * kBitsPerNat,
                        .groups = terms.first_groups.groups(),
                        .within_groups = spec.method.within_groups};
  for (const Method* method : methods) {
    if (progress.stop_requested()) {
      comparison.curves.push_back({.method = method->name, .points = {}, .complete = false});
      continue;
    }
    comparison.curves.push_back(sweep_method(*method, spec, census, input, comparison.budgets, progress));
  }
  return comparison;
}

}  // namespace hyobscure::obscure
