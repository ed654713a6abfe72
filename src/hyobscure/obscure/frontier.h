#pragma once

#include <string>
#include <vector>

#include "hyobscure/base/numeric.h"
#include "hyobscure/base/progress.h"
#include "hyobscure/data/people.h"
#include "hyobscure/data/spec.h"

namespace hyobscure::obscure {

/// What a method gives for one budget; bits.
struct FrontierPoint {
  double budget = kUnset;
  double distance = kUnset;
  double leakage = kUnset;
  double leakage_groups = kUnset;
  double leakage_features = kUnset;
  double joint_gap = kUnset;        ///< proven, by methods that search all groupings; else NaN
  std::vector<std::string> groups;  ///< their labels
};

struct Frontier {
  std::string method;
  std::vector<FrontierPoint> points;  ///< by increasing budget
  bool complete = true;               ///< false: stopped; the points there are, are good
};

/// The trade-off of the spec's method: budgets at equal steps from the smallest distance that the first
/// groups can reach to the one from which on their features need tell nothing. The census is taken once for
/// all of them. points >= 2.
[[nodiscard]] Frontier trace_frontier(const data::People& people, const data::Spec& spec, int points,
                                      const Progress& progress = {});

}  // namespace hyobscure::obscure
