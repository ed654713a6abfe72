#pragma once

#include "hyobscure/obscure/methods/fine_people.h"
#include "hyobscure/obscure/methods/method.h"
#include "hyobscure/solve/person/person_channel.h"

namespace hyobscure::obscure {

/// The attackers weighed as the threat says (docs/method.md, "Two attackers"):
///
///   informed  w = 1
///   both      w = max(w0, I_learned / (I_informed + I_learned)) of unprotected features: neither drowns the
///             other, and the informed attacker never has less than w0 = input.person.least_informed_weight
///   learned   w = kLeastWeightOfInformed: only where the model leaves it open does the informed attacker
///   decide
///
/// w = 1 for every threat where the model does not predict: there is nothing to hide from it, and an
/// objective without the informed attacker would hide nothing at all.
[[nodiscard]] solve::PersonTerms person_terms(const MethodInput& input, const FinePeople& people);

inline constexpr double kLeastWeightOfInformed = 0.01;

}  // namespace hyobscure::obscure
