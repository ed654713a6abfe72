#pragma once

#include <vector>

#include "hyobscure/audit/attack/informed.h"
#include "hyobscure/data/people/people.h"
#include "hyobscure/obscure/leakage/signals.h"

namespace hyobscure::audit {

/// Whether the tables below are small enough to be made.
[[nodiscard]] bool can_be_tabulated(const obscure::Signals& signals, const data::People& people);

/// P(signal, value) of every stratum, from the exact channel.
[[nodiscard]] std::vector<audit::SignalTable> signal_tables(const obscure::Signals& signals,
                                                            const data::People& people);

/// The strata as pools that are published again in every release. `signals` must outlive them.
[[nodiscard]] std::vector<audit::ReleasedPool> released_pools(const obscure::Signals& signals);

}  // namespace hyobscure::audit
