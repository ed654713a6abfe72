#pragma once

#include <cstdint>
#include <span>

#include "hyobscure/base/json.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/mechanism/mechanism.h"

namespace hyobscure::report {

/// `lift` of the report: how far one published row can change what is believed of each value, by group. Finer
/// than the release.
[[nodiscard]] Json lift_facts(const data::People& people, const obscure::Mechanism& mechanism,
                              std::span<const std::uint32_t> cluster_of_person);

}  // namespace hyobscure::report
