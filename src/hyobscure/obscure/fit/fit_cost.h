#pragma once

#include "hyobscure/data/people/people.h"
#include "hyobscure/data/spec/spec.h"
#include "hyobscure/obscure/methods/method.h"

namespace hyobscure::obscure {

// What methods take after the census, about: seconds of work of one core of speed 1 (base/machine_speed.h),
// by figures that bench/scale/costs.py measured.

/// Of a method that compares people, at one budget; `pairs` may donate to each other.
[[nodiscard]] double by_person_seconds(const Method& method, const data::People& people, double pairs);

/// Of any method, at one budget, before groups are known: as many as asked for, or four.
[[nodiscard]] double method_seconds(const Method& method, const data::People& people, const data::Spec& spec);

}  // namespace hyobscure::obscure
