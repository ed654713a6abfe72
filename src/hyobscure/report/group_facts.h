#pragma once

#include "hyobscure/base/json.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::report {

/// `secret_kind`, `values`, `joined` and, of several secrets, `axes` of the report's `data`. Of a secret that
/// is one number nothing is changed.
void add_space_facts(Json& data, const data::People& people);

/// `groups` of the report, and what they are drawn over: `histogram` of numbers and names, `map` of places,
/// `plane` of two secrets. Finer than the release.
void add_group_facts(Json& json, const data::People& people, const obscure::Mechanism& mechanism);

}  // namespace hyobscure::report
