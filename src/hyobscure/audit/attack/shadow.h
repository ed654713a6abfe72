#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hyobscure/audit/attack/attack.h"

namespace hyobscure::audit {

/// Runs the mechanism on some of the people and returns the donor of each, a person of `people` whose true
/// features are published under it. Called from one thread.
using MechanismOn =
    std::function<std::vector<std::uint32_t>(std::span<const std::uint32_t> people, const Key& key)>;

/// The shadow attacker (after Shokri et al. 2017): a random known_share of the people are its own; it runs
/// the same mechanism on them, learns secrets from the obscured rows that gives, and attacks the publication
/// of the others. Unlike the attacker of scenario I it has seen what the mechanism makes of a row; unlike
/// that of scenario II it needs nobody in the release.
///
/// `unobscured` of the result learns from and attacks true features. Otherwise as attack().
[[nodiscard]] std::vector<AttackResult> shadow_attack(const AttackTargets& targets,
                                                      const PublicationOf& publication_of,
                                                      const MechanismOn& mechanism_on,
                                                      const AttackSettings& settings, const Key& key,
                                                      const Progress& progress = {});

}  // namespace hyobscure::audit
