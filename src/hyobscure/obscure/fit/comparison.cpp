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

/// A method under terms of its own.
struct Contender {
  std::string name;
  const Method* method;
  std::optional<Threat> threat = {};
  std::optional<bool> balanced = {};
};

/// Beside fine as the spec has it: what balance and the threats cost.
std::vector<Contender> variants_of_fine(const Method& fine) {
  return {{"fine-free", &fine, Threat::Informed, false},
          {"fine-informed", &fine, Threat::Informed, true},
          {"fine-learned", &fine, Threat::Learned, true}};
}

std::vector<Contender> all_contenders() {
  std::vector<Contender> all;
  for (const Method& method : methods()) {
    all.push_back({method.name, &method});
    if (method.name != "fine") continue;
    for (Contender& variant : variants_of_fine(method)) all.push_back(std::move(variant));
  }
  return all;
}

std::vector<Contender> chosen_contenders(const ComparisonSettings& settings) {
  const std::vector<Contender> all = all_contenders();
  if (settings.methods.empty()) return all;
  std::vector<Contender> chosen;
  for (const std::string& name : settings.methods) {
    const auto found = std::ranges::find(all, name, &Contender::name);
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const Contender& contender : all) names.push_back(contender.name);
      throw InputError({.source = "--methods"}, "there is no method of this name",
                       fmt::format("Take some of {}.", fmt::join(names, ", ")));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

/// Half of the points where channels over cells trade, half where only people's own channels reach.
std::vector<double> budgets_for(const std::vector<Contender>& contenders, const MethodInput& input,
                                int points) {
  const BudgetRange cells = cell_range(input);
  const bool fine = std::ranges::any_of(contenders, [](const auto& c) { return c.method->name == "fine"; });
  const int below = fine ? points / 2 : 0;
  std::vector<double> budgets;
  for (int i = 0; i < below; ++i) budgets.push_back(cells.smallest * (1 + double(i) / below) / 2);
  for (const double budget : budgets_over(cells, points - below)) budgets.push_back(budget);
  return budgets;
}

std::vector<double> chosen_budgets(const ComparisonSettings& settings,
                                   const std::vector<Contender>& contenders, const MethodInput& input) {
  if (settings.budgets.empty()) return budgets_for(contenders, input, settings.points);
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
                           const OnContender& on_contender) {
  const auto contenders = chosen_contenders(settings);
  const Terms terms = first_terms_of(people, spec);
  const census::Census census = census_of(people, spec, progress);
  const solve::SegmentTables tables = segment_tables(people, census);
  MethodInput input = method_input(people, spec, terms, census, tables);
  input.group_count = terms.first_groups.groups();
  input.parameter.reset();
  FineCache prepared;
  input.fine_cache = &prepared;
  Comparison comparison{.budgets = chosen_budgets(settings, contenders, input),
                        .curves = {},
                        .secret_entropy = counts_exact_values(people, census.clustering.model.clusters())
                                              ? exact_entropy(people)
                                              : census::entropy(terms.values.people) * kBitsPerNat,
                        .groups = terms.first_groups.groups(),
                        .within_groups = spec.method.within_groups};
  for (const Contender& contender : contenders) {
    Frontier curve{.method = contender.name, .points = {}, .complete = false};
    if (!progress.stop_requested()) {
      MethodInput own = input;
      own.threat = contender.threat.value_or(input.threat);
      own.balanced = contender.balanced.value_or(input.balanced);
      OnMechanism on_mechanism;
      if (on_contender)
        on_mechanism = [&](const FrontierPoint& point, const Mechanism& mechanism) {
          on_contender(contender.name, point, mechanism);
        };
      curve = sweep_method(*contender.method, spec, census, own, comparison.budgets, progress, on_mechanism);
      curve.method = contender.name;
    }
    comparison.curves.push_back(std::move(curve));
  }
  return comparison;
}

}  // namespace hyobscure::obscure
