#include <fmt/format.h>

#include "hyobscure/base/json.h"
#include "hyobscure/report/recommendation_summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

std::string range_text(double low, double high) {
  return fmt::format("{} to {}", count_text(std::llround(low)), count_text(std::llround(high)));
}

std::string terms_text(const obscure::Recommendation& recommendation) {
  const solve::GroupLimits& limits = recommendation.limits;
  return fmt::format(
      "  groups   {} of {} people (k, alpha) and {} different secrets each (l, beta): {}\n",
      recommendation.groups, range_text(limits.least_people, limits.most_people),
      range_text(limits.least_values, limits.most_values),
      recommendation.terms_are_the_specs
          ? "your limits, which can be met"
          : "two thirds of the strictest limits that so many groups admit, so that there is room to choose");
}

std::string method_text(const std::string& method) {
  return fmt::format("  method   {}: {}\n", method,
                     method == "fine"
                         ? "each person has a channel of their own, which leaks least at a distance"
                         : "as your spec asks; fine leaks less at the same distance");
}

std::string budgets_text(const obscure::Recommendation& recommendation) {
  TextTable table({"budget", "budget_share", "distance", "features leak (bits)", "nearer than random",
                   "worst person", "own rows"});
  for (const obscure::BudgetChoice& budget : recommendation.budgets)
    table.row({budget.name + (budget.name == recommendation.choice ? " *" : ""),
               fmt::format("{}", budget.budget_share), fmt::format("{:.4f}", budget.budget),
               fmt::format("{:.4f}", budget.features), share_text(budget.nearer, 1),
               fmt::format("{:.2g} times", budget.worst_lift),
               share_text(budget.own_rows, 1) + (budget.weak ? " !" : "")});
  return table.text();
}

}  // namespace

std::string recommendation_text(const obscure::Recommendation& recommendation, std::size_t people) {
  std::string text = "\nRecommendation\n" + terms_text(recommendation) + method_text(recommendation.method);
  if (recommendation.budgets.empty())
    return text + fmt::format("  budget   {}\n", recommendation.no_budgets_because);
  text += fmt::format("  budget   {}: how far published features are from the true ones\n\n",
                      recommendation.choice);
  text += budgets_text(recommendation);
  text += "  * recommended";
  bool weak = false;
  for (const obscure::BudgetChoice& budget : recommendation.budgets) weak = weak || budget.weak;
  if (weak) text += "   ! `publish` would refuse it, unless you give --accept-leakage";
  text +=
      "\n  nearer than random: how much nearer to the true features than those of a random person of the "
      "group\n"
      "  worst person: how much more likely a row can make the true secret of anybody in its group, at "
      "most\n";
  if (recommendation.fitted_people < people)
    text += fmt::format("  estimated on {} of the people: with all of them as donors, features leak less\n",
                        count_text(static_cast<std::int64_t>(recommendation.fitted_people)));
  if (!recommendation.remark.empty()) text += "  " + recommendation.remark + "\n";
  return text;
}

Json recommendation_json(const obscure::Recommendation& recommendation) {
  const solve::GroupLimits& limits = recommendation.limits;
  Json json = {{"groups", recommendation.groups},
               {"people", {limits.least_people, limits.most_people}},
               {"values", {limits.least_values, limits.most_values}},
               {"limits_of_the_spec", recommendation.terms_are_the_specs},
               {"method", recommendation.method},
               {"budget", recommendation.choice},
               {"fitted_people", recommendation.fitted_people}};
  json["budgets"] = Json::array();
  for (const obscure::BudgetChoice& budget : recommendation.budgets)
    json["budgets"].push_back({{"name", budget.name},
                               {"budget_share", budget.budget_share},
                               {"budget", number(budget.budget)},
                               {"leakage_features_bits", number(budget.features)},
                               {"leakage_unprotected_bits", number(budget.unprotected)},
                               {"nearer_than_random", number(budget.nearer)},
                               {"own_lift_largest", number(budget.worst_lift)},
                               {"own_rows", number(budget.own_rows)},
                               {"refused_by_publish", budget.weak}});
  if (!recommendation.no_budgets_because.empty())
    json["no_budgets_because"] = recommendation.no_budgets_because;
  if (!recommendation.remark.empty()) json["remark"] = recommendation.remark;
  return json;
}

}  // namespace hyobscure::report
