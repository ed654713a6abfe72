#pragma once

#include <vector>

#include "hyobscure/audit/informed.h"
#include "hyobscure/data/people.h"
#include "hyobscure/obscure/signals.h"

namespace hyobscure::study {

/// Whether the tables below are small enough to be made.
[[nodiscard]] bool can_be_tabulated(const obscure::Signals& signals, const data::People& people);

/// P(signal, value) of every stratum, from the exact channel.
[[nodiscard]] std::vector<audit::SignalTable> signal_tables(const obscure::Signals& signals,
                                                            const data::People& people);

/// The strata as pools that are published anew in every release. `signals` must outlive them.
[[nodiscard]] std::vector<audit::ReleasedPool> released_pools(const obscure::Signals& signals);

}  // namespace hyobscure::study
