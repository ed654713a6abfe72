#pragma once

#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::obscure {

/// Throws InputError unless the mechanism speaks of these people's values, columns, axes and pools: what
/// everything that draws by it takes for granted, and what its file alone cannot tell.
void refuse_misfit(const Mechanism& mechanism, const data::People& people);

}  // namespace hyobscure::obscure
