#pragma once

#include <filesystem>

namespace hyobscure {

// Renames that lose nothing. Each returns 0 or the error, after which everything is as it was. Not a public
// header.

/// EEXIST where there is something at `to`.
int rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

/// Each gets the name of the other, at one moment: whenever a process ends, both have a name that is theirs.
/// File systems that cannot do so use exchange_by_renames.
int exchange(const std::filesystem::path& a, const std::filesystem::path& b);

/// The same in three steps; `aside` is a free name beside them.
int exchange_by_renames(const std::filesystem::path& a, const std::filesystem::path& b,
                        const std::filesystem::path& aside);

}  // namespace hyobscure
