#pragma once

#include <string>
#include <vector>

#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::obscure {

/// What a mechanism must not be, whatever was left unset. Each is a sentence for the publisher; none: it is
/// as good as a careful publisher would expect.
///
///   budget left unspent while the features still leak, and a farther donor would leak less
///   more leakage to the informed attacker than random donors of the same distance
///   more than half of what unprotected features leak
///   a larger share of own rows than channel.most_own_rows
///
/// Judged from the figures of the mechanism each time, not remembered as a verdict. `fit` ends with exit code
/// 3, `publish` refuses unless the leakage is accepted.
[[nodiscard]] std::vector<std::string> shortfalls(const Mechanism& mechanism);

}  // namespace hyobscure::obscure
