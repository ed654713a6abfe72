#pragma once

#include <filesystem>

namespace hyobscure {

/// Where the user's own data of this program lie, whatever the working directory is: $XDG_DATA_HOME/hyobscure
/// or ~/.local/share/hyobscure. Throws InputError where there is no home; `what` is to lie there.
[[nodiscard]] std::filesystem::path user_folder(const char* what);

/// The folder and those above it as far as they are missing, for their owner only. Throws InputError.
void make_private_folder(const std::filesystem::path& folder);

}  // namespace hyobscure
