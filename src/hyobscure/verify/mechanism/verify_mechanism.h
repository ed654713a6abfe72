#pragma once

#include <filesystem>

#include "hyobscure/base/progress.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/verify/verify.h"

namespace hyobscure::verify {

/// Checks a release as verify() does against the original, and then against the mechanism that it is said to
/// come from:
///
///   the mechanism does what it says: its figures are computed again from channels and people
///   the manifest says of groups, limits, leakage and distance what the mechanism does
///   publishing again, into a folder that only the caller can open, gives the same files
///
/// This is the one mode that knows code of the defence: the release is compared with what the mechanism
/// draws, so what publish gets wrong is for the other modes to find. It takes the time of a publication, and
/// room for a second copy of the release in TMPDIR. The release may come from Spark, or from another version
/// that encodes Parquet otherwise: then rows are compared, in their order.
///
/// Throws InputError as verify() does, and for a mechanism that speaks of other values than these people
/// have.
[[nodiscard]] Verification verify_with_mechanism(const std::filesystem::path& folder,
                                                 const Original& original,
                                                 const obscure::Mechanism& mechanism,
                                                 const Progress& progress = {});

}  // namespace hyobscure::verify
