#pragma once

#include "hyobscure/data/secret/secret_space.h"
#include "hyobscure/data/spec/spec.h"

namespace hyobscure::data {

AxisKind kind_of_secret(const Spec& spec, std::size_t axis);

/// The secret that needs no SecretSpace.
bool secret_is_one_number(const Spec& spec);
bool secret_is_one_name(const Spec& spec);

/// Home comes from the places of events, not with the person.
bool home_is_found(const Spec& spec);

/// Refuses (InputError) what secret.*, groups.fixed and people.secret do not say together.
void check_secret(const Spec& spec);

}  // namespace hyobscure::data
