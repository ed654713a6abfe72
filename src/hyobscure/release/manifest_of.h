#pragma once

#include <vector>

#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"
#include "hyobscure/published/manifest.h"

namespace hyobscure::release {

/// What a release of these groups may say of the promise.
[[nodiscard]] published::ManifestLeakage published_leakage(const std::vector<published::Group>& groups,
                                                           const obscure::Figures& figures);

/// What mechanism and spec tell of a release; columns, format, kinds and files are for the publisher to add.
[[nodiscard]] published::Manifest manifest_of(const obscure::Mechanism& mechanism, const data::Spec& spec);

}  // namespace hyobscure::release
