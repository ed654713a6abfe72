#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "hyobscure/published/signature.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::verify {

/// Whose release it is, from the texts of the manifest and of the file beside it (absent: there is none).
///
/// With a key to look for: the manifest must be signed with it. Without: a signature must fit the manifest,
/// or one of them was changed; whose it is stays open, and a warning says so. Nothing to say of a release
/// that is not signed and need not be.
[[nodiscard]] std::optional<Check> check_signature(std::string_view manifest,
                                                   const std::optional<std::string_view>& signature,
                                                   const std::optional<published::PublicKey>& signed_by);

/// Adds that of the release in `folder` to what was found there. A signature that is no regular file, or too
/// long for one, is not opened.
void add_signature(Verification& found, const std::filesystem::path& folder,
                   const std::optional<published::PublicKey>& signed_by);

}  // namespace hyobscure::verify
