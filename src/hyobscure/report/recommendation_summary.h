#pragma once

#include <cstddef>
#include <string>

#include "hyobscure/base/json.h"
#include "hyobscure/obscure/fit/recommendation.h"

namespace hyobscure::report {

/// Groups, method and three budgets, for the end of what `inspect` prints. people: how many there are.
[[nodiscard]] std::string recommendation_text(const obscure::Recommendation& recommendation,
                                              std::size_t people);
[[nodiscard]] Json recommendation_json(const obscure::Recommendation& recommendation);

}  // namespace hyobscure::report
