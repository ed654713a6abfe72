#include "hyobscure/verify/verify_signature.h"

#include <fmt/format.h>

#include "hyobscure/base/error.h"
#include "hyobscure/base/files.h"
#include "hyobscure/published/manifest.h"

namespace hyobscure::verify {
namespace {

using published::PublicKey;
using published::Signature;

std::optional<Signature> signature_in(std::string_view text) {
  try {
    return Signature::from_text(text);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Check check_of(const CheckRule& rule, bool passed, std::string detail) {
  return {std::string(rule.name), passed, std::move(detail), rule.warning, rule.key};
}

Check failed_signature(const std::optional<PublicKey>& signed_by, std::string detail) {
  return check_of(signed_by ? rule("signed-by") : rule("signature-fits"), false, std::move(detail));
}

/// Read only where reading ends: a pipe or a device may not.
std::optional<std::string> signature_text(const std::filesystem::path& file) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(file))) return std::nullopt;
  const bool readable = std::filesystem::is_regular_file(std::filesystem::symlink_status(file)) &&
                        std::filesystem::file_size(file) <= Signature::kMostBytes;
  return readable ? read_file(file) : "";
}

}  // namespace

std::optional<Check> check_signature(std::string_view manifest,
                                     const std::optional<std::string_view>& signature,
                                     const std::optional<PublicKey>& signed_by) {
  if (!signature)
    return signed_by ? std::optional(
                           failed_signature(signed_by, fmt::format("there is no {}", Signature::kFileName)))
                     : std::nullopt;
  const auto found = signature_in(*signature);
  if (!found)
    return failed_signature(signed_by,
                            fmt::format("{} is no signature, or is damaged", Signature::kFileName));
  if (!found->fits(manifest))
    return failed_signature(signed_by,
                            fmt::format("{} and the manifest do not belong together", Signature::kFileName));
  const std::string signer = found->signer.fingerprint();
  if (!signed_by)
    return check_of(rule("signer-known"), false,
                    fmt::format("signed with the key of fingerprint {}, which was not compared with any: "
                                "add --signed-by KEY.pub (signed_by= from Python)",
                                signer));
  if (found->signer != *signed_by)
    return failed_signature(signed_by,
                            fmt::format("it is signed with another key, of fingerprint {}", signer));
  return check_of(rule("signed-by"), true, fmt::format("fingerprint {}", signer));
}

void add_signature(Verification& found, const std::filesystem::path& folder,
                   const std::optional<PublicKey>& signed_by) {
  const auto signature = signature_text(folder / Signature::kFileName);
  const std::string manifest = read_file(folder / published::Manifest::kFileName);
  if (const auto check = check_signature(manifest, signature, signed_by)) found.checks.push_back(*check);
}

}  // namespace hyobscure::verify
