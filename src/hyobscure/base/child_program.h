#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hyobscure/base/progress.h"

namespace hyobscure {

/// The first of these programs in the folders of PATH; nothing: there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_program(const std::vector<std::string>& names);

/// Runs a program without a shell, silently, and waits for it. Returns its exit code; nothing where it could
/// not be started, ended in a signal or took longer, and was then ended with all that it had started. Throws
/// Stopped when asked to, after ending it.
[[nodiscard]] std::optional<int> run_program(const std::filesystem::path& program,
                                             const std::vector<std::string>& arguments, double seconds,
                                             const Progress& progress = {});

}  // namespace hyobscure
