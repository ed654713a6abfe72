#pragma once

#include <cstddef>
#include <filesystem>
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

/// channel.budget_share of "careful", "balanced" or "useful": how far published features may be from the true
/// ones. Throws InputError for another word.
[[nodiscard]] double budget_share_of(const std::string& care);

/// A file as the spec in `folder` would name it. Throws InputError for a name that a spec would take for a
/// pattern.
[[nodiscard]] std::string name_in_spec(const std::filesystem::path& folder, const std::string& file);

/// The keys that a spec gives, as a spec file has them, without comments.
[[nodiscard]] std::string spec_text(const data::Spec& spec);

/// Guesses roles and kinds, reads the people by them, and suggests limits that they can meet.
/// budget_share: as channel.budget_share. Throws InputError where a role cannot be filled, or where so few
/// people can form no group.
[[nodiscard]] StartingSpec starting_spec(const data::GuessRequest& request, double budget_share,
                                         const data::ChooseSecret& choose, const Resources& resources,
                                         const Progress& progress = {});

}  // namespace hyobscure::workflow
