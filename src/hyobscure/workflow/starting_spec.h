#pragma once

#include <cstddef>
#include <string>

#include "hyobscure/base/progress.h"
#include "hyobscure/data/guess/guess.h"
#include "hyobscure/workflow/workbench.h"

namespace hyobscure::workflow {

/// A spec for files that nobody has described, to be read before anything is published by it.
struct StartingSpec {
  data::Guess guess;  ///< limits and budget included
  std::size_t people = 0;
  std::string toml;  ///< a key a line, the reason for it in the line above
};

/// Guesses roles and kinds, reads the people by them, and suggests limits that they can meet.
/// budget_share: as channel.budget_share. Throws InputError where a role cannot be filled, or where so few
/// people can form no group.
[[nodiscard]] StartingSpec starting_spec(const data::GuessRequest& request, double budget_share,
                                         const data::ChooseSecret& choose, const Resources& resources,
                                         const Progress& progress = {});

}  // namespace hyobscure::workflow
