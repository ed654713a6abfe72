#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::obscure {

/// Where a mechanism's groups are not what it says of them, counted again from the people: one sentence each,
/// none where all is true. People and secrets of each group; that its cover holds its own secrets and nobody
/// else's, under a label that says so; the smallest pool; and the limits, of groups and where promised of
/// pools. `keep`: secret.keep of the spec, which the outermost ranges end with.
[[nodiscard]] std::vector<std::string> untrue_of_groups(const Mechanism& mechanism,
                                                        const data::People& people,
                                                        const std::optional<data::Interval>& keep = {});

}  // namespace hyobscure::obscure
