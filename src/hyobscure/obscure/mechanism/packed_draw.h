#pragma once

#include <string>
#include <string_view>

#include "hyobscure/obscure/mechanism/donor_channel.h"

namespace hyobscure::obscure {

/// Brings the probabilities to whole multiples of 2^-32, every row summing to exactly 1: what a mechanism
/// file holds, so that a mechanism draws the same before it is written and after it is read. Entries that
/// become 0 are left out.
void round_to_units(PersonDraw& draw);

/// The rows as numbers, each an unsigned LEB128 (seven bits a byte, the lowest first, the high bit of all but
/// the last byte set): for each person the number of entries, then for each entry, donors ascending, the
/// donor minus the donor before minus 1 (the first: the donor), and the probability in units of 2^-32. About
/// six bytes an entry. The rows must be rounded (round_to_units).
[[nodiscard]] std::string pack(const PersonDraw& draw);

/// Throws std::out_of_range for bytes that pack() does not write.
[[nodiscard]] PersonDraw unpack(std::string_view bytes);

}  // namespace hyobscure::obscure
