#pragma once

#include <filesystem>

namespace hyobscure {

/// For tests: the repository. Compiled into one file of each test program, so that no other depends on where
/// the repository lies.
[[nodiscard]] std::filesystem::path source_folder();

/// For tests: the folder that an environment variable names, or its usual place in `shared` beside the
/// repository.
[[nodiscard]] std::filesystem::path shared_folder(const char* variable, const char* usual);

}  // namespace hyobscure
