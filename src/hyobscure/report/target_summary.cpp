#include <fmt/format.h>

#include "hyobscure/report/audit_facts.h"
#include "hyobscure/report/summary.h"
#include "hyobscure/report/text_table.h"

namespace hyobscure::report {
namespace {

/// "0.6 % [0.4, 0.9]"
std::string percent_text(const audit::Estimate& loss) {
  return fmt::format("{:.2f} % [{:.2f}, {:.2f}]", loss.mean, loss.low, loss.high);
}

/// How much a use without any features would lose; what there is to lose.
double baseline_percent(const audit::UtilityResult& utility) {
  const audit::UtilityFigures& figures = *utility.figures;
  const double loss = (figures.baseline.mean - figures.unobscured.mean) * (utility.lower_is_better ? 1 : -1);
  return 100 * loss / figures.unobscured.mean;
}

std::string use_text(const audit::TargetSearch& search) {
  const audit::UtilityResult& utility = *search.utility;
  const audit::UtilityFigures& figures = *utility.figures;
  std::string text = fmt::format(
      "Met: {} {:.4f}, {} {} {:.4f} with true features ({:.4f} with no features at all).\n", utility.measure,
      figures.published.mean, percent_text(search.chosen.loss), utility.lower_is_better ? "above" : "below",
      figures.unobscured.mean, figures.baseline.mean);
  if (baseline_percent(utility) <= search.target.percent)
    text +=
        "A release without any features would meet it too: on this data the target requires nothing of the "
        "features.\n";
  return text;
}

}  // namespace

std::string target_search_text(const audit::TargetSearch& search) {
  TextTable table({"budget", "loss", "leakage", "target"});
  for (const audit::TriedBudget& tried : search.tried)
    table.row({fmt::format("{:.6f}", tried.budget), percent_text(tried.loss), bits_text(tried.leakage),
               tried.budget == search.chosen.budget ? "met, chosen"
               : tried.kept                         ? "met"
                                                    : "missed"});
  std::string text = fmt::format("Target: {}. ", data::target_text(search.target));
  if (!search.utility)
    return text +
           fmt::format("Met: {:.2f} % of the distance of any donor of the group.\n", search.chosen.loss.mean);
  return fmt::format("Budgets tried, with the 95 % interval of {} repetitions\n",
                     search.utility->repetitions) +
         table.text() + "\n" + wrapped(text + use_text(search));
}

Json target_search_facts(const audit::TargetSearch& search) {
  Json json = {{"text", data::target_text(search.target)},
               {"percent", search.target.percent},
               {"measure", search.target.measure},
               {"limit", number(search.limit)},
               {"loss_percent", estimate_json(search.chosen.loss)},
               {"tried", Json::array()}};
  if (search.utility) json["utility"] = utility_json(*search.utility);
  for (const audit::TriedBudget& tried : search.tried)
    json["tried"].push_back({{"budget", number(tried.budget)},
                             {"loss_percent", estimate_json(tried.loss)},
                             {"leakage_bits", number(tried.leakage)},
                             {"kept", tried.kept}});
  return json;
}

}  // namespace hyobscure::report
