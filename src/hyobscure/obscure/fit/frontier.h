#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

/// What a method gives for one budget.
struct FrontierPoint : Figures {  ///< those of basic_figures
  std::optional<Parameter> parameter = {};
  std::vector<std::string> groups = {};  ///< their labels
  double seconds = kUnset;               ///< of the method, after the census
};

struct Frontier {
  std::string method;
  std::vector<FrontierPoint>
      points;             ///< by increasing budget; budgets out of the method's reach are left out
  bool complete = true;   ///< false: stopped; the points there are, are good
  std::string note = {};  ///< what the user should know of the method's answers
};

/// The trade-off of the spec's method: budgets at equal steps over its range (Method::range), on one census.
/// points >= 2.
[[nodiscard]] Frontier trace_frontier(const data::People& people, const data::Spec& spec,
                                      const census::Census& census, int points,
                                      const Progress& progress = {});

/// `points` budgets at equal steps over a range; the first only where `points` is 1.
[[nodiscard]] std::vector<double> budgets_over(const BudgetRange& range, int points);

/// Receives the mechanism behind a point of a frontier.
using OnMechanism = std::function<void(const FrontierPoint& point, const Mechanism& mechanism)>;

/// The frontier of one method over given budgets, on a census that is already taken. Mechanisms are made only
/// where somebody wants them; they have no null of their leakage.
[[nodiscard]] Frontier sweep_method(const Method& method, const data::Spec& spec,
                                    const census::Census& census, const MethodInput& input,
                                    const std::vector<double>& budgets, const Progress& progress,
                                    const OnMechanism& on_mechanism = {});

}  // namespace hyobscure::obscure
