#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/fit/frontier.h"

namespace hyobscure::obscure {

struct ComparisonSettings {
  /// Empty: all there are, and fine also as fine-free (informed, not balanced), fine-informed and
  /// fine-learned.
  std::vector<std::string> methods = {};
  std::vector<double> budgets = {};  ///< empty: `points` over the range of the cells and, with fine, below
  int points = 7;                    ///< at least 2
  /// About, of a method at one budget, with all that is done there: for the progress of the whole.
  std::function<double(const Method& method)> seconds_of = {};
};

/// Methods side by side: the same people, clusters, distances and budgets, and the same number of groups
/// unless the spec leaves it open on purpose (fewer groups always tell less, so another number would not be a
/// comparison).
struct Comparison {
  std::vector<double> budgets;
  std::vector<Frontier> curves;  ///< one a method, in the order asked for
  double secret_entropy = kUnset;
  int groups = 0;
  bool within_groups = true;  ///< false: the baselines drew donors among all people

  bool complete() const;
};

/// Receives every mechanism of a comparison, with the name under which its method takes part.
using OnCompared =
    std::function<void(const std::string& name, const FrontierPoint& point, const Mechanism& mechanism)>;

/// Throws InputError for a method or budget that does not exist. Stopped, it returns the curves there are.
[[nodiscard]] Comparison compare_methods(const data::People& people, const data::Spec& spec,
                                         const ComparisonSettings& settings, const Progress& progress = {},
                                         const OnCompared& on_compared = {});

}  // namespace hyobscure::obscure
