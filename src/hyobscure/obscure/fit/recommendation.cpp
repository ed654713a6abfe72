#include "hyobscure/obscure/fit/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "hyobscure/base/error.h"
#include "hyobscure/base/terminal.h"
#include "hyobscure/obscure/fit/fit.h"
#include "hyobscure/obscure/fit/frontier.h"
#include "hyobscure/obscure/groups/pools.h"
#include "hyobscure/obscure/leakage/shortfalls.h"
#include "hyobscure/obscure/methods/fine_people.h"

namespace hyobscure::obscure {
namespace {

struct WorkingTerms {
  SuggestedTerms terms;
  solve::Partition groups;
  bool are_the_specs = false;
};

std::optional<WorkingTerms> working_terms(const data::People& people, const data::Spec& spec) {
  if (spec.groups.people && spec.groups.values) try {
      const Terms given = terms_of(people, spec);
      return WorkingTerms{{given.first_groups.groups(), given.limits}, given.first_groups, true};
    } catch (const InputError&) {  // inspect says what is wrong with them
    }
  const auto suggested = suggest_terms(people);
  if (!suggested) return std::nullopt;
  try {
    return WorkingTerms{*suggested, terms_of(people, with_terms(spec, *suggested)).first_groups, false};
  } catch (const InputError&) {  // kept columns leave no pool large enough
    return std::nullopt;
  }
}

/// At most so many people, among them one of each value, and of each pool nobody or two.
std::vector<std::uint32_t> sample_of(const data::People& people, const solve::Partition& groups,
                                     const Key& key) {
  std::vector<std::uint32_t> order(people.size());
  std::iota(order.begin(), order.end(), 0u);
  if (order.size() <= kMostFitted) return order;
  RandomStream random(key);
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[random.below(i + 1)]);

  const Pools pools = pools_by_group(people, groups);
  std::vector<char> value_seen(people.values.size()), chosen(people.size());
  std::vector<int> of_pool(pools.size());
  std::size_t count = 0;
  const auto choose = [&](std::uint32_t person) {
    if (chosen[person] != 0) return;
    chosen[person] = 1;
    ++of_pool[pools.pool_of_person[person]];
    ++count;
  };
  for (const std::uint32_t person : order)
    if (std::exchange(value_seen[people.secrets[person]], 1) == 0) choose(person);
  for (std::size_t i = 0; i < order.size() && count < kMostFitted; ++i) choose(order[i]);
  for (const std::uint32_t person : order)
    if (of_pool[pools.pool_of_person[person]] == 1) choose(person);
  std::erase_if(order, [&](std::uint32_t person) { return chosen[person] == 0; });
  std::ranges::sort(order);
  return order;
}

BudgetChoice choice_of(const Care& care, const FrontierPoint& point, const Mechanism& mechanism,
                       double uniform) {
  return {.name = care.name,
          .budget_share = care.budget_share,
          .budget = point.budget,
          .features = point.leakage.features,
          .unprotected = mechanism.figures.leakage.unprotected,
          .nearer = std::max(0.0, 1 - point.distance / uniform),
          .own_rows = mechanism.figures.own_rows,
          .worst_lift = mechanism.figures.lift.own_largest,
          .weak = !shortfalls(mechanism).empty()};
}

/// In the groups that were found for all people, whose limits a sample cannot meet.
std::vector<BudgetChoice> budgets_of(const data::People& people, const data::Spec& spec,
                                     const census::Census& census, const solve::Partition& groups,
                                     const Progress& progress) {
  const Terms terms{.values = ordered_values(people),
                    .layout = layout_of(people, spec.groups.shape == data::GroupShape::Boxes),
                    .limits = {},
                    .first_groups = groups};
  const solve::SegmentTables tables = segment_tables(people, census);
  MethodInput input = method_input(people, spec, terms, census, tables);
  input.groups_are_fixed = true;
  FineCache prepared;
  input.person.cache = &prepared;
  const Method& method = method_of(spec);
  const BudgetRange range = method.range(input);
  const double uniform = uniform_distance(channel_problem(published_pools(input, groups)));
  std::vector<double> budgets;
  for (const Care& care : kCares) budgets.push_back(range.at(care.budget_share));
  std::vector<double> ascending(budgets.rbegin(), budgets.rend());  // as sweeps want them
  std::vector<BudgetChoice> choices;
  (void)sweep_method(
      method, spec, census, input, ascending, progress,
      [&](const FrontierPoint& point, const Mechanism& mechanism) {
        const auto at = std::ranges::find(budgets, point.budget) - budgets.begin();
        if (at < static_cast<std::ptrdiff_t>(kCares.size()))
          choices.push_back(choice_of(kCares[static_cast<std::size_t>(at)], point, mechanism, uniform));
      });
  std::ranges::reverse(choices);
  return choices;
}

/// About a budget of the spec with which the features need not leak, or hardly change.
std::string remark_on_budget(const data::Spec& spec, const BudgetRange& range) {
  if (!spec.channel.budget) return {};
  const double budget = *spec.channel.budget;
  constexpr double kHardlyAny = 0.15;  // of the range
  if (budget > range.harmless)
    return fmt::format(
        "Your budget, {:.4g}, is beyond the useful range: from {:.4g} on, published features need not leak "
        "anything about the secret.",
        budget, range.harmless);
  if (budget < range.smallest)
    return fmt::format(
        "Your budget, {:.4g}, is out of reach: no channel of this method is nearer than {:.4g}.", budget,
        range.smallest);
  if (budget < range.at(kHardlyAny))
    return fmt::format(
        "Your budget, {:.4g}, is below the useful range: published features are nearly the true ones, and "
        "leak nearly what these leak.",
        budget);
  return {};
}

/// The usual one, unless publish would refuse it and not the more careful one.
std::string recommended(const std::vector<BudgetChoice>& budgets) {
  if (budgets.empty()) return {};
  for (const char* name : {kCares[1].name, kCares[0].name})
    for (const BudgetChoice& budget : budgets)
      if (budget.name == name && !budget.weak) return budget.name;
  return budgets.front().name;
}

}  // namespace

data::Spec with_terms(const data::Spec& spec, const SuggestedTerms& terms) {
  data::Spec with = spec;
  with.groups.fixed = {};
  with.groups.count = terms.count;
  with.groups.people = data::Interval{terms.limits.least_people, terms.limits.most_people};
  with.groups.values = data::Interval{terms.limits.least_values, terms.limits.most_values};
  return with;
}

std::optional<Recommendation> recommend(const data::People& people, const data::Spec& spec,
                                        const census::Census& census, const Progress& progress) {
  const auto working = working_terms(people, spec);
  if (!working) return std::nullopt;
  Recommendation result{.groups = working->groups.groups(),
                        .limits = working->terms.limits,
                        .terms_are_the_specs = working->are_the_specs,
                        .method = spec.method.name};
  const std::vector<std::uint32_t> chosen =
      sample_of(people, working->groups, search_key(spec).derive("recommendation"));
  result.fitted_people = chosen.size();
  try {
    if (chosen.size() == people.size()) {
      result.budgets = budgets_of(people, spec, census, working->groups, progress);
    } else {
      const data::People sample = data::select(people, chosen);
      result.budgets = budgets_of(sample, spec, census_of(sample, spec, progress), working->groups, progress);
    }
  } catch (const InputError& error) {
    result.no_budgets_because = error.what();
  }
  result.choice = recommended(result.budgets);
  if (!working->are_the_specs) return result;
  const solve::SegmentTables tables = segment_tables(people, census);
  const Terms terms = terms_of(people, spec);
  result.remark =
      remark_on_budget(spec, method_of(spec).range(method_input(people, spec, terms, census, tables)));
  return result;
}

}  // namespace hyobscure::obscure
