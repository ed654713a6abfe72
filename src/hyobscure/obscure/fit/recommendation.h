#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/census/census.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/groups/suggestion.h"
#include "hyobscure/obscure/mechanism/figures.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// How far published features may be from the true ones, in a word.
struct Care {
  const char* name;
  double budget_share;
  const char* means;
};

/// From far to near; the second is the usual one.
inline constexpr std::array<Care, 3> kCares = {
    Care{"careful", 0.9, "far: little can be inferred, averages of groups stay right"},
    Care{"balanced", 0.7, "between the two"}, Care{"useful", 0.4, "near: more can be inferred"}};

/// What a budget would give, from a fit to these people or a sample of them.
struct BudgetChoice {
  std::string name;
  double budget_share = kUnset;
  double budget = kUnset;    ///< expected distance
  double features = kUnset;  ///< leakage of the features to an informed attacker, bits
  double unprotected = kUnset;
  double nearer = kUnset;      ///< how much nearer to the true row than a random donor of the group, a share
  double own_rows = kUnset;    ///< share of people who publish their own row
  double worst_lift = kUnset;  ///< the most that anybody's own value can become more likely, a factor
  bool weak = false;           ///< publish would refuse it (shortfalls.h)
};

/// Settings that work for these people.
struct Recommendation {
  int groups = 0;
  solve::GroupLimits limits;
  bool terms_are_the_specs = false;  ///< they work; otherwise suggested (suggestion.h)
  std::string method;
  std::vector<BudgetChoice> budgets = {};  ///< from far to near; empty where the spec's method refuses them
  std::string no_budgets_because = {};
  std::size_t fitted_people = 0;  ///< fewer than there are: a sample, for which features leak more
  std::string choice = {};        ///< name of the budget that is recommended
  std::string remark = {};        ///< about the budget of the spec; empty: within the useful range
};

[[nodiscard]] data::Spec with_terms(const data::Spec& spec, const SuggestedTerms& terms);

/// The terms of the spec where they work, otherwise suggested ones, and three budgets for the spec's method.
/// Costs three solves for at most kMostFitted people. Nothing where no two groups can be formed.
[[nodiscard]] std::optional<Recommendation> recommend(const data::People& people, const data::Spec& spec,
                                                      const census::Census& census,
                                                      const Progress& progress = {});

inline constexpr std::size_t kMostFitted = 600;

}  // namespace hyobscure::obscure
