#pragma once

#include <optional>

#include "hyobscure/obscure/groups/population.h"
#include "hyobscure/solve/groups/partition.h"

namespace hyobscure::obscure {

/// Limits that these people can meet with room to choose.
struct SuggestedTerms {
  int count = 0;  ///< of groups
  solve::GroupLimits limits;
};

/// As many groups as the values allow, at most four: about two thirds of the largest k and l that so many
/// groups could have, and half as much again as their smallest alpha and beta, less where these exclude each
/// other. Absent where not even one group holds two people and two values.
[[nodiscard]] std::optional<SuggestedTerms> suggest_terms(const Population& population);

}  // namespace hyobscure::obscure
